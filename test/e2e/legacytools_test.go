package e2e

import (
	"bytes"
	"encoding/base64"
	"testing"
	"time"

	"iemesh/api"
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

// The largest file passes the body limits of the MCP endpoint and of the worker API.
func TestLargestUploadFromAfar(t *testing.T) {
	w := remote(t)
	client := harness.Connected(t, w.gateway.MCP("", nil), harness.Modern)
	harness.Do(t, client, "browser_start", nil)
	run.visit(t, client, "/upload?"+query("token", "afar"))
	content := bytes.Repeat([]byte{0xfb, 0xef, 0xbe}, api.MaxUpload/3) // "++++" in base64
	args := harness.Args{"selector": harness.ID("file"), "fileName": "請求書.bin", "content": base64.StdEncoding.EncodeToString(content)}
	if result := harness.Do(t, client, "upload_file", args); result["status"] != "ok" || result["bytes"] != float64(len(content)) {
		t.Errorf("%v", result)
	}
	harness.Do(t, client, "click", harness.Args{"selector": harness.ID("uploadButton")})
	if got := run.app.Uploads("afar"); len(got) != 1 || len(got[0]) != 1 || got[0][0].Name != "請求書.bin" || got[0][0].Bytes != int64(len(content)) {
		t.Errorf("the server got %+v", got)
	}
	harness.Do(t, client, "browser_close", nil)
}

// A dialog that comes while wait_for waits ends the wait, and can be answered at
// once; nothing else is lost.
func TestDialogDuringAWait(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/dialog/timer?ms=300")
	start := time.Now()
	harness.Refused(t, w.client, "wait_for", harness.Args{"type": "present", "selector": harness.ID("never")}, "DIALOG_OPEN")
	if took := time.Since(start); took > 1100*time.Millisecond {
		t.Errorf("the wait ended after %v", took)
	}
	answer := harness.Call[api.HandleDialogResult](t, w.client, "handle_dialog", harness.Args{"action": "accept"})
	if answer.Message == "" || answer.Action != api.Accept || answer.URL == "" {
		t.Errorf("%+v", answer)
	}
	harness.Refused(t, w.client, "handle_dialog", harness.Args{"action": "accept"}, "NO_DIALOG")
}
