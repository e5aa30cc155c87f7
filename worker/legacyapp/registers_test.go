package legacyapp

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"
)

// values are what a browser would submit with the form.
func values(root *html.Node) url.Values {
	v := url.Values{}
	for _, input := range elements(root, "input", "", "") {
		v.Set(attribute(input, "name"), attribute(input, "value"))
	}
	return v
}

func TestRegister(t *testing.T) {
	app := New()
	first := values(page(t, app, "/register", "顧客登録"))
	if second := values(page(t, app, "/register", "顧客登録")); first.Get("token") == "" || first.Get("token") == second.Get("token") {
		t.Error("a form's token is empty or that of another form")
	}
	for count, shown := range []string{"1", "2"} {
		done := document(t, request(app, "POST", "/register", first), "登録完了")
		if text(byID(t, done, "message")) != "登録しました" || text(byID(t, done, "count")) != shown {
			t.Errorf("submission %s shows something else", shown)
		}
		if got := app.Registrations(first.Get("token")); got != count+1 {
			t.Errorf("%d registrations, want %d", got, count+1)
		}
	}
	if got := request(app, "GET", "/register/count?"+first.Encode(), nil).Body.String(); got != "2" {
		t.Errorf("/register/count answers %q", got)
	}
	if got := request(app, "GET", "/register/count?token=other", nil).Body.String(); got != "0" || app.Registrations("other") != 0 {
		t.Error("an unknown token was counted")
	}
	if app.SlowAnswers() != 0 {
		t.Error("an answer without delay counts as slow")
	}
}

func TestRegisterRefuses(t *testing.T) {
	app := New()
	for _, form := range []url.Values{{}, {"token": {"x"}, "delayMs": {"-1"}}, {"token": {"x"}, "delayMs": {"60001"}}} {
		if got := request(app, "POST", "/register", form).Code; got != 400 {
			t.Errorf("%v answers %d", form, got)
		}
	}
	if app.Registrations("x") != 0 || app.Registrations("") != 0 {
		t.Error("a refused submission was counted")
	}
}

func TestRegisterVariants(t *testing.T) {
	app := New()
	asks := byID(t, page(t, app, "/register?token=x", "顧客登録"), "registerButton")
	if attribute(asks, "onclick") != "return confirm('登録しますか?')" || attribute(asks, "type") != "submit" {
		t.Error("registerButton does not ask")
	}
	root := page(t, app, "/register?token=x&confirm=no&delayMs=70", "顧客登録")
	if attribute(byID(t, root, "registerButton"), "onclick") != "" {
		t.Error("registerButton asks although confirm=no")
	}
	if got := values(root); got.Get("token") != "x" || got.Get("delayMs") != "70" {
		t.Errorf("the form submits %v", got)
	}
}

func TestDelayedAnswerCountsFirst(t *testing.T) {
	for _, c := range []struct {
		path, delayMs, title string
		delay                time.Duration
	}{
		{"/slow/form", "", "受付完了", 5 * time.Second},
		{"/slow/form", "700", "受付完了", 700 * time.Millisecond},
		{"/register", "700", "登録完了", 700 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			app := New()
			root := document(t, request(app, "GET", c.path+"?token=x&delayMs="+c.delayMs, nil),
				strings.NewReplacer("受付完了", "受付", "登録完了", "顧客登録").Replace(c.title))
			began := time.Now()
			done := make(chan *httptest.ResponseRecorder, 1)
			go func() { done <- request(app, "POST", c.path, values(root)) }()
			synctest.Wait()
			if app.Registrations("x") != 1 || app.Held() != 1 || app.SlowAnswers() != 0 {
				t.Error("the submission was not counted at once, or was answered at once")
			}
			document(t, <-done, c.title)
			if got := time.Since(began); got != c.delay {
				t.Errorf("answered after %v, want %v", got, c.delay)
			}
			if app.Held() != 0 || app.SlowAnswers() != 1 || app.Registrations("x") != 1 {
				t.Error("the counters are wrong after the answer")
			}
		})
	}
}

func TestAbandonedAnswerIsStillCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := New()
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", "/slow/form?token=x", nil)
		go app.ServeHTTP(httptest.NewRecorder(), r)
		synctest.Wait()
		leave()
		synctest.Wait()
		if app.Registrations("x") != 1 || app.SlowAnswers() != 0 || app.Held() != 0 {
			t.Error("an abandoned submission is not counted once, or counts as answered")
		}
	})
}
