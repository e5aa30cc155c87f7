package legacyapp

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

func TestCharsets(t *testing.T) {
	const typed = "山田太郎 髙① é € 𠮷 😀 <b>&amp; 100%"
	for path, c := range map[string]struct {
		name string
		in   encoding.Encoding
	}{
		"/charset/sjis":  {"Shift_JIS", japanese.ShiftJIS},
		"/charset/eucjp": {"EUC-JP", japanese.EUCJP},
	} {
		app := New()
		read := func(w *httptest.ResponseRecorder, title string) *html.Node {
			t.Helper()
			if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != "text/html; charset="+c.name {
				t.Fatalf("%s: %d, Content-Type %q", path, w.Code, got)
			}
			if bytes.Contains(w.Body.Bytes(), []byte(title)) {
				t.Errorf("%s is in UTF-8", path)
			}
			root, err := html.Parse(c.in.NewDecoder().Reader(w.Body))
			if err != nil {
				t.Fatal(err)
			}
			if got := text(element(root, "title", "", "")); got != title {
				t.Errorf("%s has the title %q", path, got)
			}
			meta := element(root, "meta", "http-equiv", "Content-Type")
			if got := attribute(meta, "content"); got != "text/html; charset="+c.name {
				t.Errorf("%s declares %q", path, got)
			}
			return root
		}
		read(request(app, "GET", path+"?token=x", nil), "文字コード")

		// As a browser sends it: HTMLEscapeUnsupported makes the same references.
		sent, err := encoding.HTMLEscapeUnsupported(c.in.NewEncoder()).String(typed)
		if err != nil {
			t.Fatal(err)
		}
		form := url.Values{"token": {"x"}, "text": {sent}}
		for _, w := range []*httptest.ResponseRecorder{
			request(app, "POST", path+"/received", form),
			request(app, "GET", path+"/received?"+form.Encode(), nil),
		} {
			if got := text(byID(t, read(w, "受信内容"), "received")); got != typed {
				t.Errorf("%s shows %q", path, got)
			}
		}
		want := []url.Values{{"text": {typed}}, {"text": {typed}}}
		if got := app.Received("x"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s received %q", path, got)
		}
	}
}

func TestDecode(t *testing.T) {
	for sent, want := range map[string]string{
		"\x8eR\x93c&#134071;":   "山田𠮷",
		"&#55362;&#57271;":      "𠮷", // an old browser's surrogate pair
		"a&#233;&#8364;b;&#x;&": "aé€b;&#x;&",
		"\x81":                  "\ufffd",
		"&#55362;":              "\ufffd",
		"&#9999999;":            "\ufffd",
	} {
		if got := decode(japanese.ShiftJIS, sent); got != want {
			t.Errorf("%q is read as %q, want %q", sent, got, want)
		}
	}
}

func TestFieldsForm(t *testing.T) {
	app := New()
	root := page(t, app, "/fields/form?token=x", "顧客情報入力")
	names := map[string]bool{}
	for _, tag := range []string{"input", "select", "textarea"} {
		for _, field := range elements(root, tag, "", "") {
			names[attribute(field, "name")] = true
		}
	}
	if len(names) != 11 || !names["token"] || values(root).Get("token") != "x" {
		t.Errorf("not ten fields and the token: %v", names)
	}
	form := url.Values{"token": {"x"}, "customerName": {"山田 <太郎>"}, "branch": {"13"}}
	document(t, request(app, "POST", "/fields/form", form), "保存完了")
	saved := document(t, request(app, "POST", "/fields/form", form), "保存完了")
	if got := strings.Fields(text(byID(t, saved, "savedTable"))); strings.Join(got, " ") != "項目値 branch13 customerName山田 <太郎>" {
		t.Errorf("saved %q", got)
	}
	form.Del("token")
	if got := app.Received("x"); len(got) != 2 || !reflect.DeepEqual(got[1], form) || text(byID(t, saved, "count")) != "2" {
		t.Errorf("received %v", got)
	}
	if request(app, "POST", "/fields/form", form).Code != http.StatusBadRequest || len(app.Received("")) != 0 {
		t.Error("a form without token is taken")
	}
}

// upload posts files, given as name and content in turn.
func upload(t *testing.T, app *App, token string, files ...string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("token", token)
	for i := 0; i < len(files); i += 2 {
		part, err := form.CreateFormFile("file", files[i])
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(files[i+1]))
	}
	form.Close()
	r := httptest.NewRequest("POST", "/upload", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	return w
}

func TestUploads(t *testing.T) {
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	const none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	app := New()
	if token := values(page(t, app, "/upload?token=x", "ファイル添付")).Get("token"); token != "x" {
		t.Errorf("the form has the token %q", token)
	}
	done := document(t, upload(t, app, "x", "日本 語.txt", "abc", `C:\work\b.txt`, ""), "添付完了")
	if got := text(byID(t, done, "fileTable")); !strings.Contains(got, "日本 語.txt3"+abc) || !strings.Contains(got, "b.txt0"+none) {
		t.Errorf("the answer lists %q", got)
	}
	// A browser sends a nameless part where no file was chosen.
	done = document(t, upload(t, app, "x", "", ""), "添付完了")
	if text(byID(t, done, "count")) != "2" || text(byID(t, done, "fileCount")) != "0" {
		t.Error("the second answer counts wrongly")
	}
	want := [][]File{{{"日本 語.txt", 3, abc}, {"b.txt", 0, none}}, nil}
	if got := app.Uploads("x"); !reflect.DeepEqual(got, want) {
		t.Errorf("uploads %v", got)
	}

	if upload(t, app, "", "a", "b").Code != 400 || request(app, "POST", "/upload", url.Values{"token": {"x"}}).Code != 400 {
		t.Error("an upload without token or of another type is taken")
	}
	if upload(t, app, "big", "a", strings.Repeat("x", mostUpload)).Code != 400 || app.Uploads("big") != nil {
		t.Error("an upload over the limit is taken")
	}
}
