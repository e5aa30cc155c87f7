package legacyapp

import "net/http"

func (a *App) logins() {
	a.static("/login", "/login/open")
	a.mux.HandleFunc("GET /login/main", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, "/login/main", r.FormValue("userId"))
	})
}
