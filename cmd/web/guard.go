package web

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Guard answers 403, whatever the method, to requests for a host that is not
// ours (DNS rebinding) and to those of web pages of other sites. Hosts of ours
// are the loopback names and addresses, and the names in the certificate of
// server, which is nil without TLS. A page may call from its own site only: a
// host of ours at the same port. Programs send no Origin and need none.
func Guard(server *tls.Config) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			host, port := splitHost(r.Host, r.TLS != nil)
			if !ours(host, server) {
				http.Error(w, "this server does not go by that host name", http.StatusForbidden)
				return
			}
			for _, origin := range r.Header["Origin"] {
				if !ownOrigin(origin, port, server) {
					http.Error(w, "web pages of other sites may not call this server", http.StatusForbidden)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

func ownOrigin(origin, port string, server *tls.Config) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host, originPort := splitHost(u.Host, u.Scheme == "https")
	return originPort == port && ours(host, server)
}

// splitHost supplies the default port, and takes the brackets off an IPv6 address.
func splitHost(hostport string, secure bool) (host, port string) {
	if host, port, err := net.SplitHostPort(hostport); err == nil && port != "" {
		return host, port
	}
	host = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(hostport, ":"), "["), "]")
	if secure {
		return host, "443"
	}
	return host, "80"
}

func ours(host string, server *tls.Config) bool {
	if isLoopback(host) {
		return true
	}
	if host == "" || server == nil || server.GetCertificate == nil {
		return false
	}
	certificate, err := server.GetCertificate(&tls.ClientHelloInfo{ServerName: host})
	return err == nil && certificate.Leaf != nil && certificate.Leaf.VerifyHostname(host) == nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
