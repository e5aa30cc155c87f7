package legacyapp

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

func (a *App) fields() {
	a.mux.HandleFunc("GET /fields", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, "/fields", r.FormValue("picked"))
	})
	a.timed("/fields/masked", 300*time.Millisecond)
	a.mux.HandleFunc("GET /fields/form", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, "/fields/form", struct {
			Token    string
			Branches []branch
		}{token(r), branches()})
	})
	a.mux.HandleFunc("POST /fields/form", func(w http.ResponseWriter, r *http.Request) {
		values, count, ok := a.receive(w, r, func(s string) string { return s })
		if ok {
			a.render(w, "/fields/saved", struct {
				Count  int
				Values url.Values
			}{count, values})
		}
	})
}

// Received are the forms that were submitted with this token at /fields/form or at a /charset page, in order of
// arrival: their values as text, whatever the charset, without the token.
func (a *App) Received(token string) []url.Values {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.received[token])
}

// receive keeps a submitted form and tells how many came with its token. Where it refuses, it has answered.
func (a *App) receive(w http.ResponseWriter, r *http.Request, decode func(string) string) (url.Values, int, bool) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read", http.StatusBadRequest)
		return nil, 0, false
	}
	token := r.Form.Get("token")
	if token == "" {
		http.Error(w, "token is missing", http.StatusBadRequest)
		return nil, 0, false
	}
	values := url.Values{}
	for name, sent := range r.Form {
		for _, value := range sent {
			if name != "token" {
				values.Add(name, decode(value))
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.received[token] = append(a.received[token], values)
	return values, len(a.received[token]), true
}
