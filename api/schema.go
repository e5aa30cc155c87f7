package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

const locatorRef = "#/$defs/locator"

// inputSchema is the JSON Schema of an input type: closed, without nulls, and
// with one definition of a locator.
func inputSchema[T any]() *jsonschema.Schema {
	return schemaOf[T](map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Locator](): {Ref: locatorRef},
		reflect.TypeFor[Frames](): {AnyOf: []*jsonschema.Schema{
			{Ref: locatorRef},
			{Type: "array", Items: &jsonschema.Schema{Ref: locatorRef}, MinItems: new(1), MaxItems: new(MaxFrames)},
		}},
		reflect.TypeFor[Condition]():    enum(Conditions()),
		reflect.TypeFor[OptionBy]():     enum([]OptionBy{OptionText, OptionValue, OptionIndex}),
		reflect.TypeFor[OptionKey]():    {Types: []string{"string", "integer"}},
		reflect.TypeFor[DialogAction](): enum([]DialogAction{Accept, Dismiss}),
		reflect.TypeFor[offset]():       {Type: "integer", Minimum: new(0.0)},
		reflect.TypeFor[elementLimit](): {Type: "integer", Minimum: new(1.0), Maximum: new(float64(MaxElements))},
		reflect.TypeFor[rowLimit]():     {Type: "integer", Minimum: new(1.0), Maximum: new(float64(MaxRows))},
		reflect.TypeFor[formFields]():   formSchema(),
	})
}

// outputSchema describes a result. It constrains nothing: a client gains
// nothing from refusing what a worker sent.
func outputSchema[T any]() *jsonschema.Schema {
	s := schemaOf[T](map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Element]():     {Type: "object"},
		reflect.TypeFor[Dialog]():      {Type: "object"},
		reflect.TypeFor[[]Window]():    {Type: "array"},
		reflect.TypeFor[FieldResult](): {Type: "object"},
	})
	loosen(s)
	return s
}

func schemaOf[T any](types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic(fmt.Sprintf("schema of %v: %v", reflect.TypeFor[T](), err)) // a fault in a declaration: no program starts with it
	}
	if removeNulls(s) {
		s.Defs = map[string]*jsonschema.Schema{"locator": locatorSchema()}
	}
	return s
}

func locatorSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"by":    enum([]Strategy{ByID, ByName, ByCSS, ByXPath, ByLinkText}),
			"value": {Type: "string", MinLength: new(1), MaxLength: new(MaxLocator)},
		},
		PropertyOrder:        []string{"by", "value"},
		Required:             []string{"by", "value"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

func formSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "array", MinItems: new(1), MaxItems: new(MaxFields),
		Items: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"target": {Ref: locatorRef},
				"value": {
					Types:       []string{"string", "boolean"},
					Description: "Text, text of an option, or boolean for checkbox and radio.",
				},
			},
			PropertyOrder:        []string{"target", "value"},
			Required:             []string{"target", "value"},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		},
	}
}

func enum[S ~string](values []S) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// removeNulls undoes what inference does for pointers and slices: a value that
// is not there is left out, never null. It reports whether a locator is used.
func removeNulls(s *jsonschema.Schema) (locator bool) {
	if i := slices.Index(s.Types, "null"); i >= 0 {
		s.Types = slices.Delete(slices.Clone(s.Types), i, i+1)
		switch len(s.Types) {
		case 0: // beside a $ref
			s.Types = nil
		case 1:
			s.Type, s.Types = s.Types[0], nil
		}
	}
	locator = s.Ref == locatorRef
	for _, sub := range children(s) {
		locator = removeNulls(sub) || locator
	}
	return locator
}

func loosen(s *jsonschema.Schema) {
	s.Required, s.AdditionalProperties = nil, nil
	for _, sub := range children(s) {
		loosen(sub)
	}
}

func children(s *jsonschema.Schema) []*jsonschema.Schema {
	var list []*jsonschema.Schema
	for _, sub := range s.Properties {
		list = append(list, sub)
	}
	if s.Items != nil {
		list = append(list, s.Items)
	}
	return append(list, s.AnyOf...)
}

// Check validates data against s, which uses the keywords of this file. The
// error is an InvalidArgument that names the field and says what is wanted,
// and repeats nothing of the value: it may be a password.
func Check(s *jsonschema.Schema, data json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return Errorf(InvalidArgument, "The arguments are not valid JSON.").Because(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Errorf(InvalidArgument, "The arguments are more than one JSON value.")
	}
	c := checker{root: s}
	if problem := c.check(s, v, ""); problem != "" {
		return Errorf(InvalidArgument, "%s", problem)
	}
	return nil
}

type checker struct{ root *jsonschema.Schema }

// check returns what is wrong with v as a sentence, or "".
func (c checker) check(s *jsonschema.Schema, v any, path string) string {
	if s.Ref != "" {
		return c.check(c.root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")], v, path)
	}
	if len(s.AnyOf) > 0 {
		return c.checkAny(s, v, path)
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(v, t) }) {
		return fmt.Sprintf("%s must be %s.", field(path), article(strings.Join(types, " or ")))
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return fmt.Sprintf("%s must be one of %s.", field(path), strings.Trim(fmt.Sprint(s.Enum), "[]"))
	}
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		switch {
		case s.MinLength != nil && n < *s.MinLength:
			return fmt.Sprintf("%s must not be empty.", field(path))
		case s.MaxLength != nil && n > *s.MaxLength:
			return fmt.Sprintf("%s may have at most %d characters.", field(path), *s.MaxLength)
		}
	case json.Number:
		n, err := v.Float64()
		if err != nil || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
			return fmt.Sprintf("%s must be %s.", field(path), between(s.Minimum, s.Maximum))
		}
	case []any:
		if s.MinItems != nil && len(v) < *s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
			return fmt.Sprintf("%s must have %d to %d items.", field(path), *s.MinItems, *s.MaxItems)
		}
		for i, item := range v {
			if problem := c.check(s.Items, item, fmt.Sprintf("%s[%d]", path, i)); problem != "" {
				return problem
			}
		}
	case map[string]any:
		return c.checkObject(s, v, path)
	}
	return ""
}

func (c checker) checkObject(s *jsonschema.Schema, v map[string]any, path string) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Sprintf("%s is required.", field(join(path, name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		sub, ok := s.Properties[name]
		if !ok {
			if s.AdditionalProperties == nil {
				continue
			}
			return fmt.Sprintf("There is no argument %.60q here; known are: %s.", join(path, name), strings.Join(names(s), ", "))
		}
		if problem := c.check(sub, v[name], join(path, name)); problem != "" {
			return problem
		}
	}
	return ""
}

// checkAny tells the problem of the alternative whose type fits.
func (c checker) checkAny(s *jsonschema.Schema, v any, path string) string {
	problem := fmt.Sprintf("%s must be a selector {\"by\",\"value\"}, or a list of 1 to %d of them.", field(path), MaxFrames)
	for _, alternative := range s.AnyOf {
		p := c.check(alternative, v, path)
		if p == "" {
			return ""
		}
		if _, isList := v.([]any); isList == (alternative.Type == "array") {
			if !strings.HasPrefix(p, field(path)+" must be an") {
				problem = p
			}
		}
	}
	return problem
}

func isType(v any, name string) bool {
	switch v := v.(type) {
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case json.Number:
		n, err := v.Float64()
		return name == "number" || name == "integer" && err == nil && n == math.Trunc(n)
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

func between(low, high *float64) string {
	switch {
	case high == nil:
		return fmt.Sprintf("at least %v", *low)
	case low == nil:
		return fmt.Sprintf("at most %v", *high)
	}
	return fmt.Sprintf("from %v to %v", *low, *high)
}

func names(s *jsonschema.Schema) []string {
	if len(s.Properties) == 0 {
		return []string{"none"}
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func field(path string) string {
	if path == "" {
		return "The input"
	}
	return path
}

func article(types string) string {
	if strings.ContainsRune("aeiou", rune(types[0])) {
		return "an " + types
	}
	return "a " + types
}
