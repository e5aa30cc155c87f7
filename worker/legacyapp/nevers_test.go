package legacyapp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func held() []string {
	return []string{"GET /never/half", "GET /never/silent", "POST /slow/form?token=x&delayMs=60000", "POST /register?token=x&delayMs=60000"}
}

// hold sends each of held to app under ctx and tells on the channel how long each was held.
func hold(ctx context.Context, app *App) <-chan time.Duration {
	done := make(chan time.Duration, len(held()))
	for _, what := range held() {
		method, target, _ := strings.Cut(what, " ")
		go func() {
			began := time.Now()
			app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, target, nil))
			done <- time.Since(began)
		}()
	}
	return done
}

func TestHeldRequestsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(app *App, leave func())
		want time.Duration
	}{
		"when the client leaves":    {func(_ *App, leave func()) { leave() }, 0},
		"when the app is closed":    {func(app *App, _ func()) { app.Close(); app.Close() }, 0},
		"at last in any case":       {func(*App, func()) {}, Longest},
		"however late the close is": {func(app *App, _ func()) { time.AfterFunc(9*time.Second, app.Close) }, 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				app := New()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				done := hold(ctx, app)
				synctest.Wait()
				if got := app.Held(); got != len(held()) {
					t.Fatalf("%d requests are held, want %d", got, len(held()))
				}
				c.end(app, leave)
				for range held() {
					if got := <-done; got != c.want {
						t.Errorf("held for %v, want %v", got, c.want)
					}
				}
				if app.Held() != 0 {
					t.Error("something is still held")
				}
			})
		})
	}
}

func TestClosedAppHoldsNothing(t *testing.T) {
	app := New()
	app.Close()
	done := hold(t.Context(), app)
	for range held() {
		<-done
	}
	page(t, app, "/order", "順序の確認")
}

// Over real sockets: what a client sees of a held answer, and that the server can shut down.
func TestCloseReleasesConnections(t *testing.T) {
	app := New()
	server := httptest.NewServer(app)
	client := server.Client()

	half, err := client.Get(server.URL + "/never/half")
	if err != nil {
		t.Fatal(err)
	}
	defer half.Body.Close()
	if half.ContentLength >= 0 {
		t.Error("/never/half tells its length")
	}
	part := make([]byte, 4096)
	n, err := io.ReadAtLeast(half.Body, part, 512)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>途中の画面</title>", "ここまで表示されています。"} {
		if !strings.Contains(string(part[:n]), want) {
			t.Errorf("the first half lacks %q", want)
		}
	}

	silent := make(chan error, 1)
	go func() {
		r, err := client.Get(server.URL + "/never/silent")
		if err == nil {
			r.Body.Close()
		}
		silent <- err
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for app.Held() < 2 {
		<-tick.C
	}

	app.Close()
	if _, err := io.ReadAll(half.Body); err == nil {
		t.Error("/never/half came to an orderly end")
	}
	if <-silent == nil {
		t.Error("/never/silent was answered")
	}
	server.Close()
	if app.Held() != 0 {
		t.Error("something is still held")
	}
}

// A browser that goes away while its answer is delayed must free the handler.
func TestLostConnectionIsNoticed(t *testing.T) {
	app := New()
	server := httptest.NewServer(app)
	defer server.Close()
	defer app.Close()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/slow/form", strings.NewReader("token=x&delayMs=60000"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	done := make(chan error, 1)
	go func() {
		answer, err := server.Client().Do(r)
		if err == nil {
			answer.Body.Close()
		}
		done <- err
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for app.Held() == 0 {
		<-tick.C
	}
	leave()
	if <-done == nil {
		t.Error("the delayed answer came at once")
	}
	for app.Held() > 0 {
		<-tick.C
	}
	if app.Registrations("x") != 1 || app.SlowAnswers() != 0 {
		t.Error("the abandoned submission is not counted once")
	}
}

func TestNeverPages(t *testing.T) {
	app := New()
	root := page(t, app, "/never/links", "応答のない画面")
	for id, want := range map[string]string{"half": "/never/half", "silent": "/never/silent", "image": "/never/image"} {
		if got := attribute(byID(t, root, id), "href"); got != want {
			t.Errorf("%s leads to %s", id, got)
		}
		if got := attribute(byID(t, root, id+"Button"), "onclick"); got != "location.href='"+want+"'" {
			t.Errorf("%sButton does %q", id, got)
		}
	}
	if got := attribute(byID(t, page(t, app, "/never/image", "画像待ち"), "chart"), "src"); got != "/never/silent" {
		t.Errorf("the image is %s", got)
	}
}
