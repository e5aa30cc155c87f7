package legacyapp

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

// charset is the data of the pages in an old charset.
type charset struct {
	Charset, Path, Token, Method, Text string
}

func (a *App) charsets() {
	a.charset("/charset/sjis", "Shift_JIS", japanese.ShiftJIS)
	a.charset("/charset/eucjp", "EUC-JP", japanese.EUCJP)
}

func (a *App) charset(path, name string, in encoding.Encoding) {
	a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		a.renderIn(w, name, in, "/charset", charset{Charset: name, Path: path, Token: token(r)})
	})
	received := func(w http.ResponseWriter, r *http.Request) {
		values, _, ok := a.receive(w, r, func(sent string) string { return decode(in, sent) })
		if ok {
			a.renderIn(w, name, in, "/charset/received", charset{
				Charset: name, Path: path, Token: r.FormValue("token"), Method: r.Method, Text: values.Get("text"),
			})
		}
	}
	a.mux.HandleFunc("GET "+path+"/received", received)
	a.mux.HandleFunc("POST "+path+"/received", received)
}

// decode reads what a browser made of a text that it had to send in a charset: characters outside the charset come as
// decimal references, in old browsers as two for a surrogate pair. A reference that somebody typed looks the same.
func decode(in encoding.Encoding, sent string) string {
	decoded, err := in.NewDecoder().String(sent)
	if err != nil {
		return sent
	}
	return regexp.MustCompile(`(?:&#[0-9]{1,7};)+`).ReplaceAllStringFunc(decoded, func(run string) string {
		var units []uint16
		for reference := range strings.SplitSeq(strings.TrimSuffix(run, ";"), ";") {
			n, err := strconv.ParseUint(strings.TrimPrefix(reference, "&#"), 10, 32)
			if err != nil {
				return run
			}
			if utf16.IsSurrogate(rune(n)) {
				units = append(units, uint16(n))
			} else {
				units = utf16.AppendRune(units, rune(n))
			}
		}
		return string(utf16.Decode(units))
	})
}
