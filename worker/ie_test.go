package worker

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

// TestTwentyRounds searches, picks in a popup that comes late, and registers
// behind a dialog, twenty times in one session.
func TestTwentyRounds(t *testing.T) {
	t.Parallel()
	const rounds = 20
	e := engine{mode: 8}.prepare(t)
	e.set(`"popupDelayMs":3000,"alertDelayMs":200`)
	b := openAt(t, newWorkerWith(t, 1, e.config()))
	p := places(b, e)["plain"]
	known := []string{b.ref.PageID}
	began := time.Now()
	for range rounds {
		p.visit("/customer")
		p.fill(id("customerName"), "山田太郎")
		p.click(id("searchButton"))
		p.wait(api.Visible, id("resultTable"), "")

		p.visit("/popup")
		p.click(id("openPopup"))
		popup := p.newest(known...)
		known = append(known, popup.call.PageID)
		popup.click(id("chooseButton"))
		popup.click(id("closeButton"))
		if got := p.held("chosenCustomer"); got != "山田太郎" {
			t.Fatalf("the popup chose %q", got)
		}

		p.visit("/register?token=rounds")
		p.fill(id("customerName"), "山田太郎")
		if st := p.click(id("registerButton")); st.Dialog == nil || st.Dialog.Message != "登録しますか?" {
			t.Fatalf("%+v", st)
		}
		ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
		ask(b, api.Wait, api.WaitInput{Type: api.TitleHas, Text: "登録完了"})
	}
	if n := b.app.Registrations("rounds"); n != rounds {
		t.Errorf("registered %d times", n)
	}
	t.Logf("%d rounds: %v", rounds, time.Since(began))
}

// TestTypedText types characters that keyboards lack, into plain, masked and
// filtered fields: what the result says stands in the field.
func TestTypedText(t *testing.T) {
	e := engine{mode: 8}.prepare(t)
	b := openAt(t, newWorkerWith(t, 1, e.config()))
	p := places(b, e)["plain"]
	for _, mangled := range []string{"false", "true"} {
		e.set(quickly, `"mangleKeys":`+mangled)
		b.visit("/fields/masked")
		for _, field := range []string{"plain", "limited", "dateMask", "digits", "amount"} {
			for _, text := range []string{"山田太郎", "é", "€", "𠮷", "😀", "1山é2€𠮷😀3"} {
				r := p.fill(id(field), text)
				var holds string
				if err := json.Unmarshal([]byte(b.eval("return document.getElementById('"+field+"').value")), &holds); err != nil {
					t.Fatal(err)
				}
				if r.Differs != (holds != text) || field == "plain" && r.Differs {
					t.Errorf("mangled %s: %s got %s and holds %q: %+v", mangled, field, text, holds, r)
				}
			}
		}
		for _, page := range []string{"/charset/sjis", "/charset/eucjp"} {
			for field, button := range map[string]string{"postText": "postButton", "getText": "getButton"} {
				token, text := api.NewID(), "山田太郎 é € 𠮷 😀 ①"
				b.visit(page + "?token=" + token)
				p.fill(id(field), text)
				p.click(id(button))
				if got := b.app.Received(token); len(got) != 1 || got[0].Get("text") != text {
					t.Errorf("mangled %s: %s %s: the server got %q", mangled, page, field, got)
				}
				if shown := p.inspect().Text; !strings.Contains(shown, text) {
					t.Errorf("%s shows %s", page, shown)
				}
			}
		}
	}
	p.dialogWhileWaiting()
	p.login()
	p.loginThatClosesItself()
}

// dialogWhileWaiting: a wait tells at once of a dialog, which is answered before
// what waits behind it, and nothing is lost.
func (p place) dialogWhileWaiting() {
	t := p.t
	p.visit("/dialog/timer?ms=700")
	loaded := time.Now()
	never := id("never")
	refused(p.browser, api.Wait, api.WaitInput{Type: api.Present, Target: &never}, api.DialogOpen)
	if took := time.Since(loaded); took > 1200*time.Millisecond {
		t.Errorf("told %v after the page was there, %v after the dialog", took, took-700*time.Millisecond)
	}
	answered := time.Now()
	r := ask(p.browser, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	if took := time.Since(answered); took > 500*time.Millisecond || r.Message != "セッションの有効期限が切れました。" || r.URL == "" {
		t.Errorf("after %v: %+v", took, r)
	}
	p.wait(api.TextHas, id("message"), "ログアウトしました")
}

// login: a popup opens the main window and closes itself.
func (p place) login() {
	p.visit("/login/open")
	p.click(id("openLogin"))
	popup := p.newest(p.ref.PageID)
	popup.fill(id("userId"), "yamada")
	if st := popup.click(id("loginButton")); st.URL != "" {
		p.t.Errorf("%+v", st)
	}
	main := p.newest(p.ref.PageID, popup.call.PageID)
	main.wait(api.TextHas, id("user"), "yamada")
	main.click(id("logoutButton"))
	p.inspect()
}

// loginThatClosesItself does so in the only window there is.
func (p place) loginThatClosesItself() {
	p.engine.set(`"popupDelayMs":1500`)
	p.visit("/login")
	p.fill(id("userId"), "yamada")
	p.click(id("loginButton"))
	if r := ask(p.browser, api.SessionEnsure, api.EnsureInput{SessionID: p.ref.SessionID}); !r.Reused {
		p.t.Errorf("a session whose next window is on its way: %+v", r)
	}
	main := p.newest(p.ref.PageID)
	main.wait(api.TextHas, id("user"), "yamada")
}
