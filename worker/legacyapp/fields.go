package legacyapp

import "net/http"

func (a *App) fields() {
	a.mux.HandleFunc("GET /fields", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, "/fields", r.FormValue("picked"))
	})
}
