package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The parts of the scripts.
var (
	//go:embed js/base.js
	baseJS string
	//go:embed js/dom.js
	domJS string
	//go:embed js/act.js
	actJS string
	//go:embed js/field.js
	fieldJS string
	//go:embed js/state.js
	stateJS string
	//go:embed js/inspect.js
	inspectJS string
	//go:embed js/actionable.js
	actionableJS string
	//go:embed js/frame.js
	frameJS string
	//go:embed js/holds.js
	holdsJS string
	//go:embed js/option.js
	optionJS string
	//go:embed js/selected.js
	selectedJS string
	//go:embed js/editable.js
	editableJS string
	//go:embed js/filled.js
	filledJS string
	//go:embed js/form.js
	formJS string
	//go:embed js/table.js
	tableJS string
	//go:embed js/focused.js
	focusedJS string
	//go:embed js/file.js
	fileJS string
)

// script is the text of a script, without its input.
type script string

// The scripts: one for each caller.
var (
	stateScript      = compose(stateJS)
	inspectScript    = compose(domJS, inspectJS)
	actionableScript = compose(domJS, actJS, actionableJS)
	frameScript      = compose(domJS, frameJS)
	holdsScript      = compose(domJS, holdsJS)
	optionScript     = compose(domJS, actJS, fieldJS, optionJS, mainIs("option"))
	selectedScript   = compose(domJS, selectedJS)
	editableScript   = compose(domJS, actJS, fieldJS, editableJS, mainIs("editable"))
	filledScript     = compose(domJS, fieldJS, filledJS, mainIs("filled"))
	formScript       = compose(domJS, actJS, fieldJS, editableJS, optionJS, filledJS, formJS)
	tableScript      = compose(domJS, tableJS)
	fileScript       = compose(domJS, actJS, fileJS)
	focusedScript    = compose(domJS, actJS, focusedJS)
)

// compose joins the parts after the base, without comments and indentation:
// every command sends all of it.
func compose(parts ...string) script {
	var b strings.Builder
	for _, part := range append([]string{baseJS}, parts...) {
		for line := range strings.Lines(part) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				b.WriteString(line + "\n")
			}
		}
	}
	return script(b.String())
}

// mainIs makes one function of the parts the whole of a script.
func mainIs(function string) string { return "function main() { return " + function + "(); }" }

// with makes the function body for one input. In strict mode, a function of the
// page that the script comes to call cannot read the script, and so the input.
func (s script) with(input any) (string, error) {
	value, err := literal(input)
	if err != nil {
		return "", err
	}
	return "return (function (element, input) {\n'use strict';\n" + string(s) +
		"return answer(main);\n})(arguments[0], " + value + ");", nil
}

// literal is v as an ES3 literal in ASCII: no parser is needed in the page, no
// policy of the page forbids it, no code page can damage it.
func literal(v any) (string, error) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("page: the input of a script cannot be encoded: %w", err)
	}
	var b strings.Builder
	for _, r := range string(encoded) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String(), nil
}
