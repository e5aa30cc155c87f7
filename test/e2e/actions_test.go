package e2e

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/test/harness"
)

// value is what a field of the page holds.
func value(t *testing.T, w *stdioWorld, id string) string {
	t.Helper()
	elements, _ := harness.Do(t, w.client, "inspect_page", nil)["elements"].([]any)
	for _, e := range elements {
		if element, _ := e.(map[string]any); element["id"] == id {
			return fmt.Sprint(element["value"])
		}
	}
	t.Fatalf("no field %s", id)
	return ""
}

func TestTyping(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/fields")
	for _, c := range []struct {
		id, text string
		more     bool // append
		holds    string
		differs  bool
	}{
		{id: "plain", text: "abc", holds: "abc"},
		{id: "plain", text: "def", more: true, holds: "abcdef"},
		{id: "plain", text: "山田太郎 ①〜－", holds: "山田太郎 ①〜－"},
		{id: "plain", text: "𠮷野家", holds: "𠮷野家"},
		{id: "preset", text: "新しい値", holds: "新しい値"},
		{id: "preset", text: "", holds: "<nil>"},
		{id: "five", text: "1234567", holds: "12345", differs: true},
		{id: "upper", text: "shout", holds: "SHOUT", differs: true},
		{id: "memo", text: "一行目\n二行目", holds: "一行目\n二行目"},
		{id: "number", text: "42", holds: "42"},
	} {
		result := harness.Do(t, w.client, "type", harness.Args{"selector": harness.ID(c.id), "text": c.text, "clear": !c.more})
		if result["status"] != "ok" || (result["differs"] == true) != c.differs {
			t.Errorf("%s %q: %v, differs should be %t", c.id, c.text, result, c.differs)
		}
		if got := value(t, w, c.id); got != c.holds {
			t.Errorf("%s holds %q after %q, want %q", c.id, got, c.text, c.holds)
		}
	}
	harness.Refused(t, w.client, "type", harness.Args{"selector": harness.ID("plain"), "text": "a\nb"}, "INVALID_ARGUMENT")
	for _, id := range []string{"locked", "off", "secret"} {
		harness.Refused(t, w.client, "type", harness.Args{"selector": harness.ID(id), "text": "x", "timeoutMs": 300}, "ELEMENT_NOT_INTERACTABLE")
	}
}

func TestChoosing(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/fields")
	for _, c := range []struct {
		by          string
		value       any
		text, chose string
		index       float64
	}{
		{"text", "大阪", "大阪", "osaka", 3},
		{"value", "tokyo", "東京", "tokyo", 2},
		{"index", 4, "福岡", "fukuoka", 4},
		{"index", "1", "札幌", "sapporo", 1},
		{"value", "", "選択してください", "", 0},
	} {
		result := harness.Do(t, w.client, "select", harness.Args{"selector": harness.ID("area"), "by": c.by, "value": c.value})
		if result["text"] != c.text || result["value"] != c.chose || result["index"] != c.index {
			t.Errorf("by %s %v: %v", c.by, c.value, result)
		}
	}
	for by, value := range map[string]any{"text": "名古屋", "value": "nagoya", "index": 5} {
		harness.Refused(t, w.client, "select", harness.Args{"selector": harness.ID("area"), "by": by, "value": value, "timeoutMs": 300}, "ELEMENT_NOT_FOUND")
	}
	harness.Refused(t, w.client, "select", harness.Args{"selector": harness.ID("area"), "by": "index", "value": "first"}, "INVALID_ARGUMENT")
	// A choice that moves to another page.
	moved := harness.Do(t, w.client, "select", harness.Args{"selector": harness.ID("jump"), "by": "text", "value": "一覧"})
	if moved["text"] != "一覧" {
		t.Errorf("the choice: %v", moved)
	}
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "url", "text": "picked=list"})
}

func TestClickingWhatIsNotReady(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/obscured")
	failure := harness.Refused(t, w.client, "click", harness.Args{"selector": harness.ID("target"), "timeoutMs": 500}, "ELEMENT_NOT_INTERACTABLE")
	if message := fmt.Sprint(failure["message"]); !strings.Contains(message, "cover") {
		t.Errorf("what covers the element is not named: %s", message)
	}
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("uncover")})
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("target")})
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "text", "selector": harness.ID("result"), "text": "実行しました"})

	// A click waits for its element.
	run.visit(t, w.client, "/late?ms=400")
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("lateButton")})
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "text", "selector": harness.ID("result"), "text": "印刷しました"})

	failure = harness.Refused(t, w.client, "click", harness.Args{"selector": harness.ID("nowhere"), "timeoutMs": 300}, "ELEMENT_NOT_FOUND")
	if failure["message"] != "Element was not found: id=nowhere" || fmt.Sprint(failure["selector"]) != "map[by:id value:nowhere]" {
		t.Errorf("%v", failure)
	}
	harness.Refused(t, w.client, "click", harness.Args{"selector": harness.By("css", ":::"), "timeoutMs": 300}, "INVALID_ARGUMENT")
	harness.Refused(t, w.client, "click", harness.Args{"selector": harness.By("xpath", "//["), "timeoutMs": 300}, "INVALID_ARGUMENT")
	harness.Refused(t, w.client, "inspect_page", harness.Args{"frame": harness.By("name", "nowhere"), "timeoutMs": 300}, "ELEMENT_NOT_FOUND")
}

func TestWaiting(t *testing.T) {
	w := open(t)
	button, status := harness.ID("lateButton"), harness.ID("status")
	for _, c := range []harness.Args{
		{"type": "enabled", "selector": button},
		{"type": "visible", "selector": harness.ID("appear")},
		{"type": "gone", "selector": harness.ID("vanish")},
		{"type": "text", "selector": status, "text": "集計済み"},
	} {
		run.visit(t, w.client, "/late?ms=400")
		result := harness.Do(t, w.client, "wait_for", c)
		if waited, _ := result["waitedMs"].(float64); result["type"] != c["type"] || waited <= 0 || waited > 3000 {
			t.Errorf("%v: %v", c, result)
		}
	}
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "present", "selector": button})
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "ready"})
	spent := took(func() {
		harness.Refused(t, w.client, "wait_for", harness.Args{"type": "visible", "selector": harness.ID("vanish"), "timeoutMs": 500}, "TIMEOUT")
	})
	if spent < 500*time.Millisecond || spent > 1100*time.Millisecond {
		t.Errorf("a limit of 500 ms took %v", spent)
	}
	for _, c := range []harness.Args{{"type": "visible"}, {"type": "title"}, {"type": "text", "selector": status}, {"type": "magic"}} {
		harness.Refused(t, w.client, "wait_for", c, "INVALID_ARGUMENT")
	}
}

func TestFrames(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/frames/nested")
	deep := []harness.Args{harness.By("name", "outer"), harness.By("css", "iframe[name=middle]"), harness.By("xpath", "//iframe")}
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("deep"), "frame": deep})
	seen := harness.Do(t, w.client, "inspect_page", harness.Args{"frame": deep})
	if !strings.Contains(words(seen["text"]), "押されました") {
		t.Errorf("the innermost frame: %v", seen)
	}
	// Nothing of a frame is left for the next call.
	harness.Refused(t, w.client, "click", harness.Args{"selector": harness.ID("deep"), "timeoutMs": 300}, "ELEMENT_NOT_FOUND")

	run.visit(t, w.client, "/frameset")
	top := harness.Do(t, w.client, "inspect_page", nil)
	if elements, _ := top["elements"].([]any); len(elements) != 2 || !strings.Contains(fmt.Sprint(elements), "tag:frame") {
		t.Errorf("a frameset: %v", top)
	}
	for _, name := range []string{"menu", "main"} {
		if frame := harness.Do(t, w.client, "inspect_page", harness.Args{"frame": harness.By("name", name)}); frame["title"] == top["title"] {
			t.Errorf("frame %s: %v", name, frame)
		}
	}
}

func TestPopup(t *testing.T) {
	w := open(t)
	at := run.visit(t, w.client, "/popup")
	clicked := harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("openPopup")})
	popup := harness.Do(t, w.client, "switch_window", harness.Args{"target": "newest"})
	if popup["url"] != run.site+"/popup/detail" || popup["windowCount"] != 2.0 {
		t.Errorf("the popup: %v", popup)
	}
	if windows := fmt.Sprint(clicked["newWindows"]); !strings.Contains(windows, fmt.Sprint(popup["pageId"])) {
		t.Errorf("the click told of %v, the popup is %v", windows, popup)
	}
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("chooseButton")})
	harness.Refused(t, w.client, "switch_window", harness.Args{"target": "newest", "index": 0}, "INVALID_ARGUMENT")
	back := harness.Do(t, w.client, "switch_window", harness.Args{"index": 0})
	if back["url"] != at["url"] {
		t.Errorf("back: %v", back)
	}
	if chosen := value(t, w, "chosenCustomer"); chosen == "<nil>" {
		t.Error("the popup wrote nothing into its opener")
	}
	harness.Do(t, w.client, "switch_window", harness.Args{"index": popup["index"]})
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("closeButton")})
	harness.Refused(t, w.client, "inspect_page", nil, "WINDOW_NOT_FOUND")
	if back := harness.Do(t, w.client, "switch_window", harness.Args{"index": 0}); back["windowCount"] != 1.0 {
		t.Errorf("back again: %v", back)
	}
}

func TestScreenshot(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/customer")
	result := harness.Ask(t, w.client, "screenshot", nil)
	said, _ := result.StructuredContent.(map[string]any)
	for _, content := range result.Content {
		image, ok := content.(*mcp.ImageContent)
		if !ok {
			continue
		}
		shape, err := png.DecodeConfig(bytes.NewReader(image.Data))
		if err != nil || image.MIMEType != "image/png" {
			t.Fatalf("%s: %v", image.MIMEType, err)
		}
		want := map[string]any{"mimeType": "image/png", "width": shape.Width, "height": shape.Height, "bytes": len(image.Data)}
		if fmt.Sprint(said) != fmt.Sprint(want) {
			t.Errorf("the screenshot is %v, and said to be %v", want, said)
		}
		return
	}
	t.Errorf("no image in %s", harness.Text(result))
}

func TestNavigationThatFails(t *testing.T) {
	w := open(t)
	nobody, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	failure := harness.Refused(t, w.client, "navigate", harness.Args{"url": "http://" + nobody + "/"}, "NAVIGATION_FAILED")
	if reason, _ := failure["reason"].(string); reason == "" {
		t.Errorf("no reason: %v", failure)
	}
	run.visit(t, w.client, "/order")
}
