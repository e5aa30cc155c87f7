package iemesh_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"iemesh/api"
	"iemesh/cmd/config"
	"iemesh/cmd/gateway/mcpserver"
)

//go:generate go test -run TestREADME . -update

var update = flag.Bool("update", false, "write the generated parts of README.md")

func TestREADMEIsTrue(t *testing.T) {
	have, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := have
	for name, table := range map[string]string{"tools": toolTable(t), "settings": settingTable(t), "errors": errorTable()} {
		part := regexp.MustCompile(`(?s)(<!-- ` + name + `: [^\n]*-->\n).*?(<!-- end -->)`)
		if !part.Match(want) {
			t.Fatalf("README.md has no part for %s", name)
		}
		want = part.ReplaceAll(want, []byte("${1}"+strings.ReplaceAll(table, "$", "$$")+"${2}"))
	}
	if bytes.Equal(have, want) {
		return
	}
	if !*update {
		t.Fatal("README.md does not say what the code does: run `go generate .`")
	}
	if err := os.WriteFile("README.md", want, 0o644); err != nil {
		t.Fatal(err)
	}
}

func toolTable(t *testing.T) string {
	tools, err := mcpserver.Tools([]string{"ie", "legacy"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| tool | arguments | what it does |\n| --- | --- | --- |\n")
	for _, tool := range tools {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tool.Name, arguments(t, tool.InputSchema), tool.Description)
	}
	return b.String()
}

// arguments lists those that not every tool has; the optional ones with a "?".
func arguments(t *testing.T, schema any) string {
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		switch {
		case name == "sessionId" || name == "timeoutMs":
		case slices.Contains(s.Required, name):
			list = append(list, "`"+name+"`")
		default:
			list = append(list, "`"+name+"`?")
		}
	}
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

func settingTable(t *testing.T) string {
	settings, err := config.Settings()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| flag | variable | default | meaning | programs |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range settings {
		programs := "gateway"
		if s.Both {
			programs = "both"
		}
		standard := "–"
		if s.Default != "" {
			standard = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", s.Flag, s.Variable, standard, s.Meaning, programs)
	}
	return b.String()
}

func errorTable() string {
	var b strings.Builder
	b.WriteString("| code | when | trying again |\n| --- | --- | --- |\n")
	for _, c := range api.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, c.When, c.Again)
	}
	return b.String()
}
