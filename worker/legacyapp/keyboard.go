package legacyapp

import "net/http"

func (a *App) keyboard() {
	a.mux.HandleFunc("GET /keyboard", func(w http.ResponseWriter, r *http.Request) {
		token := r.FormValue("token")
		a.mu.Lock()
		a.loads[token]++
		count := a.loads[token]
		a.mu.Unlock()
		a.render(w, "/keyboard", count)
	})
}

// Loads is how often /keyboard was loaded with this token; without one the token is "". It tells a reload.
func (a *App) Loads(token string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.loads[token]
}
