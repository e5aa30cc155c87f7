package web

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
)

// certificate is that of net/http/httptest, for example.com and 127.0.0.1.
func certificate(t *testing.T) *tls.Config {
	t.Helper()
	s := httptest.NewTLSServer(fine)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }}
}

func TestGuard(t *testing.T) {
	for _, c := range []struct {
		secure       bool
		host, origin string
		want         int
	}{
		{false, "127.0.0.1:7310", "", 200},
		{false, "localhost:7310", "", 200},
		{false, "LOCALHOST", "", 200},
		{false, "[::1]:7310", "", 200},
		{false, "[::1]", "", 200},
		{false, "evil.test:7310", "", 403},
		{false, "localhost.evil.test:7310", "", 403},
		{false, "127.0.0.1.evil.test", "", 403},
		{false, "10.0.0.5:7310", "", 403},
		{false, "example.com:7310", "", 403}, // no certificate names it
		{false, "localhost:7310", "http://localhost:7310", 200},
		{false, "localhost:7310", "http://127.0.0.1:7310", 200},
		{false, "localhost:7310", "http://localhost:8080", 403},
		{false, "localhost:7310", "http://localhost", 403},
		{false, "localhost", "http://localhost", 200},
		{false, "localhost:7310", "http://evil.test:7310", 403},
		{false, "localhost:7310", "http://localhost:7310.evil.test", 403},
		{false, "localhost:7310", "null", 403},
		{false, "localhost:7310", "file://", 403},
		{false, "localhost:7310", "chrome-extension://localhost:7310", 403},
		{true, "example.com:7310", "", 200},
		{true, "example.com", "https://example.com", 200},
		{true, "example.com:7310", "https://example.com:7310", 200},
		{true, "example.com:7310", "https://evil.test:7310", 403},
		{true, "evil.test:7310", "", 403},
		{true, "localhost:7310", "", 200},
	} {
		var server *tls.Config
		if c.secure {
			server = certificate(t)
		}
		h := Guard(server)(fine)
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			w := get(h, method, "/mcp", func(r *http.Request) {
				r.Host = c.host
				if c.secure {
					r.TLS = &tls.ConnectionState{}
				}
				if c.origin != "" {
					r.Header.Set("Origin", c.origin)
				}
			})
			if w.Code != c.want {
				t.Errorf("%s host %s, origin %q, TLS %v: %d", method, c.host, c.origin, c.secure, w.Code)
			}
		}
	}
}

func TestEveryOriginCounts(t *testing.T) {
	w := get(Guard(nil)(fine), "POST", "http://localhost:7310/mcp", func(r *http.Request) {
		r.Header["Origin"] = []string{"http://localhost:7310", "http://evil.test"}
	})
	if w.Code != 403 {
		t.Errorf("%d", w.Code)
	}
}

// A request that violates two checks is answered by the outer one.
func TestGuardComesFirst(t *testing.T) {
	unauthorized := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusUnauthorized) })
	}
	h := router(fine, Guard(nil), unauthorized, LimitBody)
	huge := func(r *http.Request) { r.ContentLength = MaxBody + 1 }
	if w := get(h, "POST", "http://evil.test/mcp", huge); w.Code != 403 {
		t.Errorf("host, token and length: %d", w.Code)
	}
	if w := get(h, "POST", "http://localhost/mcp", huge); w.Code != 401 {
		t.Errorf("token and length: %d", w.Code)
	}
}
