package origin

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// site is a plain origin taken apart.
type site struct {
	scheme string
	host   string     // as it stands in a URL: punycode, IPv6 in brackets
	addr   netip.Addr // valid if the host is an address
	port   uint16     // never 0
}

func defaultPort(scheme string) uint16 {
	if scheme == "https" {
		return 443
	}
	return 80
}

func (s site) origin() string { return s.as(s.host) }

func (s site) as(host string) string {
	if s.port == defaultPort(s.scheme) {
		return s.scheme + "://" + host
	}
	return s.scheme + "://" + host + ":" + strconv.Itoa(int(s.port))
}

// cutScheme splits a URL after its scheme. With the reason Scheme it returns
// both parts as well.
func cutScheme(raw string) (scheme, after string, err error) {
	scheme, after, found := strings.Cut(raw, ":")
	first, plain, blemished := true, true, false
	// Browsers drop blanks and control characters here, so "java\tscript:" is
	// a scheme; what remains decides whether the URL is absolute at all.
	for _, c := range []byte(scheme) {
		switch {
		case c <= ' ' || c == 0x7f:
			blemished = true
			continue
		case isLetter(c):
		case !first && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			plain = false
		}
		first = false
	}
	switch {
	case !found || !plain || first:
		return "", "", refuse(NotAbsolute)
	case blemished:
		return "", "", refuse(Control)
	}
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		return scheme, after, refuse(Scheme)
	}
	return scheme, after, nil
}

// checkBytes refuses what no part of a plain URL contains.
func checkBytes(s string) error {
	for _, c := range []byte(s) {
		switch {
		case c <= ' ' || c == 0x7f:
			return refuse(Control)
		case c == '\\':
			return refuse(Backslash)
		}
	}
	if !utf8.ValidString(s) {
		return refuse(Encoding)
	}
	return nil
}

// parseSite reads what follows "http:" or "https:" up to the end of the
// authority and returns the rest unread.
func parseSite(scheme, after string) (site, string, error) {
	none := func(err error) (site, string, error) { return site{}, "", err }

	authority, ok := strings.CutPrefix(after, "//")
	if !ok || strings.HasPrefix(authority, "/") {
		return none(refuse(Slashes))
	}
	rest := ""
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority, rest = authority[:end], authority[end:]
	}
	if err := checkBytes(authority); err != nil {
		return none(err)
	}
	if strings.Contains(authority, "@") {
		return none(refuse(Userinfo))
	}

	// The colons inside of brackets belong to the address.
	bracket := strings.IndexByte(authority, ']') + 1
	host, port, _ := strings.Cut(authority[bracket:], ":")
	host = authority[:bracket] + host

	s := site{scheme: scheme, port: defaultPort(scheme)}
	var err error
	if s.host, s.addr, err = parseHost(host); err != nil {
		return none(err)
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || port[0] == '0' {
			return none(refuse(Port))
		}
		s.port = uint16(n)
	}
	return s, rest, nil
}

// parseHost returns the canonical form of a host, and its address if it is one.
func parseHost(host string) (string, netip.Addr, error) {
	none := func(r Reason) (string, netip.Addr, error) { return "", netip.Addr{}, refuse(r) }

	switch {
	case host == "":
		return none(NoHost)
	case host[0] == '[':
		addr, err := parseIPv6(host)
		if err != nil {
			return "", netip.Addr{}, err
		}
		return "[" + addr.String() + "]", addr, nil
	case strings.Contains(host, "%"):
		return none(PercentInHost)
	case len(host) > 1024: // far above 253 in any form; punycode takes quadratic time
		return none(HostLength)
	}

	name := lowerASCII(host)
	if !isASCII(name) || strings.HasPrefix(name, "xn--") || strings.Contains(name, ".xn--") {
		var reason Reason
		if name, reason = punycode(name); reason != "" {
			return none(reason)
		}
	}
	bare := strings.TrimSuffix(name, ".")
	if bare == "" {
		return none(NoHost)
	}
	last := ""
	for label := range strings.SplitSeq(bare, ".") {
		if reason := checkLabel(label); reason != "" {
			return none(reason)
		}
		last = label
	}
	if isNumber(last) {
		// ParseAddr takes four decimal numbers without leading zeros only, and no final dot.
		addr, err := netip.ParseAddr(name)
		if err != nil {
			return none(NumericHost)
		}
		return name, addr, nil
	}
	switch {
	case len(bare) > 253:
		return none(HostLength)
	case bare == "ipv6-literal.net" || strings.HasSuffix(bare, ".ipv6-literal.net"):
		return none(IPv6Name)
	}
	return bare, netip.Addr{}, nil
}

func checkLabel(label string) Reason {
	switch {
	case label == "":
		return EmptyLabel
	case len(label) > 63:
		return HostLength
	case label[0] == '-' || label[len(label)-1] == '-':
		return HostCharacters
	}
	for _, c := range []byte(label) {
		// The underscore is no hostname character, but part of many a Windows machine's name.
		if !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
			return HostCharacters
		}
	}
	return ""
}

// isNumber tells the last labels that make browsers read the whole host as an
// IPv4 address: decimal, octal or hexadecimal, "0x" alone included.
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// names is the lookup profile without its limits on ASCII characters and
// hyphens: checkLabel has its own, and names such as r3---sn-a.test exist.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// punycode converts a host with Unicode or xn-- labels. It must be stable
// under conversion and back, from whichever of the two forms it is in.
func punycode(host string) (string, Reason) {
	if isASCII(host) {
		unicode, err := names.ToUnicode(host)
		if err != nil {
			return "", Punycode
		}
		if back, err := names.ToASCII(unicode); err != nil || back != host {
			return "", Punycode
		}
		return host, ""
	}
	// sharp s, final sigma, zero-width non-joiner and joiner
	if strings.ContainsAny(host, "\u00df\u03c2\u200c\u200d") {
		return "", UnicodeHost
	}
	ascii, err := names.ToASCII(host)
	if err != nil {
		return "", UnicodeHost
	}
	if back, err := names.ToUnicode(ascii); err != nil || back != host {
		return "", UnicodeHost
	}
	return ascii, ""
}

// embeddings are the ranges whose addresses carry an IPv4 address that some
// system on the way may take out and connect to.
var embeddings = []netip.Prefix{
	netip.MustParsePrefix("::/96"),           // IPv4-compatible
	netip.MustParsePrefix("::ffff:0:0:0/96"), // SIIT
	netip.MustParsePrefix("64:ff9b::/96"),    // NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),  // NAT64, local use
	netip.MustParsePrefix("2001::/32"),       // Teredo
	netip.MustParsePrefix("2002::/16"),       // 6to4
}

func parseIPv6(host string) (netip.Addr, error) {
	if strings.Contains(host, "%") {
		return netip.Addr{}, refuse(IPv6Zone)
	}
	inner, closed := strings.CutSuffix(host[1:], "]")
	addr, err := netip.ParseAddr(inner)
	if err != nil || !closed || !addr.Is6() {
		return netip.Addr{}, refuse(IPv6)
	}
	if addr == netip.IPv6Unspecified() || addr == netip.IPv6Loopback() {
		return addr, nil
	}
	b := addr.As16()
	isatap := b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
	if isatap || addr.Is4In6() {
		return netip.Addr{}, refuse(EmbeddedIPv4)
	}
	for _, p := range embeddings {
		if p.Contains(addr) {
			return netip.Addr{}, refuse(EmbeddedIPv4)
		}
	}
	return addr, nil
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lowerASCII leaves other letters alone: in those, case makes a host not plain.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
