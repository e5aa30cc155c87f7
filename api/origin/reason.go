package origin

// Reason is a short stable word for why a URL is refused.
type Reason string

const (
	// NotAbsolute: no scheme by any reading; the caller's argument is wrong,
	// while every other reason is a refusal.
	NotAbsolute Reason = "not_absolute"
	// NotListed: plain, but not one of the allowed origins.
	NotListed Reason = "not_listed"
	// OwnPort: a port of one of our own processes.
	OwnPort Reason = "own_port"
	// Blank: about:blank, about:srcdoc or javascript:, as Page finds them.
	// Such a document has the origin of its opener or parent.
	Blank Reason = "blank"
	// ErrorPage: the browser's own page about a failed navigation, as Page finds it.
	ErrorPage Reason = "error_page"

	Scheme         Reason = "scheme"          // neither http nor https
	Slashes        Reason = "slashes"         // not exactly two after the scheme
	Control        Reason = "control"         // space or control character
	Backslash      Reason = "backslash"       //
	Encoding       Reason = "encoding"        // not UTF-8
	Userinfo       Reason = "userinfo"        // an @ before the host, even an empty one
	NoHost         Reason = "no_host"         //
	PercentInHost  Reason = "percent_in_host" //
	HostCharacters Reason = "host_characters" //
	HostLength     Reason = "host_length"     // label over 63, name over 253 bytes
	EmptyLabel     Reason = "empty_label"     // two dots in a row, or at the start
	UnicodeHost    Reason = "unicode_host"    // changes under IDNA, or is invalid
	Punycode       Reason = "punycode"        // xn-- that is no canonical encoding
	NumericHost    Reason = "numeric_host"    // an IPv4 address in disguise
	IPv6           Reason = "ipv6"            // malformed
	IPv6Zone       Reason = "ipv6_zone"       //
	IPv6Name       Reason = "ipv6_name"       // under ipv6-literal.net
	EmbeddedIPv4   Reason = "embedded_ipv4"   // IPv6 with an IPv4 address inside
	Port           Reason = "port"            // not 1 to 65535 without leading zeros
)

// Error is a refusal. Its text tells an agent what to do and holds nothing of
// the refused URL but the canonical origin.
type Error struct {
	Reason Reason
	Origin string // canonical; with NotListed and OwnPort only
}

func refuse(r Reason) error { return &Error{Reason: r} }

func (e *Error) Error() string {
	text := advice(e.Reason)
	if e.Origin != "" {
		return e.Origin + " " + text
	}
	return text
}

func advice(r Reason) string {
	switch r {
	case NotAbsolute:
		return "the URL is not absolute: begin it with http:// or https:// and the host"
	case NotListed:
		return "is not an allowed origin: stay on the origins that this server's operator has listed"
	case OwnPort:
		return "belongs to the automation system itself and is never allowed"
	case Blank:
		return "the page is blank and has no origin of its own"
	case ErrorPage:
		return "the browser shows its own error page: the navigation failed"
	case Scheme:
		return "only http:// and https:// pages may be visited: go to a URL that begins with one of them"
	case Slashes:
		return "write exactly two slashes after http: or https:"
	case Control:
		return "the URL contains a space or control character: remove it, or write it as %20 and the like in path or query"
	case Backslash:
		return `the URL contains a backslash: write "/", or %5C in path or query`
	case Encoding:
		return "the URL is not valid UTF-8: percent-encode bytes of other encodings"
	case Userinfo:
		return "the URL contains a user name or password before the host: remove everything up to the @"
	case NoHost:
		return "the URL has no host (an IPv6 address needs brackets)"
	case PercentInHost:
		return "the host contains a percent sign: write it without escapes"
	case HostCharacters:
		return "the host may contain only letters, digits, dots, underscores, and hyphens inside of labels"
	case HostLength:
		return "the host is too long: at most 63 characters between dots and 253 in all"
	case EmptyLabel:
		return "the host has a dot too many"
	case UnicodeHost:
		return "the host is not in its plain Unicode form: write it in punycode (xn--...)"
	case Punycode:
		return "the host contains an invalid xn-- label"
	case NumericHost:
		return "write the IPv4 address as four decimal numbers, such as 192.168.0.10"
	case IPv6:
		return "the IPv6 address in brackets is malformed"
	case IPv6Zone:
		return "an IPv6 address with a zone cannot be visited"
	case IPv6Name:
		return "names under ipv6-literal.net stand for addresses: write the IPv6 address in brackets"
	case EmbeddedIPv4:
		return "the IPv6 address contains an IPv4 address: use the IPv4 address itself"
	case Port:
		return "the port must be a number from 1 to 65535 without leading zeros"
	}
	return "the URL may not be visited"
}
