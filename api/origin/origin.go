// Package origin decides whether a URL may be visited, and says why not.
// It is pure: no look-ups, no clock, nothing of the project.
//
// # The rule
//
// Go, the WHATWG parser of modern browsers and Internet Explorer's parser
// disagree about odd URLs. Nothing here imitates any of them: what is not
// plain, so that all three read it alike, is refused. What is plain is brought
// into one canonical form, matched by origin (scheme, host and port, never
// path, query or text), and only that canonical string goes to the browser.
//
// A plain URL is http:// or https://, then a host, then maybe a port from 1 to
// 65535 without leading zeros. It has no userinfo, backslash, space or control
// character. The host is one of
//
//   - a DNS or machine name of letters, digits, hyphens and underscores, with
//     or without dots, whose last label is not a number;
//   - the same with Unicode letters, if the name stands there in exactly the
//     form that its punycode decodes to: lower case, NFC, no full-width forms,
//     no dots other than ".", none of the four characters that IDNA2003 and
//     IDNA2008 read differently;
//   - an IPv4 address in its usual form of four decimal numbers;
//   - an IPv6 address in brackets, without zone and without an IPv4 address
//     hidden inside.
//
// The canonical form has scheme and host in lower case, the host in punycode
// and without a final dot, an IPv6 address in its shortest form, no default
// port, and a path of at least "/". In path, query and fragment every ASCII
// byte stays as it is (dot segments, doubled slashes and the %8E%52 of a
// Shift_JIS application included), and other characters become
// percent-encoded UTF-8.
//
// # What it cannot see
//
// Names are not resolved. That a listed or any other name leads to a forbidden
// address is for the firewall or a proxy to notice when it connects.
package origin

import (
	"net/netip"
	"slices"
	"strings"
)

// Policy is a list of allowed origins. It is immutable and safe for concurrent
// use. The zero value allows nothing.
type Policy struct {
	any     bool
	entries []string
}

// Entries returns what Parse would accept to make the same policy: "*", or the
// canonical origins, hosts in punycode, in the order given.
func (p Policy) Entries() []string {
	if p.any {
		return []string{"*"}
	}
	return slices.Clone(p.entries)
}

// Own names what no policy can allow: the ports on which this system's own
// processes listen (gateway, worker, driver, browser debugger).
type Own struct {
	// Ports are refused on localhost, *.localhost, every loopback and
	// unspecified address, and on Hosts.
	Ports []uint16
	// Hosts are further names and addresses by which those machines are known.
	Hosts []string
}

// Decision is a URL that may be visited.
type Decision struct {
	URL    string // canonical; what is to be sent to the browser
	Origin string // scheme://host[:port] of it
}

// Visit decides on a URL that someone asks a browser to open.
// Its error is always an *Error.
func (p Policy) Visit(raw string, own Own) (Decision, error) {
	scheme, after, err := cutScheme(raw)
	if err != nil {
		return Decision{}, err
	}
	if err := checkBytes(after); err != nil {
		return Decision{}, err
	}
	s, rest, err := parseSite(scheme, after)
	if err != nil {
		return Decision{}, err
	}
	origin, err := p.admit(s, own)
	if err != nil {
		return Decision{}, err
	}
	return Decision{URL: origin + encode(rest), Origin: origin}, nil
}

// Page decides on the location that a browser reports of a page or frame, and
// returns its origin. Only the origin counts: old browsers report paths and
// queries with raw spaces and characters, and those are let pass.
// Its error is always an *Error; the reasons Blank and ErrorPage come only
// from here.
func (p Policy) Page(href string, own Own) (string, error) {
	scheme, after, err := cutScheme(href)
	if err != nil {
		if reason := special(scheme, after); reason != "" {
			return "", refuse(reason)
		}
		return "", err
	}
	s, _, err := parseSite(scheme, after)
	if err != nil {
		return "", err
	}
	return p.admit(s, own)
}

// admit matches a site and returns its origin.
func (p Policy) admit(s site, own Own) (string, error) {
	origin := s.origin()
	switch {
	case own.includes(s):
		return "", &Error{Reason: OwnPort, Origin: origin}
	case !p.any && !slices.Contains(p.entries, origin):
		return "", &Error{Reason: NotListed, Origin: origin}
	}
	return origin, nil
}

// special tells the pages without an origin that a browser makes itself.
func special(scheme, after string) Reason {
	after = strings.ToLower(after)
	if end := strings.IndexAny(after, "?#"); end >= 0 {
		after = after[:end]
	}
	switch scheme {
	case "about":
		if after == "blank" || after == "srcdoc" {
			return Blank
		}
	case "javascript":
		return Blank
	case "chrome-error":
		return ErrorPage
	case "res":
		if strings.HasPrefix(after, "//ieframe.dll/") {
			return ErrorPage
		}
	}
	return ""
}

func (o Own) includes(s site) bool {
	if !slices.Contains(o.Ports, s.port) {
		return false
	}
	return s.loopback() || slices.ContainsFunc(o.Hosts, s.isHost)
}

// isHost compares with a host as an operating system tells it: any case, IPv6
// without brackets, perhaps with a zone.
func (s site) isHost(name string) bool {
	if addr, err := netip.ParseAddr(name); err == nil {
		return s.addr == addr.Unmap().WithZone("")
	}
	host, _, err := parseHost(name)
	return err == nil && s.host == host
}

func (s site) loopback() bool {
	if s.addr.IsValid() {
		return s.addr.IsLoopback() || s.addr.IsUnspecified()
	}
	switch s.host {
	case "localhost", "loopback", "localhost.localdomain",
		"localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback":
		return true
	}
	return strings.HasSuffix(s.host, ".localhost")
}

// encode percent-encodes what is not ASCII and supplies the missing path.
func encode(rest string) string {
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	if isASCII(rest) {
		return rest
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(3 * len(rest))
	for _, c := range []byte(rest) {
		if c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
