package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"iemesh/api"
)

// callers are all that read a page; each returns what it read.
var callers = map[string]func(ctx context.Context, ex Executor) (any, error){
	"State": func(ctx context.Context, ex Executor) (any, error) { return State(ctx, ex, guardSite) },
	"Inspect": func(ctx context.Context, ex Executor) (any, error) {
		r, doc, err := Inspect(ctx, ex, guardSite, api.InspectInput{})
		return [2]any{r, doc}, err
	},
	"Actionable": func(ctx context.Context, ex Executor) (any, error) {
		return Actionable(ctx, ex, guardSite, id("x"), nil)
	},
	"FrameLocator": func(ctx context.Context, ex Executor) (any, error) { return FrameLocator(ctx, ex, guardSite, id("x")) },
	"Editable": func(ctx context.Context, ex Executor) (any, error) {
		return Editable(ctx, ex, guardSite, id("x"), nil, true)
	},
	"Filled": func(ctx context.Context, ex Executor) (any, error) { return Filled(ctx, ex, guardSite, "typed", true) },
	"Option": func(ctx context.Context, ex Executor) (any, error) {
		return Option(ctx, ex, guardSite, id("x"), nil, api.OptionIndex, "0")
	},
	"Selected": func(ctx context.Context, ex Executor) (any, error) { return Selected(ctx, ex, guardSite) },
	"Holds": func(ctx context.Context, ex Executor) (any, error) {
		return Holds(ctx, ex, guardSite, api.WaitInput{Type: api.TitleHas, Text: "SECRET"}, nil)
	},
}

// checkRefused calls all callers; no content may come out.
func checkRefused(t *testing.T) {
	t.Helper()
	for name, call := range callers {
		got, err := call(t.Context(), chromium)
		// The driver's own part trips over some lies; that gives nothing either.
		if err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if encoded, _ := json.Marshal(got); strings.Contains(string(encoded), "SECRET") || strings.Contains(string(encoded), foreign.URL) {
			t.Errorf("%s told %s", name, encoded)
		}
	}
}

const secret = `<title>SECRET</title><input id=x name=SECRET value=SECRET>SECRET`

func TestRefusedPageGivesNothing(t *testing.T) {
	openOn(t, foreign, secret)
	checkRefused(t)
	if _, err := State(t.Context(), chromium, guardSite); !errors.Is(err, errRefused) {
		t.Errorf("not the guard's error: %v", err)
	}
}

func TestLyingPageGivesNothing(t *testing.T) {
	for name, lie := range map[string]string{
		"location":     `try { window.location = undefined } catch (e) {} try { Object.defineProperty(window, 'location', {value: {href: ALLOWED}}) } catch (e) {}`,
		"document":     `try { Object.defineProperty(document, 'location', {value: {href: ALLOWED}}) } catch (e) {} try { Object.defineProperty(location, 'href', {value: ALLOWED}) } catch (e) {}`,
		"prototype":    `Object.defineProperty(Location.prototype, 'href', {get: function () { return ALLOWED }})`,
		"title":        `Object.defineProperty(document, 'title', {get: function () { return '\n' + ALLOWED + '\nSECRET' }})`,
		"join":         `Array.prototype.join = Array.prototype.push = function () { return ALLOWED + '\n{}' }`,
		"replace":      `String.prototype.replace = String.prototype.substring = String.prototype.charAt = function () { return ALLOWED + '\n{"title":"SECRET"}' }`,
		"toString":     `String.prototype.toString = String.prototype.valueOf = Object.prototype.toString = function () { return ALLOWED + '\n{}' }`,
		"toJSON":       `String.prototype.toJSON = function () { return ALLOWED + '\n{"title":"SECRET"}' }`,
		"array toJSON": `Array.prototype.toJSON = function () { return [ALLOWED + '\n{"title":"SECRET"}', document.body] }`,
		"pollution":    `Object.prototype.href = Object.prototype.title = ALLOWED; Object.prototype.failed = ''`,
		"blankness":    `RegExp.prototype.test = RegExp.prototype.exec = function () { return true }; window.opener = window.parent = {location: {href: ALLOWED}}`,
		"parent":       `window.parent = window.opener = {location: {href: ALLOWED}}; self.top = self.parent`,
	} {
		t.Run(name, func(t *testing.T) {
			openOn(t, foreign, secret+"<script>var ALLOWED = '"+site.URL+"/';"+lie+"</script>")
			checkRefused(t)
		})
	}
}

// inFrame shows a page and enters its first frame.
func inFrame(t *testing.T) {
	t.Helper()
	must(t, http.MethodPost, "/frame", map[string]any{"id": 0})
}

func TestBlankFrames(t *testing.T) {
	for name, frame := range map[string]string{
		"srcdoc": `<iframe srcdoc="<title>in</title><p id=x>inner"></iframe>`,
		"blank":  `<iframe></iframe><script>frames[0].document.write('<title>in</title><p id=x>inner'); frames[0].document.close()</script>`,
		"script": `<iframe src="javascript:'<title>in</title><p id=x>inner'"></iframe>`,
		"nested": `<iframe srcdoc="<iframe srcdoc='<title>in</title><p id=x>inner'></iframe>"></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			frames := 1 + strings.Count(frame, "srcdoc='")
			url := open(t, "<title>outer</title>"+frame)
			for range frames {
				inFrame(t)
			}
			bothModes(t, func(t *testing.T, ex Executor) {
				r, doc, err := Inspect(t.Context(), ex, guardSite, api.InspectInput{})
				if err != nil || r.Text != "inner" || r.Title != "in" || doc.TopURL == nil || *doc.TopURL != url || *doc.TopTitle != "outer" || doc.Origin != site.URL {
					t.Errorf("%+v %+v %v", r, doc, err)
				}
			})
			openOn(t, foreign, frame)
			for range frames {
				inFrame(t)
			}
			checkRefused(t)
		})
	}
}

func TestForeignFrame(t *testing.T) {
	other := put(t, secret)
	open(t, `<iframe src="`+foreign.URL+other+`"></iframe>`)
	inFrame(t)
	checkRefused(t)
	allowed := put(t, "allowed")
	openOn(t, foreign, secret+`<iframe src="`+site.URL+allowed+`"></iframe>`)
	inFrame(t)
	doc, err := State(t.Context(), chromium, guardSite)
	if err != nil || doc.TopURL != nil || doc.TopTitle != nil {
		t.Errorf("%+v %v", doc, err)
	}
}

// checkNothing demands that a blank page without an owner in reach is known to
// be there, and no more.
func checkNothing(t *testing.T) {
	t.Helper()
	for name, call := range callers {
		got, err := call(t.Context(), chromium)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if encoded, _ := json.Marshal(got); strings.Contains(string(encoded), "SECRET") {
			t.Errorf("%s told %s", name, encoded)
		}
		if found := reflect.ValueOf(got).FieldByNameFunc; name == "Actionable" && found(func(n string) bool { return n == "Status" }).String() != string(Missing) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestBlankPageOfNobody(t *testing.T) {
	must(t, http.MethodPost, "/url", map[string]any{"url": "about:blank"})
	js(t, "document.write(arguments[0]); document.close()", secret)
	checkNothing(t)
	openOn(t, foreign, `<iframe sandbox="allow-scripts" srcdoc='`+secret+`'></iframe>`)
	inFrame(t)
	checkNothing(t)
	openOn(t, foreign, `<iframe srcdoc='`+secret+`<script>window.parent = {location: {href: "`+site.URL+`/"}}</script>'></iframe>`)
	inFrame(t)
	checkNothing(t)
}

func TestBlankPopup(t *testing.T) {
	for _, c := range []struct {
		name, after string
		check       func(t *testing.T)
	}{
		{"owner in reach", "", func(t *testing.T) {
			r := inspect(t, chromium, `{}`)
			if r.Text != "SECRET" {
				t.Errorf("%+v", r)
			}
		}},
		{"owner denied", "w.opener = null", checkNothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			open(t, "owner")
			var first string
			if err := json.Unmarshal(must(t, http.MethodGet, "/window", nil), &first); err != nil {
				t.Fatal(err)
			}
			js(t, "w = window.open('about:blank'); w.document.body.innerHTML = arguments[0];"+c.after, secret)
			var handles []string
			if err := json.Unmarshal(must(t, http.MethodGet, "/window/handles", nil), &handles); err != nil || len(handles) != 2 {
				t.Fatalf("%v %v", handles, err)
			}
			for _, h := range handles {
				if h != first {
					must(t, http.MethodPost, "/window", map[string]any{"handle": h})
				}
			}
			c.check(t)
			must(t, http.MethodDelete, "/window", nil)
			must(t, http.MethodPost, "/window", map[string]any{"handle": first})
		})
	}
}

func TestFreshAndToken(t *testing.T) {
	first := open(t, "one")
	state := func() Doc {
		t.Helper()
		doc, err := State(t.Context(), chromium, guardSite)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	a, b := state(), state()
	if !a.Fresh || b.Fresh || a.Token == "" || a.Token != b.Token || a.URL != first || !a.Complete {
		t.Errorf("%+v\n%+v", a, b)
	}
	must(t, http.MethodPost, "/refresh", map[string]any{})
	if c := state(); !c.Fresh || c.Token == a.Token {
		t.Errorf("%+v", c)
	}
}

func TestAlertLeavesNoAnswer(t *testing.T) {
	for _, raw := range []string{"null", "", `["x"]`, `[null,null]`, `"no line"`, "7"} {
		if _, err := State(t.Context(), answers(raw), guardSite); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, err := State(t.Context(), answers(`"`+site.URL+`/\n{SECRET"`), guardSite); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("damaged: %v", err)
	}
}

type answers string

func (a answers) Execute(context.Context, string, []any) (json.RawMessage, error) {
	return json.RawMessage(a), nil
}
