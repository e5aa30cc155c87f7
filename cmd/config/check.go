package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"iemesh/api"
)

// check returns everything that is wrong with the common settings.
func (c *Common) check() []error {
	var faults []error
	bad := func(flag, format string, args ...any) { faults = append(faults, c.Bad(flag, format, args...)) }
	if lowest, highest := api.MinTimeout.Milliseconds(), api.MaxTimeout.Milliseconds(); c.TimeoutMs < lowest || c.TimeoutMs > highest {
		bad("timeout-ms", "must be from %d to %d milliseconds", lowest, highest)
	}
	switch {
	case c.MaxSessions < 1:
		bad("max-sessions", "must be at least 1")
	case c.Engine == "ie" && c.MaxSessions > 1:
		bad("max-sessions", "must be 1 with the engine ie: a desktop takes one IE mode session")
	}
	if c.IdleTimeout < time.Second {
		bad("idle-timeout", "must be at least 1s")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		bad("tls-cert", "--tls-cert and --tls-key go together")
	}
	switch loopback, err := Loopback(c.Listen); {
	case err != nil:
		bad("listen", "%w", err)
	case !loopback:
		if c.TLSCert == "" {
			bad("listen", "%s is not a loopback address, which needs TLS: add --tls-cert and --tls-key", c.Listen)
		}
		if c.TokenFile == "" {
			bad("listen", "%s is not a loopback address, which needs tokens: add --token-file (\"token new\" makes one)", c.Listen)
		}
	}
	return faults
}

func (g *Gateway) check() error {
	faults := g.listenerFaults()
	bad := func(flag, format string, args ...any) { faults = append(faults, g.Bad(flag, format, args...)) }
	if g.Worker != "" {
		if err := checkWorker(g.Worker); err != nil {
			bad("worker", "%w", err)
		}
	}
	for _, flag := range []string{"worker-token-file", "worker-ca"} {
		if g.Worker == "" && g.Given(flag) {
			bad(flag, "needs --worker")
		}
	}
	if len(List(g.Tools)) == 0 {
		bad("tools", "names no profile")
	}
	if !(g.Rate >= 0 && g.Rate <= 1e6) {
		bad("rate", "must be from 0 to 1000000 calls per second")
	}
	if g.Burst < 1 {
		bad("burst", "must be at least 1")
	}
	return errors.Join(faults...)
}

// listenerFaults adds to the common faults what only the gateway demands. Over
// stdio there is no listener whose address could be wrong.
func (g *Gateway) listenerFaults() []error {
	common := g.Common
	if g.Stdio {
		common.Listen = "127.0.0.1:0"
	}
	faults := common.check()
	if loopback, err := Loopback(common.Listen); err == nil && !loopback && !g.Given("allowed-origins") {
		faults = append(faults, g.Bad("listen", "%s is not a loopback address, which needs an explicit list of sites: add --allowed-origins", g.Listen))
	}
	return faults
}

// Loopback tells whether a listener on address can be reached from this
// machine only. The address needs an explicit host: "localhost", an IP address,
// or a name, which counts as not loopback.
func Loopback(address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, errors.New("must be HOST:PORT, such as 127.0.0.1:7310")
	}
	if host == "" {
		return false, errors.New("names no host; write 127.0.0.1 for this machine alone, or the address to be reached at")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, errors.New("must end in a port number from 0 to 65535")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback(), nil
	}
	return host == "localhost", nil
}

func checkWorker(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("must be a URL such as https://winbox:7311")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must have no user, query or fragment; tokens belong into --worker-token-file")
	}
	if loopback, _ := Loopback(net.JoinHostPort(u.Hostname(), "0")); u.Scheme == "http" && !loopback {
		return errors.New("must be https:// unless the worker is on this machine")
	}
	return nil
}
