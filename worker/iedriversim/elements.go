package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

const elementKey = "element-6066-11e4-a52e-4f735466cecf"

func escape(segment string) string { return url.PathEscape(segment) }

// elements are the driver's ids of chromedriver's elements.
type elements struct{ ids, guids map[string]string }

// reference makes the client's reference of one of chromedriver's.
func (e *elements) reference(value json.RawMessage) (map[string]string, bool) {
	var in map[string]string
	if json.Unmarshal(value, &in) != nil || in[elementKey] == "" {
		return nil, false
	}
	id := in[elementKey]
	if e.guids[id] == "" {
		guid := newGUID()
		e.guids[id], e.ids[guid] = guid, id
	}
	return map[string]string{elementKey: e.guids[id]}, true
}

func (e *elements) id(guid string) (string, error) {
	if id, ok := e.ids[guid]; ok {
		return id, nil
	}
	return "", fail(noElement, "Invalid internal element ID requested: "+guid)
}

// arguments replaces the references inside a value by chromedriver's. With keys it
// refuses what the driver's building of objects cannot bear.
func (e *elements) arguments(value any, keys bool) (any, error) {
	var err error
	switch v := value.(type) {
	case []any:
		for i := range v {
			if v[i], err = e.arguments(v[i], keys); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		if guid, ok := v[elementKey].(string); ok {
			id, err := e.id(guid)
			return map[string]any{elementKey: id}, err
		}
		for name := range v {
			if keys && strings.ContainsAny(name, "\"\\\n\r") {
				return nil, fail(scriptError, "Error executing JavaScript")
			}
			if v[name], err = e.arguments(v[name], keys); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

var strategiesOfFind = []string{"css selector", "tag name", "link text", "partial link text", "xpath"}

func (s *session) find(c *call) (any, error) {
	using, value, err := locator(c.params)
	if err != nil {
		return nil, err
	}
	many := strings.HasSuffix(c.route.name, "Elements") || c.route.name == "findElements"
	parent, child := c.path["element"]
	if child {
		if parent, err = s.elements.id(parent); err != nil {
			return nil, err
		}
		c.path["element"] = parent
	}
	end := time.Now()
	if wait := s.timeouts.Implicit; wait > 0 {
		end = end.Add(time.Duration(max(wait/1000, 1)) * time.Second)
	}
	for {
		found, err := s.pass(c)
		code := refused(err)
		switch {
		case code == stale && child, code == noElement && child && !strings.Contains(err.Error(), "Unable to locate"):
			return nil, fail(stale, "Specified parent element is no longer attached to the DOM")
		case code == "no such window" || err != nil && code != noElement:
			return nil, err
		case err == nil && !many:
			if reference, ok := s.elements.reference(found.(json.RawMessage)); ok {
				return reference, nil
			}
			return nil, nil // a dialog opened in between
		case err == nil:
			var list []json.RawMessage
			json.Unmarshal(found.(json.RawMessage), &list)
			references := []any{}
			for _, element := range list {
				if reference, ok := s.elements.reference(element); ok {
					references = append(references, reference)
				}
			}
			if len(references) > 0 {
				return references, nil
			}
		}
		time.Sleep(time.Duration(c.Faults.FindMissMs) * time.Millisecond)
		if !time.Now().Before(end) {
			if many {
				return []any{}, nil
			}
			return nil, fail(noElement, fmt.Sprintf("Unable to find element with %s == %s", using, value))
		}
	}
}

func locator(params object) (using, value string, err error) {
	raw, ok := params["using"]
	if !ok {
		return "", "", fail(badArgument, "Missing parameter: using")
	}
	if json.Unmarshal(raw, &using) != nil {
		return "", "", fail(badArgument, "using parameter must be a string")
	}
	if raw, ok = params["value"]; !ok {
		return "", "", fail(badArgument, "Missing parameter: value")
	}
	if json.Unmarshal(raw, &value) != nil {
		return "", "", fail(badArgument, "value parameter must be a string")
	}
	if !slices.Contains(strategiesOfFind, using) {
		return "", "", fail(badArgument, "using parameter value '"+using+"' is not a valid value")
	}
	return using, value, nil
}

func (s *session) activeElement(c *call) (any, error) {
	value, err := s.pass(c)
	if err != nil {
		return nil, err
	}
	if reference, ok := s.elements.reference(value.(json.RawMessage)); ok {
		return reference, nil
	}
	return nil, fail(noElement, "An unexpected error occurred getting the active element")
}

// ask passes on a command for one element.
func (s *session) ask(c *call) (any, error) {
	id, err := s.elements.id(c.path["element"])
	if err != nil {
		return nil, err
	}
	c.path["element"] = id
	return s.pass(c)
}

func (s *session) equals(c *call) (any, error) {
	for _, name := range []string{"element", "other"} {
		if _, err := s.elements.id(c.path[name]); err != nil {
			return nil, err
		}
	}
	return c.path["element"] == c.path["other"], nil
}

var intercepted = regexp.MustCompile(`(?s)is not clickable at point \((-?\d+), ?(-?\d+)\)\. Other element would receive the click: (.*)`)

func (s *session) click(c *call) (any, error) {
	if c.RealTiming {
		time.Sleep(time.Until(s.clicked.Add(500 * time.Millisecond)))
		s.clicked = time.Now()
		time.Sleep(55 * time.Millisecond)
	}
	_, err := s.ask(c)
	s.loadCycle(c)
	switch refused(err) {
	case badArgument:
		return nil, fail(badArgument, "Cannot call click on an <input type='file'> element. Use sendKeys to upload files.")
	case interactable:
		return nil, fail(interactable, "Element is not displayed")
	case "element click intercepted":
		if m := intercepted.FindStringSubmatch(err.Error()); m != nil {
			return nil, fail("element click intercepted", fmt.Sprintf(
				"Element not clickable at point (%s,%s). Other element would receive the click: %s (elementsFromPoint index 1)", m[1], m[2], m[3]))
		}
	}
	return nil, err
}

func (s *session) clear(c *call) (any, error) {
	_, err := s.ask(c)
	switch refused(err) {
	case "invalid element state":
		return nil, fail("invalid element state", "Element must not be read-only or disabled")
	case interactable:
		return nil, fail(interactable, "Element is not interactable, it must not be hidden and it must be able to receive focus")
	}
	return nil, err
}

func (s *session) actions(c *call) (any, error) {
	raw, ok := c.params["actions"]
	if !ok {
		return nil, fail(badArgument, "Missing parameter: actions")
	}
	var sources []any
	if json.Unmarshal(raw, &sources) != nil || sources == nil {
		return nil, fail(badArgument, "Actions value is not an array")
	}
	for _, source := range sources {
		if m, _ := source.(map[string]any); m == nil || !slices.Contains([]any{"key", "pointer", "none"}, m["type"]) {
			return nil, fail(badArgument, "Unexpected error performing action sequence.")
		}
	}
	given, err := s.elements.arguments(sources, false)
	if err != nil {
		return nil, err
	}
	_, err = s.backend.send(http.MethodPost, "/actions", map[string]any{"actions": given})
	return nil, err
}

func (s *session) switchToFrame(c *call) (any, error) {
	var id any
	if raw, ok := c.params["id"]; ok {
		json.Unmarshal(raw, &id)
	}
	switch v := id.(type) {
	case nil:
	case float64:
		if v != float64(int(v)) || v < 0 || v > 65535 {
			return nil, fail(badArgument, "Frame identifier must be between 0 and 65535 inclusive")
		}
	case map[string]any:
		guid, ok := v[elementKey].(string)
		if !ok {
			return nil, fail(badArgument, "Frame identifier was an object, but not a web element reference")
		}
		chrome, err := s.elements.id(guid)
		if err != nil {
			return nil, err
		}
		id = map[string]string{elementKey: chrome}
	default:
		return nil, fail(badArgument, "Frame identifier argument must be null, an integer, or a web element reference")
	}
	_, err := s.backend.send(http.MethodPost, "/frame", map[string]any{"id": id})
	if code := refused(err); code == stale || code == noElement {
		return nil, fail(stale, "No frame found")
	}
	return nil, err
}
