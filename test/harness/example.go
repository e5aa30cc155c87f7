package harness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Example is §9 of ie-mode-mcp: search a customer, open the details. Site is where the
// legacy application is, http://host:port.
func Example(t testing.TB, client *mcp.ClientSession, engine, site string) {
	t.Helper()
	do := func(tool string, args Args) map[string]any {
		t.Helper()
		return Do(t, client, tool, args)
	}
	has := func(step string, result map[string]any, field string, want any) {
		t.Helper()
		if got := result[field]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s is %v, want %v in %v", step, field, got, want, result)
		}
	}

	started := do("browser_start", nil)
	has("browser_start", started, "status", "ready")
	has("browser_start", started, "engine", engine)
	for _, field := range []string{"sessionId", "pageId"} {
		if id, _ := started[field].(string); id == "" {
			t.Errorf("browser_start: no %s in %v", field, started)
		}
	}
	has("second browser_start", do("browser_start", nil), "reused", true)

	at := do("navigate", Args{"url": site + "/customer"})
	has("navigate", at, "url", site+"/customer")
	has("navigate", at, "title", "顧客検索")

	seen := do("inspect_page", nil)
	has("inspect_page", seen, "url", site+"/customer")
	has("inspect_page", seen, "title", "顧客検索")
	has("inspect_page", seen, "truncated", false)
	has("inspect_page", seen, "totalElements", 4)
	if text := Words(fmt.Sprint(seen["text"])); text != "顧客検索 顧客名 支店 検索" {
		t.Errorf("inspect_page: the text is %q", text)
	}
	elements, _ := seen["elements"].([]any)
	if len(elements) != 4 {
		t.Fatalf("inspect_page: %d elements in %v", len(elements), seen)
	}
	for i, want := range []map[string]any{
		{"tag": "input", "id": "customerName", "name": "customerName", "type": "text", "label": "顧客名"},
		{"tag": "select", "id": "branch", "name": "branch", "text": "東京支店", "optionCount": 12},
		{"tag": "button", "id": "searchButton", "text": "検索"},
		{"tag": "iframe", "name": "mainFrame"},
	} {
		element, _ := elements[i].(map[string]any)
		for field, value := range want {
			has(fmt.Sprint("element ", i), element, field, value)
		}
	}

	typed := do("type", Args{"selector": ID("customerName"), "text": "山田太郎"})
	has("type", typed, "status", "ok")
	has("type", typed, "title", "顧客検索")
	if method := typed["method"]; method != "keys" && method != "script" {
		t.Errorf("type: the method is %v", method)
	}
	if _, differs := typed["differs"]; differs {
		t.Errorf("type: the text differs: %v", typed)
	}
	chosen := do("select", Args{"selector": ID("branch"), "by": "text", "value": "東京支店"})
	has("select", chosen, "text", "東京支店")
	has("select", chosen, "value", "13")
	has("select", chosen, "index", 2)

	clicked := do("click", Args{"selector": ID("searchButton")})
	// The old page or the new one: a click does not wait for a navigation that has not begun.
	if title := fmt.Sprint(clicked["title"]); title != "顧客検索" && title != "顧客検索結果" {
		t.Errorf("click: %v", clicked)
	}
	waited := do("wait_for", Args{"type": "visible", "selector": ID("resultTable")})
	has("wait_for", waited, "type", "visible")
	has("wait_for", waited, "title", "顧客検索結果")
	if _, told := waited["waitedMs"]; !told {
		t.Errorf("wait_for: no waitedMs in %v", waited)
	}
	if found := do("inspect_page", nil); !strings.Contains(Words(fmt.Sprint(found["text"])), "1 件見つかりました") {
		t.Errorf("the search found %v", found)
	}
	do("click", Args{"selector": By("linkText", "山田太郎")})
	has("wait_for", do("wait_for", Args{"type": "title", "text": "顧客詳細"}), "title", "顧客詳細")
	detail := do("inspect_page", nil)
	has("details", detail, "title", "顧客詳細")
	if !strings.Contains(Words(fmt.Sprint(detail["text"])), "東京都千代田区一番町一丁目1-1") {
		t.Errorf("details: %v", detail)
	}
}

// Words is a text with its white space made even.
func Words(text string) string { return strings.Join(strings.Fields(text), " ") }
