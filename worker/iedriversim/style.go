package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// styled is value in the driver's JSON: every member on a line of its own, indented by
// tabs, members in the order of their names, nothing but ASCII.
func styled(value any) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	style(&b, value, "", "\n")
	return b.Bytes(), nil
}

// style writes value. Objects and lists that have members begin after lead; line, which is
// a line break and tabs, begins the line on which they end.
func style(b *bytes.Buffer, value any, lead, line string) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString("{}")
			return
		}
		inner := line + "\t"
		b.WriteString(lead + "{")
		separator := ""
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(separator + inner)
			quote(b, name)
			b.WriteString(" : ")
			style(b, v[name], inner, inner)
			separator = ","
		}
		b.WriteString(line + "}")
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return
		}
		inner := line + "\t"
		b.WriteString(lead + "[")
		separator := ""
		for _, member := range v {
			b.WriteString(separator + inner)
			style(b, member, "", inner)
			separator = ","
		}
		b.WriteString(line + "]")
	case string:
		quote(b, v)
	case json.Number:
		b.WriteString(number(v))
	case bool:
		fmt.Fprint(b, v)
	default:
		b.WriteString("null")
	}
}

// number has 17 digits when it is no integer.
func number(n json.Number) string {
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}

var escapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

func quote(b *bytes.Buffer, text string) {
	b.WriteByte('"')
	for _, r := range escapes.Replace(text) {
		switch {
		case r >= ' ' && r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	b.WriteByte('"')
}
