package origin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Parse makes a policy of "*" alone, which allows every plain URL, or of
// canonical origins: scheme://host[:port] in lower case, without default port
// and without any path, the host in punycode or plain Unicode. An origin
// allows itself only; there are no wildcards. No entries allow nothing.
//
// The error names every entry at fault, with its canonical form where there
// is one; it shows no user names and passwords.
func Parse(entries []string) (Policy, error) {
	if len(entries) == 1 && entries[0] == "*" {
		return Policy{any: true}, nil
	}
	var p Policy
	var faults []error
	for _, entry := range entries {
		origin, err := parseEntry(entry)
		if err != nil {
			faults = append(faults, err)
		} else if !slices.Contains(p.entries, origin) {
			p.entries = append(p.entries, origin)
		}
	}
	if len(faults) > 0 {
		return Policy{}, fmt.Errorf("allowed origins: %w", errors.Join(faults...))
	}
	return p, nil
}

func parseEntry(entry string) (string, error) {
	switch {
	case entry == "*":
		return "", errors.New(`"*" allows every origin and must stand alone`)
	case strings.Contains(entry, "*"):
		return "", fmt.Errorf("%q: wildcards are not supported, list each origin", entry)
	}
	s, err := parseCanonical(entry)
	if err == nil {
		return s.origin(), nil
	}
	shown := entry
	if at := strings.LastIndex(entry, "@"); at >= 0 {
		shown = "…" + entry[at:]
	}
	if s, ok := guess(entry); ok {
		return "", fmt.Errorf("%q: %w; the canonical form is %q", shown, err, s.origin())
	}
	return "", fmt.Errorf("%q: %w", shown, err)
}

var errNotCanonical = errors.New("not in canonical form")

func parseCanonical(entry string) (site, error) {
	scheme, after, err := cutScheme(entry)
	if err != nil {
		return site{}, err
	}
	s, _, err := parseSite(scheme, after)
	if err != nil {
		return site{}, err
	}
	if entry == s.origin() {
		return s, nil
	}
	if unicode, err := names.ToUnicode(s.host); err == nil && entry == s.as(unicode) {
		return s, nil
	}
	return site{}, errNotCanonical
}

// guess finds the origin that was probably meant.
func guess(entry string) (site, bool) {
	entry = strings.TrimSpace(entry)
	if !strings.Contains(entry, "://") {
		entry = "http://" + entry
	}
	scheme, after, err := cutScheme(entry)
	if err != nil {
		return site{}, false
	}
	authority := strings.TrimPrefix(after, "//")
	if end := strings.IndexAny(authority, `/?#\`); end >= 0 {
		authority = authority[:end]
	}
	authority = authority[strings.LastIndex(authority, "@")+1:]
	s, _, err := parseSite(scheme, "//"+authority)
	return s, err == nil
}
