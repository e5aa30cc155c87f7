package worker

import (
	"strings"
	"testing"

	"iemesh/api"
)

const keyPage = `<title>keys</title><form action=/ onsubmit="say('submit'); return false"><input id=a value=abc><input id=b><select id=s><option>1<option>2<option>3</select><input type=submit value=go></form>
<button id=ask onclick="say('answer ' + confirm('登録しますか?'))">ask</button><a id=top href=#>x</a><p id=said></p><iframe name=inner srcdoc="<input id=deep><script>document.onkeydown = function (e) { pressed = e.key.toUpperCase() }</script>"></iframe>
<script>function say(s) { document.getElementById('said').innerHTML += s + ' | ' }
document.onkeydown = function (e) { say((e.ctrlKey ? 'C' : '') + (e.shiftKey ? 'S' : '') + (e.altKey ? 'A' : '') + e.keyCode) }</script>`

func TestPress(t *testing.T) {
	b := share(t)
	b.show(keyPage)
	a, field := id("a"), id("b")
	press := func(key string, at *api.Locator) api.PageState {
		t.Helper()
		return ask(b, api.Press, api.PressInput{Key: api.Key(key), Target: at})
	}
	if st := press("Control+A", &a); st.URL == "" || *st.Title != "keys" {
		t.Errorf("%+v", st)
	}
	press("x", nil) // in place of what is selected
	press("Y", nil)
	press("Shift+z", nil)
	press("あ", nil)
	press("+", &a)
	press("Control+End", nil)
	press("Backspace", nil)
	press("Space", nil)
	press("!", nil)
	if got := b.eval("return document.getElementById('a').value"); got != `"xYZあ !"` {
		t.Errorf("the field holds %s", got)
	}
	press("Tab", nil)
	if got := b.eval("return document.activeElement.id"); got != `"b"` {
		t.Errorf("Tab leads to %s", got)
	}
	press("Shift+Tab", &field)
	if got := b.eval("return document.activeElement.id"); got != `"a"` {
		t.Errorf("Shift+Tab leads to %s", got)
	}
	press("Enter", nil)
	s := id("s")
	press("ArrowDown", &s)
	press("ArrowDown", nil)
	if got := b.eval("return document.getElementById('s').value"); got != `"3"` {
		t.Errorf("the select shows %s", got)
	}
	press("Control+Shift+F8", nil)
	press("Alt+F2", &field)
	said := b.eval("return document.getElementById('said').innerHTML")
	for _, part := range []string{"C17 | C65 | 88 |", "88 | 16 | S89 | S16 | S90 |", "| C17 | C35 | 8 | 32 |", "| 9 | S16 | S9 | 13 | submit | 40 | 40 |", "C17 | CS16 | CS119 |", "A18 | A113 |"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in %s", part, said)
		}
	}
	if e := refused(b, api.Press, api.PressInput{Key: "enter"}, api.InvalidArgument); !strings.Contains(e.Message, "Enter, Tab, Escape") {
		t.Error(e)
	}
}

func TestPressOpensADialog(t *testing.T) {
	b := share(t)
	b.show(keyPage)
	button := id("ask")
	for _, at := range []*api.Locator{&button, nil} {
		for _, key := range []api.Key{"Enter", "Space", "Control+Enter"} {
			st := ask(b, api.Press, api.PressInput{Key: key, Target: at})
			if st.Dialog == nil || st.Dialog.Message != "登録しますか?" || st.Loading {
				t.Errorf("%s: %+v", key, st)
			}
			refused(b, api.Press, api.PressInput{Key: "a"}, api.DialogOpen)
			ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
		}
	}
	// No key is held down afterwards, in the whole page.
	b.eval("document.activeElement.blur()")
	ask(b, api.Press, api.PressInput{Key: "z"})
	if said := b.eval("return document.getElementById('said').innerHTML"); !strings.HasSuffix(said, ` | 90 | "`) {
		t.Errorf("with nothing in focus: %s", said)
	}
	a := id("a")
	ask(b, api.Click, api.ClickInput{Target: a})
	ask(b, api.Press, api.PressInput{Key: "q"})
	ask(b, api.Press, api.PressInput{Key: "r", Target: &a})
	if got := b.eval("return document.getElementById('a').value"); !strings.Contains(got, "q") || !strings.Contains(got, "r") {
		t.Errorf("the field holds %s", got)
	}
}

func TestPressReloads(t *testing.T) {
	b := share(t)
	b.show(keyPage)
	a := id("a")
	for _, at := range []*api.Locator{nil, &a} {
		b.eval("window.old = true")
		if st := ask(b, api.Press, api.PressInput{Key: "F5", Target: at}); *st.Title != "keys" || st.Loading {
			t.Errorf("%+v", st)
		}
		if got := b.eval("return window.old === undefined"); got != "true" {
			t.Error("F5 does not reload")
		}
	}
}

// Without an element the key goes where the focus is, in a frame too.
func TestPressInAFrame(t *testing.T) {
	b := share(t)
	b.show(keyPage)
	frame := api.Frames{{By: api.ByName, Value: "inner"}}
	deep := id("deep")
	ask(b, api.Fill, api.FillInput{Target: deep, Frame: frame, Text: "abc"})
	ask(b, api.Press, api.PressInput{Key: "d"})
	ask(b, api.Press, api.PressInput{Key: "e", Target: &deep, Frame: frame})
	if got := b.eval("return window.frames[0].document.getElementById('deep').value"); got != `"abcde"` {
		t.Errorf("the field in the frame holds %s", got)
	}
	a := id("a")
	ask(b, api.Click, api.ClickInput{Target: a})
	ask(b, api.Press, api.PressInput{Key: "f", Frame: frame}) // the click took the focus from the field in there
	if got := b.eval("return window.frames[0].pressed + document.getElementById('a').value"); got != `"Fabc"` {
		t.Errorf("the key went to %s", got)
	}
	b.call.Policy.Origins = []string{"http://elsewhere.invalid"}
	refused(b, api.Press, api.PressInput{Key: "d"}, api.URLNotAllowed)
}
