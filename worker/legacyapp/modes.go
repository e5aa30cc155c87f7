package legacyapp

import "net/http"

// modes are the pages by which a document mode is chosen.
func (a *App) modes() {
	a.static("/mode/quirks")
	for _, mode := range []string{"5", "8", "11"} {
		a.mux.HandleFunc("GET /mode/"+mode, func(w http.ResponseWriter, _ *http.Request) {
			a.render(w, "/mode", mode)
		})
	}
}
