// Package web is what a program shows over HTTP: one API, the health of the
// process, its metrics; and the listener with its limits and its end.
package web

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"

	"github.com/go-chi/chi/v5"
)

// MaxBody is the largest request body, in bytes.
const MaxBody = 16 << 20

// Options configures [NewRouter].
type Options struct {
	Path    string                            // of the API: "/mcp", or "/v1/*" for all below
	API     http.Handler                      // the API itself
	Around  []func(http.Handler) http.Handler // what a request to the API passes before, outermost first
	Ready   func() Readiness                  // for /readyz
	Metrics http.Handler                      // for /metrics
	Log     *slog.Logger
}

// NewRouter serves the API, /healthz (the process is up), /readyz and /metrics.
// The last three ask for no token and tell nothing secret.
func NewRouter(o Options) http.Handler {
	r := chi.NewRouter()
	r.Use(recovered(o.Log))
	r.With(o.Around...).Handle(o.Path, o.API)
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	r.Get("/readyz", ready(o.Ready))
	r.Method(http.MethodGet, "/metrics", o.Metrics)
	return r
}

// LimitBody refuses bodies over [MaxBody] with 413: at once where the length is
// told, else when the API has read so much.
func LimitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > MaxBody {
			http.Error(w, fmt.Sprintf("the body may have at most %d bytes", MaxBody), http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		next.ServeHTTP(w, r)
	})
}

// recovered answers a panic with 500. What it says may be built from the
// content of a page, so only a fault of the runtime is logged in words.
func recovered(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				switch p := recover().(type) {
				case nil:
				case runtime.Error:
					log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("path", r.URL.Path), slog.String("cause", p.Error()))
					w.WriteHeader(http.StatusInternalServerError)
				default:
					if p == http.ErrAbortHandler { // a deliberate end of the connection
						panic(p)
					}
					log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("path", r.URL.Path), slog.String("cause", fmt.Sprintf("%T", p)))
					w.WriteHeader(http.StatusInternalServerError)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}
