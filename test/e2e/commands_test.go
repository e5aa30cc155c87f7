package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"iemesh/test/harness"
)

// commands are those that the driver got while do ran. Time-outs are apart:
// they are not counted, but may be set at most once.
func (w *stdioWorld) commands(t *testing.T, do func()) (commands []string, timeouts int) {
	t.Helper()
	before := w.logged(t)
	do()
	for _, line := range w.logged(t)[len(before):] {
		switch {
		case strings.HasSuffix(line, "/timeouts"):
			timeouts++
		case strings.Contains(line, "/session/"):
			commands = append(commands, line[:strings.Index(line, " ")+1]+after(line))
		}
	}
	return commands, timeouts
}

func (w *stdioWorld) logged(t *testing.T) []string {
	t.Helper()
	log, err := os.ReadFile(w.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
}

// after is what follows the session in the path of a command.
func after(line string) string {
	_, rest, _ := strings.Cut(line, "/session/")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}

func TestCommandsPerTool(t *testing.T) {
	w := open(t)
	field := harness.ID("customerName")
	inFrame := func(names ...string) any {
		var frames []harness.Args
		for _, name := range names {
			frames = append(frames, harness.By("name", name))
		}
		return frames
	}
	run.visit(t, w.client, "/order") // a warm browser, and a page unlike the next
	// An xpath costs one more, a level of frames two, the way back to the top one.
	for _, c := range []struct {
		name, tool string
		args       harness.Args
		page       string // where to be before; "" = stay
		most       int
	}{
		{"navigate", "navigate", harness.Args{"url": run.site + "/customer"}, "", 3},
		{"inspect_page", "inspect_page", nil, "", 1},
		{"click", "click", harness.Args{"selector": field}, "", 4},
		{"click by xpath", "click", harness.Args{"selector": harness.By("xpath", "//input[@id='customerName']")}, "", 5},
		{"click by css", "click", harness.Args{"selector": harness.By("css", "#customerName")}, "", 4},
		{"type", "type", harness.Args{"selector": field, "text": "abc"}, "", 4},
		{"type beyond ASCII", "type", harness.Args{"selector": field, "text": "山田太郎"}, "", 4},
		{"type more", "type", harness.Args{"selector": field, "text": "x", "clear": false}, "", 4},
		{"type by xpath", "type", harness.Args{"selector": harness.By("xpath", "//input[@id='customerName']"), "text": "abc"}, "", 5},
		{"select", "select", harness.Args{"selector": harness.ID("branch"), "by": "value", "value": "27"}, "", 4},
		{"select by xpath", "select", harness.Args{"selector": harness.By("xpath", "//select"), "by": "index", "value": 3}, "", 5},
		{"wait_for present", "wait_for", harness.Args{"type": "present", "selector": field}, "", 1},
		{"wait_for visible", "wait_for", harness.Args{"type": "visible", "selector": field}, "", 1},
		{"wait_for enabled", "wait_for", harness.Args{"type": "enabled", "selector": field}, "", 1},
		{"wait_for text", "wait_for", harness.Args{"type": "text", "selector": harness.ID("searchButton"), "text": "検索"}, "", 1},
		{"wait_for title", "wait_for", harness.Args{"type": "title", "text": "顧客"}, "", 1},
		{"wait_for url", "wait_for", harness.Args{"type": "url", "text": "/customer"}, "", 1},
		{"wait_for gone", "wait_for", harness.Args{"type": "gone", "selector": harness.ID("nowhere")}, "", 1},
		{"wait_for xpath", "wait_for", harness.Args{"type": "visible", "selector": harness.By("xpath", "//button")}, "", 2},
		{"inspect_page in a frame", "inspect_page", harness.Args{"frame": harness.By("name", "mainFrame")}, "", 1 + 2},
		{"inspect_page back at the top", "inspect_page", nil, "", 1 + 1},
		{"click in a frame", "click", harness.Args{"selector": harness.ID("searchButton"), "frame": harness.By("name", "mainFrame")}, "", 4 + 2 + 1},
		{"click back at the top", "click", harness.Args{"selector": field}, "", 4 + 1},
		{"click three frames down", "click", harness.Args{"selector": harness.ID("deep"), "frame": inFrame("outer", "middle", "inner")}, "/frames/nested", 4 + 3*2 + 1},
		{"the same again", "click", harness.Args{"selector": harness.ID("deep"), "frame": inFrame("outer", "middle", "inner")}, "", 4 + 3*2 + 1},
		{"screenshot", "screenshot", nil, "/customer", 1},
		{"click that opens another page", "click", harness.Args{"selector": harness.ID("searchButton")}, "/customer", 4},
		{"click by linkText", "click", harness.Args{"selector": harness.By("linkText", "検索へ戻る")}, "", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.page != "" {
				run.visit(t, w.client, c.page)
			}
			check(t, w, c.tool, c.args, c.most)
		})
	}
}

func TestScreenshotUnderAListLooksWhereItIs(t *testing.T) {
	w := listed(t)
	run.visit(t, w.client, "/customer")
	check(t, w, "screenshot", nil, 2)
}

func check(t *testing.T, w *stdioWorld, tool string, args harness.Args, most int) {
	t.Helper()
	commands, timeouts := w.commands(t, func() { harness.Ask(t, w.client, tool, args) })
	if len(commands) > most {
		t.Errorf("%d commands, at most %d are allowed: %q", len(commands), most, commands)
	}
	if timeouts > 1 {
		t.Errorf("the limits were set %d times", timeouts)
	}
	if result := harness.Ask(t, w.client, "wait_for", harness.Args{"type": "url", "text": "/"}); result.IsError {
		t.Errorf("afterwards: %s", harness.Text(result))
	}
}

// An unchanged limit is not sent again.
func TestLimitsAreSentOnceForManyCalls(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/customer")
	press := func() { harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("customerName")}) }
	press()
	commands, timeouts := w.commands(t, func() {
		for range 5 {
			press()
		}
	})
	if timeouts > 0 {
		t.Errorf("five more clicks set the limits %d times; commands: %q", timeouts, slices.Compact(commands))
	}
}
