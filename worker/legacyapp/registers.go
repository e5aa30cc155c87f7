package legacyapp

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"time"
)

const slowDelay = 5 * time.Second

// form is the data of the pages that submit a token, and of the answers to them.
type form struct {
	Token   string
	DelayMs int64
	Confirm bool
	Count   int
}

func (a *App) registers() {
	a.mux.HandleFunc("GET /register", a.form("/register", 0))
	a.mux.HandleFunc("POST /register", a.submit("/register/done", 0))
	a.mux.HandleFunc("GET /slow/form", a.form("/slow/form", slowDelay))
	a.mux.HandleFunc("POST /slow/form", a.submit("/slow/done", slowDelay))
	a.mux.HandleFunc("GET /register/count", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, a.Registrations(r.FormValue("token")))
	})
}

// Registrations is how often a form with this token was submitted, at /register or at /slow/form. A submission counts
// when it arrives, whether or not it is ever answered.
func (a *App) Registrations(token string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.registrations[token]
}

// SlowAnswers is how many delayed answers were given: those whose client still waited when the delay was over.
func (a *App) SlowAnswers() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.slowAnswers
}

func (a *App) form(path string, missing time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		delay, err := milliseconds(r, "delayMs", missing)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a.render(w, path, form{
			Token:   token(r),
			DelayMs: delay.Milliseconds(),
			Confirm: r.FormValue("confirm") != "no",
		})
	}
}

func (a *App) submit(done string, missing time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		delay, err := milliseconds(r, "delayMs", missing)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		token := r.FormValue("token")
		if token == "" {
			http.Error(w, "token is missing", http.StatusBadRequest)
			return
		}
		a.mu.Lock()
		a.registrations[token]++
		count := a.registrations[token]
		a.mu.Unlock()

		if delay > 0 {
			if !a.hold(r, delay) {
				hangUp(w)
				return
			}
			a.mu.Lock()
			a.slowAnswers++
			a.mu.Unlock()
		}
		a.render(w, done, form{Token: token, Count: count})
	}
}

// token is the one asked for, or a new one.
func token(r *http.Request) string {
	if asked := r.FormValue("token"); asked != "" {
		return asked
	}
	return rand.Text()
}
