package api

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	for key, want := range map[Key]string{
		"a": "a", "A": "A", "あ": "あ", "+": "+", " ": " ", "Space": " ", "Enter": "\ue007", "F5": "\ue035", "F12": "\ue03c",
		"Control+A": "\ue009a", "Control+a": "\ue009a", "Shift+a": "\ue008A", "Control+Shift+z": "\ue009\ue008Z", "Alt++": "\ue00a+", "Shift+Tab": "\ue008\ue004",
		"": "", "enter": "", "Ctrl+A": "", "Control": "", "Control+": "", "+A": "", "++": "", "Shift+Shift+A": "", "ab": "", "Meta+A": "", "\ue007": "", "𠮷": "", "\n": "", "\xff": "",
	} {
		chord, err := key.Chord()
		if string(chord) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", key, string(chord), err)
		}
		if err != nil && (AsError(err).Code != InvalidArgument || !strings.Contains(err.Error(), "Enter, Tab") || !strings.Contains(err.Error(), "Shift, Control, Alt")) {
			t.Error(err)
		}
	}
}

func TestFileNames(t *testing.T) {
	for name, fine := range map[string]bool{
		"a.txt": true, "請求書 2026.pdf": true, ".profile": true, "a.b.c": true, "console.log": true, "com10": true, "-x": true, strings.Repeat("a", 200): true,
		"": false, ".": false, "..": false, "a/b": false, `a\b`: false, "../a": false, "C:a": false, "a.txt:stream": false, "a\x00b": false, "a\nb": false, "a\u0085b": false,
		"NUL": false, "con.txt": false, "Com1.log": false, "LPT9": false, "com¹": false, "aux .txt": false, "CONIN$": false,
		"a.": false, "a ": false, "...": false, "a*": false, "a?": false, strings.Repeat("a", 201): false, "\xff": false,
	} {
		if err := (UploadInput{FileName: name}).Validate(); (err == nil) != fine {
			t.Errorf("%q: %v", name, err)
		}
	}
	at := Locator{By: ByID, Value: "a"}
	for size, want := range map[int]Code{0: "", MaxUpload: "", MaxUpload + 1: LimitExceeded} {
		in := UploadInput{Target: at, FileName: "a", Content: base64.StdEncoding.EncodeToString(make([]byte, size))}
		if err := in.Validate(); (err == nil) != (want == "") || err != nil && AsError(err).Code != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if err := (UploadInput{FileName: "a", Content: "QQ"}).Validate(); err == nil || !strings.Contains(err.Error(), "content is not base64") {
		t.Error(err)
	}
}

func TestFillFormInput(t *testing.T) {
	const input = `{"fields":[{"target":{"by":"id","value":"a"},"value":"himitsu"},{"target":{"by":"id","value":"b"},"value":false}]}`
	in, err := FillForm.Decode(json.RawMessage(input))
	if err != nil || in.Fields[0].Value.Text != "himitsu" || in.Fields[0].Value.On != nil || in.Fields[1].Value.On == nil || *in.Fields[1].Value.On {
		t.Fatalf("%+v %v", in, err)
	}
	if back, err := json.Marshal(in); string(back) != input {
		t.Errorf("%s %v", back, err)
	}
	if attrs, _ := json.Marshal(FillForm.Audit(json.RawMessage(input))); string(attrs) != `{"fields":2,"textLength":7}` {
		t.Errorf("audit: %s", attrs)
	}
	in.Fields[0].Value.Text = strings.Repeat("x", MaxInputText+1)
	if err := in.Validate(); err == nil {
		t.Error("so long a text is taken")
	}
	in.Fields[0].Value.Text = ""
	in.Fields[0].Target.Value = strings.Repeat("x", maxFormSelectors)
	if err := in.Validate(); err == nil {
		t.Error("so long selectors are taken")
	}
	if attrs, _ := json.Marshal(Press.Audit(json.RawMessage(`{"key":"x"}`))); string(attrs) != `null` {
		t.Errorf("audit: %s", attrs)
	}
}
