package legacyapp

import (
	"net/http"
	"strings"
)

func (a *App) frames() {
	a.static("/frames/nested", "/frames/outer", "/frames/middle", "/frames/inner")
	a.static("/frameset", "/frameset/menu", "/frameset/main", "/frameset/banner")
	for _, path := range []string{"/frameset/search", "/frameset/twice", "/frameset/work"} {
		a.mux.HandleFunc("GET "+path, a.frameset(path))
	}
}

// frameset serves a frameset around a page of this application.
func (a *App) frameset(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page := r.FormValue("page")
		if page == "" {
			page = "/customer"
		}
		if !strings.HasPrefix(page, "/") || strings.HasPrefix(page, "//") || strings.Contains(page, `\`) {
			http.Error(w, "page must be a path of this application", http.StatusBadRequest)
			return
		}
		a.render(w, path, page)
	}
}
