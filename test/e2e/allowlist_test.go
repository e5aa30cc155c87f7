package e2e

import (
	"strings"
	"testing"

	"iemesh/test/harness"
)

// secrets are words of the pages on the other origin.
func secrets() []string { return []string{"顧客", "支店", "山田", "本日 18:00"} }

// sealed checks that an answer shows nothing of a page off the list.
func sealed(t *testing.T, what, answer string) {
	t.Helper()
	for _, secret := range secrets() {
		if strings.Contains(answer, secret) {
			t.Errorf("%s shows %q: %s", what, secret, answer)
		}
	}
}

func TestAddressesOffTheList(t *testing.T) {
	w := listed(t)
	for _, url := range []string{
		run.other + "/customer",
		"https" + strings.TrimPrefix(run.site, "http") + "/customer",
		"http://127.0.0.1/customer",
		"file:///etc/passwd",
		"javascript:alert(1)",
		"data:text/html,hello",
		"view-source:" + run.site,
		"chrome://version",
		strings.Replace(run.site, "//", "//user:himitsu@", 1) + "/customer",
	} {
		failure := harness.Refused(t, w.client, "navigate", harness.Args{"url": url}, "URL_NOT_ALLOWED")
		if reason, _ := failure["reason"].(string); reason == "" {
			t.Errorf("%s: no reason in %v", url, failure)
		}
		if strings.Contains(harness.Text(harness.Ask(t, w.client, "navigate", harness.Args{"url": url})), "himitsu") {
			t.Errorf("%s: the answer repeats the password", url)
		}
	}
	for _, url := range []string{"", "customer", "/customer", "//localhost/customer"} {
		harness.Refused(t, w.client, "navigate", harness.Args{"url": url}, "INVALID_ARGUMENT")
	}
}

// The ports of our own programs are no place to visit, whatever the list says.
func TestOwnPortsAreNotVisited(t *testing.T) {
	w := remote(t)
	client := harness.Connected(t, w.gateway.MCP("", nil), harness.Modern)
	harness.Do(t, client, "browser_start", nil)
	for _, base := range []string{w.gateway.Base, w.winworker.Base,
		strings.Replace(w.winworker.Base, "127.0.0.1", "localhost", 1), strings.Replace(w.gateway.Base, "127.0.0.1", "[::1]", 1)} {
		harness.Refused(t, client, "navigate", harness.Args{"url": base + "/healthz"}, "URL_NOT_ALLOWED")
	}
}

func TestPagesThatLeadOffTheList(t *testing.T) {
	w := listed(t)
	to := query("to", run.other+"/customer")
	off := func(t *testing.T, tool string, args harness.Args) {
		t.Helper()
		result := harness.Ask(t, w.client, tool, args)
		sealed(t, tool, harness.Text(result))
		if failure := harness.Failure(t, tool, result); failure["error"] != "URL_NOT_ALLOWED" {
			t.Errorf("%s: %v, want URL_NOT_ALLOWED", tool, failure)
		}
		if len(result.Content) != 1 {
			t.Errorf("%s: %d contents", tool, len(result.Content))
		}
	}
	// everything that could look at the page or touch it
	all := func(t *testing.T) {
		t.Helper()
		name := harness.ID("customerName")
		off(t, "inspect_page", nil)
		off(t, "screenshot", nil)
		off(t, "click", harness.Args{"selector": harness.ID("searchButton")})
		off(t, "click", harness.Args{"selector": harness.By("xpath", "//button")})
		off(t, "type", harness.Args{"selector": name, "text": "x"})
		off(t, "select", harness.Args{"selector": harness.ID("branch"), "by": "index", "value": 1})
		off(t, "wait_for", harness.Args{"type": "title", "text": "顧", "timeoutMs": 1000})
		off(t, "wait_for", harness.Args{"type": "text", "selector": harness.ID("searchButton"), "text": "検", "timeoutMs": 1000})
	}

	t.Run("redirect", func(t *testing.T) {
		off(t, "navigate", harness.Args{"url": run.site + "/redirect?" + to})
		all(t)
		run.visit(t, w.client, "/order") // and back
	})
	for _, way := range []string{"/redirect/script?", "/redirect/meta?"} {
		t.Run(way, func(t *testing.T) {
			result := harness.Ask(t, w.client, "navigate", harness.Args{"url": run.site + way + to})
			sealed(t, "navigate", harness.Text(result))
			if result.IsError {
				if failure := harness.Failure(t, "navigate", result); failure["error"] != "URL_NOT_ALLOWED" {
					t.Errorf("navigate: %v", failure)
				}
			}
			leaves(t, w)
			run.visit(t, w.client, "/order")
		})
	}
	t.Run("timer", func(t *testing.T) {
		run.visit(t, w.client, "/redirect/timer?"+to)
		leaves(t, w)
		all(t)
		run.visit(t, w.client, "/order")
	})
	t.Run("click", func(t *testing.T) {
		run.visit(t, w.client, "/redirect/link?"+to)
		result := harness.Ask(t, w.client, "click", harness.Args{"selector": harness.ID("leave")})
		sealed(t, "click", harness.Text(result))
		if failure := harness.Failure(t, "click", result); failure["error"] != "URL_NOT_ALLOWED" {
			t.Errorf("click: %v", failure)
		}
		off(t, "inspect_page", nil)
		run.visit(t, w.client, "/order")
	})
	t.Run("dialog", func(t *testing.T) {
		result := harness.Ask(t, w.client, "navigate", harness.Args{"url": run.site + "/redirect?" + query("to", run.other+"/dialog/onload")})
		sealed(t, "navigate", harness.Text(result))
		sealed(t, "inspect_page", harness.Text(harness.Ask(t, w.client, "inspect_page", nil)))
		w.restart(t)
		run.visit(t, w.client, "/order")
	})
	for _, line := range w.Lines() {
		sealed(t, "the log", line)
	}
}

// leaves waits until the page has gone off the list.
func leaves(t *testing.T, w *stdioWorld) {
	t.Helper()
	answer := ""
	gone := harness.Until(harness.Soon, func() bool {
		answer = harness.Text(harness.Ask(t, w.client, "inspect_page", nil))
		sealed(t, "inspect_page", answer)
		return strings.Contains(answer, "URL_NOT_ALLOWED")
	})
	if !gone {
		t.Errorf("inspect_page still answers %s", answer)
	}
}
