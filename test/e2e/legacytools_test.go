package e2e

import (
	"encoding/base64"
	"testing"

	"iemesh/test/harness"
)

// Chromium's windows cost no command; on IE each of these tools but read_table
// takes one more.
func TestCommandsPerLegacyTool(t *testing.T) {
	w := open(t)
	field := func(id string, value any) harness.Args {
		return harness.Args{"selector": harness.ID(id), "value": value}
	}
	ten := []harness.Args{field("customerName", "山田太郎"), field("kana", "ヤマダ"), field("phone", "03-0000-0000"), field("password", "x"), field("memo", "é"),
		field("branch", "大阪支店"), field("rank", "優良"), field("kindCompany", true), field("mail", false), field("agree", true)}
	command := harness.ID("command")
	for _, c := range []struct {
		name, tool string
		args       harness.Args
		page       string
		most       int
	}{
		{"fill_form of ten fields", "fill_form", harness.Args{"fields": ten}, "/fields/form?token=count", 22 - 1},
		{"read_table", "read_table", harness.Args{"selector": harness.ID("dataTable")}, "/table/2000", 1},
		{"read_table from the middle", "read_table", harness.Args{"selector": harness.ID("dataTable"), "offset": 1000}, "", 1},
		{"press_key in an element", "press_key", harness.Args{"key": "Control+A", "selector": command}, "/keyboard", 4 - 1},
		{"press_key where the focus is", "press_key", harness.Args{"key": "F8"}, "", 4 - 1},
		{"press_key that reloads", "press_key", harness.Args{"key": "F5"}, "", 4 - 1},
		{"upload_file", "upload_file", harness.Args{"selector": harness.ID("file"), "fileName": "a.txt", "content": base64.StdEncoding.EncodeToString([]byte("a"))}, "/upload", 4 - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.page != "" {
				run.visit(t, w.client, c.page)
			}
			check(t, w, c.tool, c.args, c.most)
		})
	}
	run.visit(t, w.client, "/dialog")
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("confirmButton")})
	check(t, w, "handle_dialog", harness.Args{"action": "dismiss"}, 4)
}
