package origin

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	policies := policies(t)
	for _, c := range []struct {
		policy, href, origin string
		reason               Reason
	}{
		{"list", "http://allowed.test/", "http://allowed.test", ""},
		{"list", "http://allowed.test:80", "http://allowed.test", ""},
		{"list", "https://allowed.test/x#y", "https://allowed.test", ""},
		{"list", "http://allowed.test./", "http://allowed.test", ""},
		{"list", "http://日本語.jp/", "http://xn--wgv71a119e.jp", ""},
		{"list", "http://xn--wgv71a119e.jp/", "http://xn--wgv71a119e.jp", ""},
		{"star", "http://[::1]:8000/", "http://[::1]:8000", ""},
		// as Internet Explorer reports them
		{"list", "http://allowed.test/一覧 表.asp?q=山\\田\t#a b", "http://allowed.test", ""},
		{"list", "http://allowed.test/?q=\x8eR", "http://allowed.test", ""},
		{"list", "http://evil.test/ http://allowed.test/", "", NotListed},
		{"list", "http://evil.test\\@allowed.test/", "", Backslash},
		{"list", "http://allowed.test \t/", "", Control},
		{"list", "http://user:secret@allowed.test/", "", Userinfo},
		{"list", "http://fa\u00df.test/", "", UnicodeHost},
		{"star", "http://localhost:9515/", "", OwnPort},
		{"list", "http://[::1]:7311/", "", OwnPort},

		{"star", "about:blank", "", Blank},
		{"star", "About:Blank#x", "", Blank},
		{"star", "about:blank?x", "", Blank},
		{"star", "about:srcdoc", "", Blank},
		{"star", "javascript:'<p>'", "", Blank},
		{"star", "about:blankly", "", Scheme},
		{"star", "about:tabs", "", Scheme},
		{"star", "chrome-error://chromewebdata/", "", ErrorPage},
		{"star", "res://ieframe.dll/dnserrordiagoff.htm#http://allowed.test/", "", ErrorPage},
		{"list", "RES://IEFRAME.DLL/navcancl.htm", "", ErrorPage},
		{"star", "res://evil.dll/ieframe.dll/", "", Scheme},
		{"star", "blob:http://allowed.test/550e8400", "", Scheme},
		{"star", "data:text/html,x", "", Scheme},
		{"star", "file:///C:/x", "", Scheme},
		{"star", "edge://settings/", "", Scheme},
		{"star", "chrome://newtab/", "", Scheme},
		{"star", "view-source:http://allowed.test/", "", Scheme},
		{"star", "ie.http://allowed.test/", "", Scheme},
		{"star", "", "", NotAbsolute},
		{"star", ":", "", NotAbsolute},
	} {
		got, err := policies[c.policy].Page(c.href, own)
		if c.reason != "" {
			wantReason(t, err, c.reason)
			if t.Failed() {
				t.Fatalf("at %q", c.href)
			}
		} else if err != nil {
			t.Errorf("%q: %v", c.href, err)
		}
		if got != c.origin {
			t.Errorf("%q: origin %q, want %q", c.href, got, c.origin)
		}
	}
}

func TestParse(t *testing.T) {
	for entry, want := range map[string]string{ // part of the error
		"http://Allowed.test":           `"http://allowed.test"`,
		"HTTP://allowed.test":           `"http://allowed.test"`,
		"http://allowed.test/":          `"http://allowed.test"`,
		"http://allowed.test/app?x#y":   `"http://allowed.test"`,
		"http://allowed.test:80":        `"http://allowed.test"`,
		"https://allowed.test:443/":     `"https://allowed.test"`,
		"http://allowed.test:":          `"http://allowed.test"`,
		"http://allowed.test.":          `"http://allowed.test"`,
		" http://allowed.test":          `"http://allowed.test"`,
		"http://u:secret@allowed.test":  `"http://allowed.test"`,
		"allowed.test":                  `"http://allowed.test"`,
		"allowed.test:8080":             `"http://allowed.test:8080"`,
		"127.0.0.1":                     `"http://127.0.0.1"`,
		"http://[0:0:0:0:0:0:0:1]":      `"http://[::1]"`,
		"http://日本語.jp/":                `"http://xn--wgv71a119e.jp"`,
		"http://日本語。jp":                 "punycode",
		"http://allowed.test\\":         `"http://allowed.test"`,
		"http://*.allowed.test":         "wildcards",
		"*.com":                         "wildcards",
		"*.co.uk":                       "wildcards",
		"http://allowed.test:*":         "wildcards",
		"http://allowed.test:0":         "port",
		"http://127.1":                  "IPv4",
		"http://[::ffff:127.0.0.1]":     "IPv4",
		"ftp://allowed.test":            "only http:// and https://",
		"file:///C:/":                   "only http:// and https://",
		"":                              "not absolute",
		"null":                          `"http://null"`,
		"http://":                       "no host",
		"http://allowed.test,evil.test": "host may contain only",
	} {
		p, err := Parse([]string{"http://good.test", entry})
		if err == nil {
			t.Errorf("%q: accepted", entry)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "good.test") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %q, want it to contain %q", entry, err, want)
		}
		if _, err := p.Visit("http://good.test/", Own{}); err == nil {
			t.Errorf("%q: a policy came with the error", entry)
		}
	}

	_, err := Parse([]string{"*", "http://A.test", "http://b.test/"})
	for _, part := range []string{`"*" allows every`, `"http://A.test"`, `"http://a.test"`, `"http://b.test/"`, `"http://b.test"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not contain %s", err, part)
		}
	}
}

func TestEntries(t *testing.T) {
	for _, c := range []struct{ in, out []string }{
		{nil, nil},
		{[]string{"*"}, []string{"*"}},
		{[]string{"http://b", "https://a:8443", "http://b"}, []string{"http://b", "https://a:8443"}},
		{[]string{"http://日本語.jp:81", "http://xn--wgv71a119e.jp:81"}, []string{"http://xn--wgv71a119e.jp:81"}},
	} {
		p, err := Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Entries()
		if !slices.Equal(got, c.out) {
			t.Errorf("%q: entries %q, want %q", c.in, got, c.out)
		}
		again, err := Parse(got)
		if err != nil || !slices.Equal(again.Entries(), got) {
			t.Errorf("%q does not load again: %v", got, err)
		}
		if len(got) > 0 {
			got[0] = "http://evil"
			if p.Entries()[0] == got[0] {
				t.Error("the policy can be altered from outside")
			}
		}
	}
}

func TestZeroPolicyAllowsNothing(t *testing.T) {
	var p Policy
	_, err := p.Visit("http://allowed.test/", Own{})
	wantReason(t, err, NotListed)
	_, err = p.Page("http://allowed.test/", Own{})
	wantReason(t, err, NotListed)
}

func TestErrorHoldsNothingOfTheURL(t *testing.T) {
	for name, p := range policies(t) {
		for _, c := range corpus(t) {
			raw := strings.Replace(c.url, "http://", "http://secret:secret@", 1) + "/secret?secret"
			if _, err := p.Visit(raw, own); err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %q", name, err)
			}
		}
	}
}

func FuzzVisit(f *testing.F) {
	policies := policies(f)
	for _, c := range corpus(f) {
		f.Add(c.url)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for name, p := range policies {
			got, err := p.Visit(raw, own)
			if err != nil {
				if refused := new(Error); !errors.As(err, &refused) || refused.Reason == "" || got != (Decision{}) {
					t.Fatalf("%s %q: %v, %+v", name, raw, err, got)
				}
				continue
			}
			if again, err := p.Visit(got.URL, own); err != nil || again != got {
				t.Fatalf("%s %q: %+v, then %+v, %v", name, raw, got, again, err)
			}
			if page, err := p.Page(raw, own); err != nil || page != got.Origin {
				t.Fatalf("%s %q: page %q, %v; want %q", name, raw, page, err, got.Origin)
			}
			rest, ok := strings.CutPrefix(got.URL, got.Origin+"/")
			if !ok || !isASCII(got.URL) || strings.ContainsAny(rest, "\\ \t\r\n\x00") {
				t.Fatalf("%s %q: %+v is not canonical", name, raw, got)
			}
			sameAsGo(t, got.Origin, got.Origin+"/")
			sameAsGo(t, got.Origin, got.URL)
			if name == "list" && !slices.Contains(p.Entries(), got.Origin) {
				t.Fatalf("%q widened the list to %q", raw, got.Origin)
			}
		}
		// What one policy finds plain, the origin itself makes a policy of.
		if got, err := policies["star"].Visit(raw, own); err == nil {
			only, err := Parse([]string{got.Origin})
			if err != nil {
				t.Fatal(err)
			}
			if same, err := only.Visit(raw, own); err != nil || same != got {
				t.Fatalf("%q: %+v, %v under its own origin", raw, same, err)
			}
		}
	})
}

// sameAsGo compares with net/url where that can read the URL: it refuses
// stray percent signs, browsers do not.
func sameAsGo(t *testing.T, origin, whole string) {
	t.Helper()
	u, err := url.Parse(whole)
	if err != nil {
		if whole == origin+"/" {
			t.Fatal(err)
		}
		return
	}
	if u.User != nil || u.Scheme+"://"+u.Host != origin {
		t.Fatalf("net/url reads %q as %q on %q", whole, u.Scheme, u.Host)
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && addr.String() != u.Hostname() {
		t.Fatalf("%q holds a strange address", whole)
	}
}

func BenchmarkVisit(b *testing.B) {
	policies := policies(b)
	for _, c := range []struct{ name, policy, url string }{
		{"star", "star", "http://legacy01.local:8080/customer/list.asp?id=12&name=%8E%52"},
		{"list", "list", "http://legacy_app-01.local:8080/customer/list.asp?id=12&name=%8E%52"},
		{"unicode", "list", "http://日本語.jp/受注/一覧.asp?名=山"},
		{"refused", "list", "http://evil.test/"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				policies[c.policy].Visit(c.url, own)
			}
		})
	}
}
