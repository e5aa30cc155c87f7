package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

// tool presents an operation. What the table leaves out follows from the
// operation.
type tool struct {
	name        string
	description string
	op          *api.Entry
	hints       hints

	rename map[string]string                // the operation's name of a field → the tool's
	items  string                           // a list in input and result whose objects have those fields, too
	fields map[string]*jsonschema.Schema    // the arguments, where they are not the operation's
	shape  func(map[string]json.RawMessage) // turns such arguments into the operation's
	status string                           // word that the result adds as "status"
	waits  string                           // what progress notifications say; "" = none are sent
	starts bool                             // it makes the caller's own session
	run    func(*call, context.Context) (*answer, error)

	overtakes bool
	input     *jsonschema.Schema
	output    *jsonschema.Schema
}

// hints are the four annotations.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

// answer is what a tool gives.
type answer struct {
	result json.RawMessage
	blobs  []api.Blob
}

// compile derives the schemas.
func (t *tool) compile() {
	t.overtakes = t.op.Lane == api.Overtake
	in := t.op.Input.CloneSchemas()
	in.PropertyOrder, in.Required = slices.Clone(in.PropertyOrder), slices.Clone(in.Required)
	if t.fields != nil {
		in.Properties, in.PropertyOrder, in.Required = maps.Clone(t.fields), slices.Sorted(maps.Keys(t.fields)), nil
	}
	if in.Properties == nil {
		in.Properties = map[string]*jsonschema.Schema{}
	}
	t.renameIn(in)
	if list := in.Properties[t.items]; list != nil {
		t.renameIn(list.Items)
	}
	in.Properties["sessionId"] = &jsonschema.Schema{
		Type: "string", MinLength: new(1), MaxLength: new(128),
		Description: "Default: your own session.",
	}
	in.Properties["timeoutMs"] = &jsonschema.Schema{
		Type:    "integer",
		Minimum: new(float64(api.MinTimeout.Milliseconds())),
		Maximum: new(float64(api.MaxTimeout.Milliseconds())),
	}
	in.PropertyOrder = append(in.PropertyOrder, "sessionId", "timeoutMs")
	t.input = in

	out := t.op.Output.CloneSchemas()
	if t.status != "" {
		if out.Properties == nil {
			out.Properties = map[string]*jsonschema.Schema{}
		}
		out.Properties["status"] = &jsonschema.Schema{Type: "string"}
		out.PropertyOrder = append([]string{"status"}, out.PropertyOrder...)
	}
	t.output = out
}

// renameIn gives the properties of an object their names in the tool.
func (t *tool) renameIn(object *jsonschema.Schema) {
	for from, to := range t.rename {
		if property, ok := object.Properties[from]; ok {
			object.Properties[to] = property
			delete(object.Properties, from)
			object.PropertyOrder = replaced(object.PropertyOrder, from, to)
			object.Required = replaced(object.Required, from, to)
		}
	}
}

// replaced is list, which it leaves as it is, with to in the place of from.
func replaced(list []string, from, to string) []string {
	list = slices.Clone(list)
	if i := slices.Index(list, from); i >= 0 {
		list[i] = to
	}
	return list
}

// describe is the tool as tools/list shows it. Raw schemas cost the SDK least.
func (t *tool) describe() (*mcp.Tool, error) {
	in, err := json.Marshal(t.input)
	if err != nil {
		return nil, fmt.Errorf("input schema of %s: %w", t.name, err)
	}
	out, err := json.Marshal(t.output)
	if err != nil {
		return nil, fmt.Errorf("output schema of %s: %w", t.name, err)
	}
	return &mcp.Tool{
		Name: t.name, Title: t.op.Title, Description: t.description,
		InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.hints.readOnly, DestructiveHint: &t.hints.destructive,
			IdempotentHint: t.hints.idempotent, OpenWorldHint: &t.hints.openWorld,
		},
	}, nil
}

// common are the arguments of every tool.
type common struct {
	SessionID string `json:"sessionId"`
	TimeoutMs int64  `json:"timeoutMs"`
}

// decode validates arguments and turns them into what is common and the
// operation's input. The error names fields as the tool does.
func (t *tool) decode(arguments json.RawMessage) (common, json.RawMessage, error) {
	var c common
	if err := api.Check(t.input, arguments); err != nil {
		return c, nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &fields); err != nil {
		return c, nil, api.Errorf(api.InvalidArgument, "The arguments cannot be read.").Because(err)
	}
	if err := json.Unmarshal(arguments, &c); err != nil {
		return c, nil, api.Errorf(api.InvalidArgument, "sessionId or timeoutMs cannot be read.").Because(err)
	}
	delete(fields, "sessionId")
	delete(fields, "timeoutMs")
	for from, to := range t.rename {
		move(fields, to, from)
	}
	if err := t.renameItems(fields, false); err != nil {
		return c, nil, api.Errorf(api.InvalidArgument, "%s cannot be read.", t.items).Because(err)
	}
	if t.shape != nil {
		t.shape(fields)
	}
	input, err := json.Marshal(fields)
	if err != nil {
		return c, nil, api.Errorf(api.InvalidArgument, "The arguments cannot be read.").Because(err)
	}
	return c, input, t.op.Check(input)
}

// present turns the operation's result, and its fields, into the tool's.
func (t *tool) present(result json.RawMessage, fields map[string]json.RawMessage) (json.RawMessage, error) {
	if t.status == "" && t.items == "" {
		return result, nil
	}
	if t.status != "" {
		fields["status"], _ = json.Marshal(t.status)
	}
	if err := t.renameItems(fields, true); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// renameItems renames in the list of items: to the operation's names, or to the
// tool's.
func (t *tool) renameItems(fields map[string]json.RawMessage, toTool bool) error {
	list, ok := fields[t.items]
	if !ok {
		return nil
	}
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return err
	}
	for _, item := range items {
		for from, to := range t.rename {
			if toTool {
				move(item, from, to)
			} else {
				move(item, to, from)
			}
		}
	}
	var err error
	fields[t.items], err = json.Marshal(items)
	return err
}

func move(fields map[string]json.RawMessage, from, to string) {
	if v, ok := fields[from]; ok {
		fields[to] = v
		delete(fields, from)
	}
}

// newestFlag turns {"target":"newest"} into the operation's flag.
func newestFlag(fields map[string]json.RawMessage) {
	if _, ok := fields["target"]; ok {
		delete(fields, "target")
		fields["newest"] = json.RawMessage("true")
	}
}

// isNothing tells absent arguments.
func isNothing(arguments json.RawMessage) bool {
	return len(arguments) == 0 || string(arguments) == "null"
}
