package access

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// Names knows the callers by their tokens.
type Names interface {
	Name(token string) (name string, ok bool)
}

// Limits of wrong tokens of one client address.
const (
	wrongPerSecond = 1
	wrongAtOnce    = 10
	maxAddresses   = 10_000
)

// Bearer lets requests with a known token pass, and makes its name the user of
// the MCP session. Nil names let everyone pass, without a user: such a listener
// must be reachable from this machine only.
//
// Who tries too many wrong tokens gets 429 instead of 401. A right token always
// passes: tokens cannot be guessed, and somebody else behind the same proxy
// must not be locked out.
func Bearer(names Names, log *slog.Logger) func(http.Handler) http.Handler {
	if names == nil {
		return func(next http.Handler) http.Handler { return next }
	}
	wrong := newLimiter(wrongPerSecond, wrongAtOnce, maxAddresses)
	check := auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		name, ok := names.Name(token)
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: name}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	return func(next http.Handler) http.Handler {
		checked := check(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Del("WWW-Authenticate")
			next.ServeHTTP(w, r)
		}))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if token := bearerToken(r); token != "" {
				if _, ok := names.Name(token); !ok {
					address := clientAddress(r)
					if wait := wrong.take(address, time.Now()); wait > 0 {
						w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
						http.Error(w, "too many wrong tokens", http.StatusTooManyRequests)
						return
					}
					log.LogAttrs(r.Context(), slog.LevelWarn, "token refused", slog.String("address", address))
				}
			}
			w.Header().Set("WWW-Authenticate", "Bearer") // stays on 401 only
			checked.ServeHTTP(w, r)
		})
	}
}

func bearerToken(r *http.Request) string {
	fields := strings.Fields(r.Header.Get("Authorization"))
	if len(fields) == 2 && strings.EqualFold(fields[0], "bearer") {
		return fields[1]
	}
	return ""
}

// clientAddress is the key under which wrong tokens are counted: an IPv4
// address, or the /64 network that one client of IPv6 has to itself.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	network, err := ip.Prefix(64)
	if err != nil {
		return host
	}
	return network.String()
}
