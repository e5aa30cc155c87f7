package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const fileFieldJS = `var e = arguments[0], a = document.activeElement; return [e.nodeName === 'INPUT' && e.type === 'file', !!e.multiple, e === a]`

func (s *session) sendKeys(c *call) (any, error) {
	var text string
	raw, ok := c.params["text"]
	if !ok {
		return nil, fail(badArgument, "Missing parameter: text")
	}
	if json.Unmarshal(raw, &text) != nil {
		return nil, fail(badArgument, "text parameter must be a string")
	}
	id, err := s.elements.id(c.path["element"])
	if err != nil {
		return nil, err
	}
	element := map[string]string{elementKey: id}
	value, err := s.backend.send(http.MethodPost, "/execute/sync", map[string]any{"script": fileFieldJS, "args": []any{element}})
	if err != nil {
		return nil, err
	}
	var field [3]bool // file, multiple, focused
	if err := json.Unmarshal(value, &field); err != nil {
		return nil, err
	}
	if field[0] {
		if err := uploadable(text, field[1]); err != nil {
			return nil, err
		}
		if c.Faults.UploadHangs {
			<-s.never
		}
		_, err := s.backend.send(http.MethodPost, "/element/"+escape(id)+"/value", map[string]string{"text": text})
		return nil, err
	}
	if c.Faults.IgnoreKeys {
		text = ""
	}
	if c.Faults.MangleKeys {
		text = strings.Map(mangled, text)
	}
	err = s.typeText(id, text)
	if refused(err) == interactable {
		return nil, fail(interactable, "Element cannot be interacted with via the keyboard because it is not focusable")
	}
	return nil, err
}

// mangled leaves ASCII and the keys of the WebDriver table alone.
func mangled(r rune) rune {
	if r < utf8.RuneSelf || r >= 0xe000 && r <= 0xe05d {
		return r
	}
	return '?'
}

// typeText types; chromedriver has no keys for characters beyond the first plane.
func (s *session) typeText(id, text string) error {
	for first := true; first || text != ""; first = false {
		n := strings.IndexFunc(text, func(r rune) bool { return r > 0xffff })
		if n < 0 {
			n = len(text)
		}
		if n > 0 || first {
			if _, err := s.backend.send(http.MethodPost, "/element/"+escape(id)+"/value", map[string]string{"text": text[:n]}); err != nil {
				return err
			}
		}
		text = text[n:]
		if text == "" {
			return nil
		}
		n = strings.IndexFunc(text, func(r rune) bool { return r <= 0xffff })
		if n < 0 {
			n = len(text)
		}
		if _, err := s.backend.cdp("Input.insertText", map[string]any{"text": text[:n]}); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// uploadable checks the paths that are sent to a file input.
func uploadable(text string, multiple bool) error {
	if text == "" {
		return fail(badArgument, "Upload file cannot be an empty string.")
	}
	paths := strings.Split(text, "\n")
	if len(paths) > 1 && !multiple {
		return fail(badArgument, "Attempting to upload multiple files to file upload element without multiple attribute.")
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return fail(badArgument, "Attempting to upload file '"+path+"' which does not exist.")
		case info.IsDir():
			return fail(badArgument, "Attempting to upload file '"+path+"' which is a directory.")
		case filepath.Dir(path) != filepath.Dir(paths[0]):
			return fail(badArgument, "Attempting to upload multiple files, but all files must be in the same directory.")
		}
	}
	return nil
}
