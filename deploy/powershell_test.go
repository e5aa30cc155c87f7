package deploy_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// faults asks a real grammar of PowerShell about sources by their names.
func faults(t *testing.T, sources map[string]string) map[string][]string {
	t.Helper()
	stdin, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	// With its optimizing compiler node takes 12 s for this grammar.
	cmd := exec.Command("node", "--liftoff-only", "../test/node/powershell.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var list map[string][]string
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func scripts(t *testing.T) map[string]string {
	t.Helper()
	list := files(t)
	maps.DeleteFunc(list, func(path, _ string) bool { return filepath.Ext(path) != ".ps1" })
	if len(list) < 5 {
		t.Fatalf("only %d scripts", len(list))
	}
	return list
}

func TestPowerShellFilesAreValid(t *testing.T) {
	for path, list := range faults(t, scripts(t)) {
		for _, fault := range list {
			t.Errorf("%s:%s", path, fault)
		}
	}
}

// The check must find what is broken.
func TestPowerShellFaultsAreFound(t *testing.T) {
	sources := map[string]string{
		"good":    "if ($PSCmdlet.ShouldProcess('x', 'y')) { Remove-Item -LiteralPath $x }",
		"brace":   "foreach ($x in 1..4) {\n  Get-Item $x\n",
		"word":    "param([string] $x\nif (-not $x { 'a' }",
		"string":  "$x = 'one\n",
		"bare":    "Get-Item $x\nRemove-Item -LiteralPath $x",
		"program": "& powercfg.exe /change $x 0",
		"else":    "if ($PSCmdlet.ShouldProcess('x', 'y')) { 'a' } else { Set-Content $x 'y' }",
		"other":   "if ($x) { New-NetFirewallRule -Name $x }",
	}
	found := faults(t, sources)
	for name := range sources {
		if (len(found[name]) > 0) != (name != "good") {
			t.Errorf("%s: %q", name, found[name])
		}
	}
	if at := found["bare"]; len(at) != 1 || !strings.HasPrefix(at[0], "2:1: ") {
		t.Errorf("a bare command is at %q", at)
	}
}

func TestPowerShellFilesCanBeTriedOut(t *testing.T) {
	scoped := regexp.MustCompile(`\$(\w+):`)
	for path, text := range scripts(t) {
		if !strings.Contains(text, "[CmdletBinding(SupportsShouldProcess)]") {
			t.Errorf("%s does not support -WhatIf", path)
		}
		if !strings.Contains(text, "Set-StrictMode -Version 2\n") {
			t.Errorf("%s is not strict", path)
		}
		for i, r := range text {
			if r > 0x7e { // PowerShell 5.1 reads it in the code page of the machine
				t.Errorf("%s has %q at %d", path, r, i)
			}
		}
		for _, match := range scoped.FindAllStringSubmatch(text, -1) {
			if match[1] != "env" { // in a string, "$x: …" asks for a drive named x
				t.Errorf("%s has %s", path, match[0])
			}
		}
		// Later than PowerShell 5.1.
		for _, operator := range []string{" && ", " || ", " ?? ", "?.", " ? "} {
			if strings.Contains(text, operator) {
				t.Errorf("%s has %s", path, operator)
			}
		}
	}
}

// What the scripts set is what the reference of IE mode wants.
func TestPoliciesSetEveryValue(t *testing.T) {
	all := strings.Join([]string{files(t)["windows/Set-IemeshUser.ps1"], files(t)["windows/Set-IemeshPolicies.ps1"], files(t)["windows/Set-IemeshDesktop.ps1"]}, "\n")
	for _, name := range []string{
		"2500", "Security_HKLM_only", "FEATURE_BFCACHE", "Isolation", "ZoomFactor", `App Paths\msedge.exe`, "iexplore.exe", "InternetExplorerIntegrationLevel",
		"InternetExplorerIntegrationSiteList", "TrackingPrevention", "UserDataDir", "PromptForDownloadLocation", "{A509B1A7-37EF-4b3f-8CFC-4F3A74704073}",
		"Disable Script Debugger", "DisableScriptDebuggerIE", "Error Dlg Displayed On Every Error", "DisableFirstRunCustomize", "1400", "1A00",
		"LogPixels", "Win8DpiScaling", "ForegroundLockTimeout", "ScreenSaveActive", "NoLockScreen",
	} {
		if !strings.Contains(all, name) {
			t.Errorf("no script speaks of %s", name)
		}
	}
}

func TestSiteListIsWellFormed(t *testing.T) {
	out, err := exec.Command("xmllint", "--nonet", "--noout", "windows/site-list.xml").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
