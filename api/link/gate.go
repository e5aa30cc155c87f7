package link

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"iemesh/api"
)

// refuseBrowsers answers 403 to requests that a web page could have caused,
// before anything of them is read: those that bear a header which only browsers
// send, and those for a host that is none of ours (DNS rebinding). A host of
// ours is a loopback name or address, one of hosts (without port), or a name in
// the certificate of server, which may be nil.
func refuseBrowsers(hosts []string, server *tls.Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case fromBrowser(r.Header):
			refuse(w, http.StatusForbidden, "browser", "The worker API does not serve web pages.")
		case !ours(r.Host, hosts, server):
			refuse(w, http.StatusForbidden, "host", "This worker does not go by that host name.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, reason, message string) {
	err := api.Errorf(api.Unauthorized, "%s", message)
	err.Reason = reason
	write(w, status, answer{Error: err})
}

// fromBrowser knows the headers that no page can keep its browser from sending.
func fromBrowser(h http.Header) bool {
	for name := range h {
		if name == "Origin" || name == "Referer" || name == "Cookie" || strings.HasPrefix(name, "Sec-") {
			return true
		}
	}
	return false
}

func ours(hostport string, hosts []string, server *tls.Config) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if isLoopback(host) || slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	if server == nil || server.GetCertificate == nil || host == "" {
		return false
	}
	cert, err := server.GetCertificate(&tls.ClientHelloInfo{ServerName: host})
	return err == nil && cert.Leaf != nil && cert.Leaf.VerifyHostname(host) == nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
