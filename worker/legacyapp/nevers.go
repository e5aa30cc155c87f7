package legacyapp

import "net/http"

func (a *App) nevers() {
	a.static("/never/image", "/never/links")
	a.mux.HandleFunc("GET /never/half", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, "/never/half", nil)
		if http.NewResponseController(w).Flush() == nil {
			a.hold(r, Longest)
		}
		hangUp(w)
	})
	a.mux.HandleFunc("GET /never/silent", func(w http.ResponseWriter, r *http.Request) {
		a.hold(r, Longest)
		hangUp(w)
	})
}
