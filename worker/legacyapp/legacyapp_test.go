package legacyapp

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// request answers target as the application does, without a socket.
func request(app *App, method, target string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	return w
}

// page is the parsed document at target, which must be HTML and have the title.
func page(t *testing.T, app *App, target, title string) *html.Node {
	t.Helper()
	return document(t, request(app, http.MethodGet, target, nil), title)
}

func document(t *testing.T, w *httptest.ResponseRecorder, title string) *html.Node {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, want 200", w.Code)
	}
	if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	root, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := element(root, "title", "", "")
	if found == nil || text(found) != title {
		t.Fatalf("the title is not %q", title)
	}
	return root
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// elements are those with the tag ("" for any) whose attribute key has the value.
func elements(root *html.Node, tag, key, value string) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (tag == "" || n.Data == tag) && (key == "" || attribute(n, key) == value) {
			found = append(found, n)
		}
	}
	return found
}

func element(root *html.Node, tag, key, value string) *html.Node {
	if found := elements(root, tag, key, value); len(found) > 0 {
		return found[0]
	}
	return nil
}

func byID(t *testing.T, root *html.Node, id string) *html.Node {
	t.Helper()
	found := elements(root, "", "id", id)
	if len(found) != 1 {
		t.Fatalf("%d elements have the id %q, want 1", len(found), id)
	}
	return found[0]
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// sources are the templates by file name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(files, "pages", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		found[path.Base(name)] = string(content)
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	return found
}

func TestIndexLinksEveryPage(t *testing.T) {
	app := New()
	linked := map[string]bool{}
	for _, a := range elements(page(t, app, "/", "社内業務メニュー"), "a", "", "") {
		target, err := url.Parse(attribute(a, "href"))
		if err != nil {
			t.Fatal(err)
		}
		linked[target.Path] = true
		switch target.Path {
		case "/never/half", "/never/silent":
			continue
		case "/redirect":
			if got := request(app, "GET", target.String(), nil).Header().Get("Location"); got != "http://127.0.0.1:80/customer" {
				t.Errorf("/redirect leads to %q", got)
			}
			continue
		}
		if got := request(app, "GET", target.RequestURI(), nil).Code; got != http.StatusOK {
			t.Errorf("%s answers %d", target, got)
		}
	}

	// Files that are not a page of their own, and where to find what they show.
	elsewhere := map[string]string{
		"parts.html":         "/customer",
		"index.html":         "/customer",
		"register_done.html": "/register",
		"slow_done.html":     "/slow/form",
		"table.html":         "/table/2000",

		"charset.html":          "/charset/eucjp",
		"charset_received.html": "/charset/eucjp/received",
		"fields_saved.html":     "/fields/form",
		"mode.html":             "/mode/11",
		"upload_done.html":      "/upload",
	}
	for name := range sources(t) {
		want, ok := elsewhere[name]
		if !ok {
			want = "/" + strings.ReplaceAll(strings.TrimSuffix(name, ".html"), "_", "/")
		}
		if !linked[want] {
			t.Errorf("%s: / has no link to %s", name, want)
		}
	}
}

func TestIndexNamesAnotherOrigin(t *testing.T) {
	app := New()
	for host, other := range map[string]string{
		"127.0.0.1:7312": "http://localhost:7312/customer",
		"localhost:7312": "http://127.0.0.1:7312/customer",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), "/redirect?to="+strings.ToLower(url.QueryEscape(other))) {
			t.Errorf("at %s the index does not redirect to %s", host, other)
		}
	}
}

func TestScriptsAreES3(t *testing.T) {
	newer := []*regexp.Regexp{
		regexp.MustCompile(`=>|\b(let|const|class) |` + "`"),
		regexp.MustCompile(`\bJSON\.|querySelector|addEventListener|getElementsByClassName|textContent|classList`),
		regexp.MustCompile(`\.(forEach|map|filter|indexOf|trim|bind|keys)\(`),
		regexp.MustCompile(`,\s*[}\]]`),
	}
	seen := 0
	for name, source := range sources(t) {
		root, err := html.Parse(strings.NewReader(source))
		if err != nil {
			t.Fatal(err)
		}
		var scripts []string
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "script" {
				scripts = append(scripts, text(n))
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					scripts = append(scripts, a.Val)
				}
			}
		}
		seen += len(scripts)
		for _, script := range scripts {
			for _, pattern := range newer {
				if found := pattern.FindString(script); found != "" {
					t.Errorf("%s: %q is not for old document modes", name, found)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d scripts were found", seen)
	}
}

func TestPagesDeclareTheirCharset(t *testing.T) {
	for name, source := range sources(t) {
		if name == "parts.html" {
			continue
		}
		if strings.HasPrefix(source, "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 ") == (name == "mode_quirks.html") {
			t.Errorf("%s: only mode_quirks.html may lack the doctype, and must", name)
		}
		if !strings.Contains(source, `{{template "head" `) && !strings.Contains(source, `charset={{.Charset}}">`) {
			t.Errorf("%s has no charset", name)
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	app := New()
	for target, want := range map[string]int{
		"/nowhere":                      404,
		"/customer/":                    404,
		"/customer/detail?id=X":         404,
		"/redirect":                     400,
		"/redirect/script":              400,
		"/redirect/timer?to=/x&ms=abc":  400,
		"/late?ms=60001":                400,
		"/obscured?ms=-1":               400,
		"/register?delayMs=x":           400,
		"/fields/masked?ms=x":           400,
		"/charset/sjis/received":        400,
		"/frameset/twice?page=//other":  400,
		"/frameset/work?page=http://a":  400,
		`/frameset/search?page=/\other`: 400,
	} {
		if got := request(app, "GET", target, nil).Code; got != want {
			t.Errorf("GET %s answers %d, want %d", target, got, want)
		}
	}
	if got := request(app, "POST", "/customer", nil).Code; got != http.StatusMethodNotAllowed {
		t.Errorf("POST /customer answers %d", got)
	}
}

func TestNothingIsCached(t *testing.T) {
	if got := request(New(), "GET", "/order", nil).Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q", got)
	}
}
