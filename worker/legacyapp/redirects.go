package legacyapp

import (
	"html/template"
	"net/http"
	"time"
)

// redirect is the data of the pages that lead away. To is any URL of any scheme: these pages exist to try what a
// guard makes of it.
type redirect struct {
	To template.URL
	Ms int64
}

func (a *App) redirects() {
	a.mux.HandleFunc("GET /redirect", func(w http.ResponseWriter, r *http.Request) {
		if to := r.FormValue("to"); to == "" {
			http.Error(w, "to is missing", http.StatusBadRequest)
		} else {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	for _, path := range []string{"/redirect/script", "/redirect/meta", "/redirect/link", "/redirect/timer"} {
		a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			to := r.FormValue("to")
			after, err := milliseconds(r, "ms", 300*time.Millisecond)
			switch {
			case to == "":
				http.Error(w, "to is missing", http.StatusBadRequest)
			case err != nil:
				http.Error(w, err.Error(), http.StatusBadRequest)
			default:
				a.render(w, path, redirect{To: template.URL(to), Ms: after.Milliseconds()})
			}
		})
	}
}
