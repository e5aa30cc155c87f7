package origin

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var own = Own{
	Ports: []uint16{7310, 7311, 9515},
	Hosts: []string{"WINBOX", "192.168.7.20", "2001:db8::20%eth0"},
}

// listed holds own ports too: those are refused even so.
var listed = []string{
	"http://allowed.test", "https://allowed.test", "http://allowed.test:8080", "http://allowed.test:445",
	"http://intranet", "http://127.0.0.1:8000", "http://[::1]:8000", "http://10.0.0.5",
	"http://日本語.jp", "http://legacy_app-01.local:8080",
	"http://localhost:7310", "http://localhost:7311", "http://a.localhost:7310", "http://localhost.localdomain:7310",
	"http://127.0.0.1:9515", "https://127.8.9.1:7310", "http://0.0.0.0:7310", "http://[::]:7311", "http://[::1]:7311",
	"http://winbox:7311", "http://192.168.7.20:7311", "http://[2001:db8::20]:7311",
}

func policies(t testing.TB) map[string]Policy {
	t.Helper()
	star, err := Parse([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Parse(listed)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Policy{"star": star, "list": list}
}

type urlCase struct {
	line     int
	row      string
	policies []string
	verdict  string // allow, refuse, not_absolute, n/a
	want     string // canonical URL or reason
	url      string
}

func corpus(t testing.TB) []urlCase {
	t.Helper()
	file, err := os.Open("testdata/urls.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []urlCase
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		f := strings.Fields(lines.Text())
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		c := urlCase{line: n, row: f[0], policies: []string{f[1]}, verdict: f[2], url: f[len(f)-1]}
		if f[1] == "both" {
			c.policies = []string{"star", "list"}
		}
		if c.verdict == "n/a" {
			cases = append(cases, c)
			continue
		}
		if c.url == `""` {
			c.url = ""
		} else if c.url, err = strconv.Unquote(`"` + strings.ReplaceAll(c.url, `"`, `\"`) + `"`); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		switch c.verdict {
		case "allow":
			if c.want = f[3]; c.want == "=" {
				c.want = c.url
			}
		case "refuse":
			c.want = f[3]
		case "not_absolute":
			c.want = c.verdict
		default:
			t.Fatalf("line %d: verdict %q", n, c.verdict)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestCorpus(t *testing.T) {
	policies := policies(t)
	for _, c := range corpus(t) {
		for _, name := range c.policies {
			if c.verdict == "n/a" {
				continue
			}
			t.Run(fmt.Sprintf("line %d %s", c.line, name), func(t *testing.T) {
				got, err := policies[name].Visit(c.url, own)
				if c.verdict != "allow" {
					wantReason(t, err, Reason(c.want))
					if got != (Decision{}) {
						t.Errorf("%q: refused, and yet %+v", c.url, got)
					}
					return
				}
				if err != nil {
					t.Fatalf("%q: %v", c.url, err)
				}
				if got.URL != c.want {
					t.Errorf("%q became %q, want %q", c.url, got.URL, c.want)
				}
				page, err := policies[name].Page(got.URL, own)
				if err != nil || page != got.Origin {
					t.Errorf("%q as a page: %q, %v; want origin %q", got.URL, page, err, got.Origin)
				}
			})
		}
	}
}

func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("error %v, want reason %q", err, want)
	}
	if refused.Reason != want {
		t.Errorf("reason %q, want %q", refused.Reason, want)
	}
	if refused.Error() == (&Error{}).Error() {
		t.Errorf("reason %q has no advice", refused.Reason)
	}
}

func TestCorpusHasEveryRow(t *testing.T) {
	seen := map[string][]string{}
	for _, c := range corpus(t) {
		seen[c.row] = append(seen[c.row], c.policies...)
	}
	for row := 1; row <= 40; row++ {
		for _, policy := range []string{"star", "list"} {
			if !slices.Contains(seen[strconv.Itoa(row)], policy) {
				t.Errorf("row %d has no case for %s", row, policy)
			}
		}
	}
}
