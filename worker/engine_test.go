package worker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"iemesh/api"
	"iemesh/worker/driver"
)

// programs is a folder for what the tests build, which TestMain removes.
var programs string

var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-o", programs, "iemesh/worker/iedriversim", "iemesh/test/countdriver").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// engine is a driver in a folder of its own, behind a program that counts its
// commands: chromedriver, or the look-alike of IEDriverServer in a document mode.
type engine struct {
	t      *testing.T
	name   string
	mode   int // 0 = Chromium
	folder string
}

func engines() []engine {
	return []engine{{name: "chromium"}, {name: "mode 5", mode: 5}, {name: "mode 8", mode: 8}, {name: "mode 11", mode: 11}}
}

// quickly are settings of the look-alike for tests that are not about time.
const quickly = `"popupDelayMs":300,"findMissMs":50,"unknownHandleMs":50`

func (e engine) prepare(t *testing.T) engine {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	e.t = t
	var err error
	if e.folder, err = os.MkdirTemp(programs, "engine"); err != nil { // not where sessions have their folders: what they leave is counted
		t.Fatal(err)
	}
	path := "chromedriver"
	if e.mode > 0 {
		path = filepath.Join(e.folder, "IEDriverServer")
		if err := os.Symlink(filepath.Join(programs, "iedriversim"), path); err != nil {
			t.Fatal(err)
		}
		e.set(quickly)
	}
	if err := os.Link(filepath.Join(programs, "countdriver"), filepath.Join(e.folder, "countdriver")); err != nil {
		t.Fatal(err)
	}
	e.write("driver.path", path)
	return e
}

func (e engine) write(name, content string) {
	e.t.Helper()
	fresh := filepath.Join(e.folder, name+".new") // a driver reads it before every command
	if err := os.WriteFile(fresh, []byte(content), 0o600); err != nil {
		e.t.Fatal(err)
	}
	if err := os.Rename(fresh, filepath.Join(e.folder, name)); err != nil {
		e.t.Fatal(err)
	}
}

// set changes the faults of the look-alike, given as members of a JSON object.
func (e engine) set(faults ...string) {
	e.t.Helper()
	e.write("iedriversim.json", fmt.Sprintf(`{"documentMode":%d,"faults":{%s}}`, e.mode, strings.Join(faults, ",")))
}

func (e engine) config() driver.Config {
	c := driver.Config{Engine: "chromium", Headless: "true", DriverPath: filepath.Join(e.folder, "countdriver")}
	if e.mode > 0 {
		c.Engine = "ie"
	}
	return c
}

// commands are those that the driver was sent so far, but for changes of its limits.
func (e engine) commands() []string {
	e.t.Helper()
	content, err := os.ReadFile(filepath.Join(e.folder, "countdriver.log"))
	if err != nil {
		e.t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(content)), "\n"), func(line string) bool {
		return strings.HasSuffix(line, "/timeouts")
	})
}

// place is where in a browser the pages of the application are shown.
type place struct {
	*browser
	engine engine
	differ []string // as runtime_info tells
	prefix string   // of a page's path
	frame  api.Frames
}

func named(name string) api.Locator { return api.Locator{By: api.ByName, Value: name} }

// places are the top document, the frame of a frameset, and that of a frameset in another's frame.
func places(b *browser, e engine) map[string]place {
	differ := ask(b, api.Runtime, api.Empty{}).Differences
	return map[string]place{
		"plain":    {b, e, differ, "", nil},
		"frameset": {b, e, differ, "/frameset/search?page=", api.Frames{named("main")}},
		"twice":    {b, e, differ, "/frameset/twice?page=", api.Frames{named("work"), named("main")}},
	}
}

// in is p for a subtest.
func (p place) in(t *testing.T) place {
	b := *p.browser
	b.t, p.browser = t, &b
	return p
}

func (p place) differs(d driver.Difference) bool { return slices.Contains(p.differ, string(d)) }

func (p place) click(at api.Locator) api.PageState {
	p.t.Helper()
	return ask(p.browser, api.Click, api.ClickInput{Target: at, Frame: p.frame})
}

func (p place) fill(at api.Locator, text string) api.FillResult {
	p.t.Helper()
	return ask(p.browser, api.Fill, api.FillInput{Target: at, Frame: p.frame, Text: text})
}

func (p place) wait(kind api.Condition, at api.Locator, text string) {
	p.t.Helper()
	ask(p.browser, api.Wait, api.WaitInput{Type: kind, Target: &at, Frame: p.frame, Text: text})
}

func (p place) inspect() api.InspectResult {
	p.t.Helper()
	return ask(p.browser, api.Inspect, api.InspectInput{Frame: p.frame})
}

// held is what the field of that id holds, as inspecting tells.
func (p place) held(id string) string {
	p.t.Helper()
	for _, e := range p.inspect().Elements {
		if e.ID == id {
			return e.Value
		}
	}
	p.t.Fatalf("there is no field %s", id)
	return ""
}

// newest switches to a window that is not one of known.
func (p place) newest(known ...string) place {
	p.t.Helper()
	b := *p.browser
	b.call.PageID = ask(p.browser, api.PageFind, api.PageFindInput{Newest: true, Known: known}).PageID
	p.browser, p.frame, p.prefix = &b, nil, ""
	return p
}
