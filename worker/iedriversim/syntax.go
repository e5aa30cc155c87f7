package main

import (
	"slices"
	"strings"
)

// refusedByMode says whether the engine of a document mode would refuse the script:
// JScript (ES3) up to mode 8, ES5 in 9 and 10, and in 11 let and const besides. It sees
// tokens only, so it errs on the side of taking a script.
func refusedByMode(script string, mode int) bool {
	tokens, ok := tokenize(script)
	if !ok {
		return false // no tokens of any JavaScript: the browser will refuse it
	}
	var open []bool // brackets: is it of an object literal?
	at := func(i int) token {
		if i < 0 || i >= len(tokens) {
			return token{}
		}
		return tokens[i]
	}
	for i, t := range tokens {
		before, next := at(i-1), at(i+1)
		inObject := len(open) > 0 && open[len(open)-1]
		isKey := inObject && (before.text == "{" || before.text == ",") && next.text == ":"
		isProperty := before.text == "."
		switch t.text {
		case "`", "=>", "...", "?.", "??", "**":
			return true
		case "{":
			open = append(open, opensObject(before))
		case "(", "[":
			open = append(open, false)
		case "}":
			if mode <= 8 && before.text == "," {
				return true
			}
			open = open[:max(len(open)-1, 0)]
		case ")", "]":
			if t.text == ")" && before.text == "," {
				return true
			}
			open = open[:max(len(open)-1, 0)]
		case "let", "const":
			if !isKey && !isProperty && next.kind == word && mode < 11 {
				return true
			}
		case "class":
			if !isKey && !isProperty && (next.kind == word || next.text == "{") {
				return true
			}
		case "async":
			if next.text == "function" {
				return true
			}
		case "of":
			if before.kind == word && next.kind == word && at(i-3).text == "(" {
				return true
			}
		case "get", "set":
			if mode <= 8 && inObject && (before.text == "{" || before.text == ",") && (next.kind == word || next.kind == literal) {
				return true
			}
		}
		if mode <= 8 && t.kind == word && (isKey || isProperty) && slices.Contains(reserved, t.text) {
			return true
		}
		if inObject && (before.text == "{" || before.text == ",") && t.kind == word && (next.text == "," || next.text == "}" || next.text == "(") {
			return true // shorthand
		}
	}
	return false
}

// opensObject says whether a brace after this token opens an object literal, not a block.
func opensObject(before token) bool {
	if before.kind == punctuation {
		return strings.Contains("( , = : [ ? && || ! + - += == != === !== ^ | & < >", before.text) && before.text != ""
	}
	return slices.Contains([]string{"return", "typeof", "in", "new", "throw", "case", "void", "delete"}, before.text)
}

// reserved are the words that JScript does not take as a property's name.
var reserved = strings.Fields(`break case catch class const continue debugger default delete do else enum export extends
	false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with`)

type kind byte

const (
	none kind = iota
	word
	literal
	punctuation
)

type token struct {
	kind kind
	text string
}

// longest first
var operators = []string{">>>=", "===", "!==", ">>>", "<<=", ">>=", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
	"&=", "|=", "^=", "<<", ">>", "**", "??"}

// tokenize splits a script; ok is false when a literal does not end.
func tokenize(s string) (tokens []token, ok bool) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c <= ' ':
			i++
		case strings.HasPrefix(s[i:], "//"):
			i += lineEnd(s[i:])
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return nil, false
			}
			i += n + 4
		case c == '"' || c == '\'' || c == '/' && regexpAfter(tokens):
			n := literalEnd(s[i:])
			if n == 0 {
				return nil, false
			}
			tokens = append(tokens, token{literal, s[i : i+n]})
			i += n
		case isWord(c):
			n := 1
			for i+n < len(s) && (isWord(s[i+n]) || c <= '9' && s[i+n] == '.') {
				n++
			}
			k := word
			if c <= '9' && c >= '0' {
				k = literal
			}
			tokens = append(tokens, token{k, s[i : i+n]})
			i += n
		default:
			text := operator(s[i:])
			tokens = append(tokens, token{punctuation, text})
			i += len(text)
		}
	}
	return tokens, true
}

func operator(s string) string {
	for _, o := range operators {
		if strings.HasPrefix(s, o) {
			return o
		}
	}
	if strings.HasPrefix(s, "?.") && (len(s) < 3 || s[2] < '0' || s[2] > '9') {
		return "?."
	}
	return s[:1]
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '\\' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func lineEnd(s string) int {
	if n := strings.IndexAny(s, "\r\n"); n >= 0 {
		return n
	}
	return len(s)
}

// literalEnd is the length of the string or regular expression that s begins with, 0
// when it does not end on its line.
func literalEnd(s string) int {
	class := false
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '\n':
			return 0
		case s[0] == '/' && c == '[':
			class = true
		case s[0] == '/' && c == ']':
			class = false
		case c == s[0] && !class:
			return i + 1
		}
	}
	return 0
}

// regexpAfter says whether a slash after these tokens begins a regular expression.
func regexpAfter(tokens []token) bool {
	if len(tokens) == 0 {
		return true
	}
	last := tokens[len(tokens)-1]
	switch last.kind {
	case literal:
		return false
	case word:
		return slices.Contains([]string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do"}, last.text)
	}
	return last.text != ")" && last.text != "]" && last.text != "}"
}
