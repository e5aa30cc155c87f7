// Package deploy_test checks that the deployment files fit the programs that they start.
package deploy_test

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"iemesh/cmd/config"
)

// others are flags of the other programs that the deployment files call.
var others = []string{
	"--help",
	"--transport", "--header", // claude mcp add
	"--gateway-address", "--user", "--purge", "--json", // winworker install, uninstall, status
	"--fix", "--undo", "--self-test", "--report", // winworker doctor
	"--now",                                               // systemctl
	"--format",                                            // podman
	"--no-install-recommends",                             // apt-get
	"--from", "--interval", "--timeout", "--start-period", // Containerfile
	"--fail", "--silent", "--insecure", // curl
}

func TestSettingsAreKnown(t *testing.T) {
	settings, err := config.Settings()
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Clone(others)
	for _, s := range settings {
		known = append(known, s.Flag, s.Variable)
	}
	name := regexp.MustCompile(`--[a-z][a-z-]*|\bIE_MCP_\w+`)
	found := 0
	for path, text := range files(t) {
		for _, word := range name.FindAllString(text, -1) {
			found++
			if !slices.Contains(known, word) {
				t.Errorf("%s uses %s, which no program knows", path, word)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d settings were found", found)
	}
}

// files returns all deployment files by their paths.
func files(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// The gateway must accept what the example says.
func TestExampleSettings(t *testing.T) {
	text, err := os.ReadFile("systemd/gateway.env")
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			env = append(env, line)
		}
	}
	var args []string
	for _, value := range parseUnit(t)["Service"]["ExecStart"] {
		args = append(args, strings.Fields(value)[1:]...)
	}
	var help bytes.Buffer
	gateway, request, err := config.ParseGateway(args, env, &help)
	if err != nil {
		t.Fatal(err)
	}
	if request.Command != config.Serve || gateway.Worker == "" || gateway.WorkerTokenFile == "" || gateway.WorkerCA == "" || gateway.TokenFile == "" {
		t.Errorf("%+v", gateway)
	}
}

func TestUnitHandsOverTheSecretsItNames(t *testing.T) {
	service := parseUnit(t)["Service"]
	for _, match := range regexp.MustCompile(`\$\{CREDENTIALS_DIRECTORY\}/([a-z-]+)`).FindAllStringSubmatch(service["ExecStart"][0], -1) {
		if !slices.ContainsFunc(service["LoadCredential"], func(c string) bool { return strings.HasPrefix(c, match[1]+":") }) {
			t.Errorf("credential %s is not loaded", match[1])
		}
	}
}

const unitPath = "systemd/iemesh-gateway.service"

// parseUnit returns the unit's values by section and key.
func parseUnit(t *testing.T) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile(unitPath)
	if err != nil {
		t.Fatal(err)
	}
	unit := map[string]map[string][]string{}
	var section map[string][]string
	lines := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(string(text), "\\\n", " ")))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		key, value, pair := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && line[len(line)-1] == ']':
			section = map[string][]string{}
			unit[line[1:len(line)-1]] = section
		case pair && section != nil:
			section[key] = append(section[key], value)
		default:
			t.Fatalf("%s: %q is neither a section nor a setting", unitPath, line)
		}
	}
	return unit
}
