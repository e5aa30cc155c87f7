package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"iemesh/api"
)

// Listener checks whether an address can be served at, or is by one of our programs.
func Listener(ctx context.Context, address string) api.DoctorCheck {
	var x examination
	x.listener(ctx, address)
	return x.findings[0].result()
}

func (x *examination) listener(ctx context.Context, address string) {
	f := x.check("listen.address", "Address to serve at", "free, or served by iemesh", "")
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err == nil {
		_ = l.Close()
		f.ok("%s is free", address)
		return
	}
	switch {
	case healthy(ctx, address):
		f.ok("%s is served by iemesh", address)
	case errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaAddressInUse):
		f.problem("%s is taken by another program", address).mend("End that program, or choose another port in --listen.")
	default:
		f.problem("%v", err).mend("Name an address of this machine in --listen.")
	}
}

// wsaAddressInUse is how Windows says that an address is taken.
const wsaAddressInUse = syscall.Errno(10048)

// healthy asks whether one of our programs serves there. Its certificate is for
// others, who reach it by its name.
func healthy(ctx context.Context, address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	client := http.Client{Transport: transport, Timeout: 3 * time.Second}
	for _, scheme := range []string{"http://", "https://"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+net.JoinHostPort(host, port)+"/healthz", nil)
		if err != nil {
			return false
		}
		response, err := client.Do(request)
		if err != nil {
			continue
		}
		body, _ := io.ReadAll(io.LimitReader(response.Body, 16))
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK && string(body) == "ok" {
			return true
		}
	}
	return false
}
