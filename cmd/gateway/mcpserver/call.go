package mcpserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

// grace is how long after its deadline a call may still be settled by the
// worker, which releases it by itself, before it is cancelled from here.
const grace = 5 * time.Second

// call is one tools/call.
type call struct {
	server *Server
	tool   *tool
	place  *place
	caller *caller

	sessionID string // as named, or ""
	input     json.RawMessage
	deadline  time.Time
	asked     bool // a worker was asked in the tool's name, so the call is audited
}

// handle makes the SDK's handler of a tool.
func (s *Server) handle(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := req.Params.Arguments
		if isNothing(arguments) {
			arguments = json.RawMessage(`{}`)
		}
		given, input, err := t.decode(arguments)
		p := s.takePlace(req.Extra)
		if p == nil {
			key := callerKey{principalOf(req), req.Session.ID()}
			p = s.callers.of(key).join(t, given.SessionID)
		}
		defer p.leave()
		x := &call{server: s, tool: t, place: p, caller: p.caller, sessionID: given.SessionID, input: input}
		x.deadline = p.read.Add(s.limit(t, given.TimeoutMs))

		var a *answer
		if err == nil {
			stop := notify(ctx, req, t, x.deadline)
			a, err = x.perform(ctx)
			p.leave()
			stop()
		}
		if !x.asked {
			s.log(ctx, x, err)
		}
		if err != nil {
			return errorResult(presentable(err)), nil
		}
		return a.render(), nil
	}
}

// limit is the time that a call has.
func (s *Server) limit(t *tool, givenMs int64) time.Duration {
	switch {
	case givenMs > 0:
		return time.Duration(givenMs) * time.Millisecond
	case t.starts:
		return s.options.StartTimeout
	case t.op.Timeout > 0:
		return t.op.Timeout
	}
	return s.options.Timeout
}

// perform waits until it is the call's turn, and runs it.
func (x *call) perform(ctx context.Context) (*answer, error) {
	queued, cancel := context.WithDeadline(ctx, x.deadline)
	defer cancel()
	if x.place.wait(queued) != nil || x.caller.over.Err() != nil {
		if ctx.Err() != nil || x.caller.over.Err() != nil {
			return nil, api.Errorf(api.Cancelled, "Cancelled before it had any effect.")
		}
		return nil, api.Errorf(api.Timeout, "Not done: earlier calls took all of the time. It is safe to try again.")
	}
	ctx, cancel = context.WithDeadline(ctx, x.deadline.Add(grace))
	defer cancel()
	return x.tool.run(x, ctx)
}

// start gets the caller a session of its own: the one that it names or has, one
// that an ended MCP session left, or a new one.
func (x *call) start(ctx context.Context) (*answer, error) {
	c := x.caller
	if x.sessionID != "" {
		if _, err := x.look(ctx, x.sessionID); err != nil && api.AsError(err).Code == api.SessionNotFound {
			c.forget(x.sessionID)
			return nil, api.Errorf(api.SessionNotFound, "There is no such session. Leave sessionId out for your own browser, or a new one.").Because(err)
		} // whatever else is wrong with it the worker mends, or says
	}
	former, _ := c.find(x.sessionID)
	var adopted *orphan
	if former == "" {
		if adopted = x.adopt(ctx); adopted != nil {
			former = adopted.id
		}
	}
	out, _, err := api.Do(ctx, x.server.options.Worker, api.SessionEnsure, x.request(), api.EnsureInput{SessionID: former})
	if err != nil {
		if adopted != nil {
			c.book.putBack(c.key.principal, adopted)
		}
		return nil, err
	}
	out.PageID = c.hold(out.SessionRef, former, adopted)
	result, err := json.Marshal(struct {
		Status string `json:"status"`
		api.EnsureResult
	}{x.tool.status, out})
	return &answer{result: result}, err
}

// adopt takes the session that an ended MCP session left last, passing over
// those that are gone: one of them would hide the others when every slot is taken.
func (x *call) adopt(ctx context.Context) *orphan {
	for {
		o := x.caller.book.adopt(x.caller.key.principal)
		if o == nil {
			return nil
		}
		info, err := x.look(ctx, o.id)
		switch {
		case err == nil && info.State == api.Ready:
			return o
		case err == nil, api.AsError(err).Code == api.SessionNotFound, api.AsError(err).Code == api.DriverLost:
			continue
		}
		return o // to be put back if the worker cannot be asked at all
	}
}

// close ends a session. That there is none is as good.
func (x *call) close(ctx context.Context) (*answer, error) {
	if id, _ := x.caller.find(x.sessionID); id != "" {
		request := x.request()
		request.SessionID = id
		_, _, err := api.Do(ctx, x.server.options.Worker, api.SessionClose, request, api.Empty{})
		if err != nil {
			switch api.AsError(err).Code {
			case api.SessionNotFound, api.SessionClosing, api.DriverLost:
			default:
				return nil, err
			}
		}
		x.caller.forget(id)
	}
	result, err := json.Marshal(map[string]string{"status": x.tool.status})
	return &answer{result: result}, err
}

// act runs an operation on the current page.
func (x *call) act(ctx context.Context) (*answer, error) {
	id, b, err := x.locate(ctx)
	if err != nil {
		return nil, err
	}
	request := x.request()
	request.SessionID, request.PageID = id, b.page
	request.Operation, request.Input = x.tool.op.Name, x.input
	reply, err := x.server.options.Worker.Do(ctx, &request)
	if err != nil {
		return nil, x.lost(id, request.ID, err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(reply.Result, &fields); err != nil || fields == nil {
		return nil, api.Errorf(api.InternalError, "The result of %s could not be read.", x.tool.op.Name).Because(err)
	}
	result, err := x.tool.present(reply.Result, fields)
	return &answer{result, reply.Blobs}, err
}

// switchWindow makes another window the current page.
func (x *call) switchWindow(ctx context.Context) (*answer, error) {
	id, b, err := x.locate(ctx)
	if err != nil {
		return nil, err
	}
	var in api.PageFindInput
	if err := json.Unmarshal(x.input, &in); err != nil {
		return nil, err
	}
	if in.Newest {
		in.Known = b.seen
	}
	request := x.request()
	request.SessionID = id
	out, reply, err := api.Do(ctx, x.server.options.Worker, api.PageFind, request, in)
	if err != nil {
		return nil, x.lost(id, request.ID, err)
	}
	x.caller.visit(id, out.PageID)
	return &answer{result: reply.Result}, nil
}

// locate tells the session and page that the call is for.
func (x *call) locate(ctx context.Context) (string, browser, error) {
	id, b := x.caller.find(x.sessionID)
	if id == "" {
		return "", b, api.Errorf(api.BrowserNotStarted, "No browser is running. Call browser_start first.")
	}
	if b.page == "" {
		info, err := x.look(ctx, id)
		if err != nil {
			return "", b, x.lost(id, "", err)
		}
		if info.PageID != "" { // a failed session may have none; the operation will say why
			x.caller.visit(id, info.PageID)
			b.page, b.seen = info.PageID, []string{info.PageID}
		}
	}
	return id, b, nil
}

// look asks how a session is.
func (x *call) look(ctx context.Context, id string) (api.SessionInfo, error) {
	request := x.internal()
	request.SessionID = id
	info, _, err := api.Do(ctx, x.server.options.Worker, api.SessionGet, request, api.Empty{})
	return info, err
}

// request begins the request that the tool stands for.
func (x *call) request() api.Call {
	x.asked = true
	request := x.internal()
	request.Tool = x.tool.name
	return request
}

// internal begins a request on the way to it, with the time left.
func (x *call) internal() api.Call {
	left := max(time.Until(x.deadline), api.MinTimeout)
	return api.Call{
		ID: api.NewID(), TimeoutMs: left.Milliseconds(),
		Caller: api.Caller{Principal: x.caller.key.principal},
	}
}

// lost judges an error of a session: a session that is gone is forgotten.
func (x *call) lost(id, operation string, err error) error {
	e := api.AsError(err)
	switch e.Code {
	case api.OutcomeUnknown:
		named := *e
		named.OperationID = operation
		return &named
	case api.DriverLost:
		x.caller.forget(id)
	case api.SessionNotFound:
		x.caller.forget(id)
		if x.sessionID == "" {
			return api.Errorf(api.BrowserNotStarted, "The browser was closed. Call browser_start, then navigate.").Because(err)
		}
	case api.PageNotFound, api.WindowNotFound:
		if x.tool.op.Scope == api.Page {
			return api.Errorf(api.WindowNotFound, "The current window is closed; nothing was done. Use switch_window, index 0 for the first window.").Because(err)
		}
		gone := *e
		gone.Code = api.WindowNotFound
		return &gone
	}
	return err
}

// presentable is the error as the tools of profile ie answer it.
func presentable(err error) *api.Error {
	e := api.AsError(err)
	if e.Code == api.BrowserError {
		own := *e
		own.Code = api.InternalError
		return &own
	}
	return e
}

// render is the answer in MCP: the JSON as text and as structure, and what was
// seen beside it.
func (a *answer) render() *mcp.CallToolResult {
	result := plain(a.result)
	res := &mcp.CallToolResult{StructuredContent: result}
	for _, b := range a.blobs {
		res.Content = append(res.Content, &mcp.ImageContent{MIMEType: b.MediaType, Data: b.Data})
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: string(result)})
	return res
}

// errorResult never has structured content: clients hold that to the tool's
// output schema.
func errorResult(err error) *mcp.CallToolResult {
	text, _ := json.Marshal(api.AsError(err)) // strings and numbers only
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(plain(text))}}}
}

// plain undoes the escapes that encoding/json makes for HTML's sake: agents
// read URLs, and an ampersand should be one.
func plain(data json.RawMessage) json.RawMessage {
	out := make(json.RawMessage, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 == len(data) {
			out = append(out, data[i])
			continue
		}
		if i+6 <= len(data) {
			c := byte(0)
			switch string(data[i : i+6]) {
			case `\u0026`:
				c = '&'
			case `\u003c`:
				c = '<'
			case `\u003e`:
				c = '>'
			}
			if c != 0 {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, data[i], data[i+1])
		i++
	}
	return out
}

// log writes the line of a call that no worker saw, in the shape of the audit's.
func (s *Server) log(ctx context.Context, x *call, err error) {
	attrs := []slog.Attr{slog.String("tool", x.tool.name)}
	level := slog.LevelInfo
	if err != nil {
		e := api.AsError(err)
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", string(e.Code)), slog.String("message", e.Message))
	} else {
		for key, value := range x.tool.op.Audit(x.input) {
			attrs = append(attrs, slog.Any(key, value))
		}
	}
	attrs = append(attrs, slog.String("principal", x.caller.key.principal),
		slog.Int64("durationMs", time.Since(x.place.read).Milliseconds()))
	s.options.Log.LogAttrs(ctx, level, "", attrs...)
}

// principalOf is who calls: of the request, never of its context, which in an
// MCP session belongs to the request that began it.
func principalOf(req mcp.Request) string {
	if extra := req.GetExtra(); extra != nil {
		return principal(extra.TokenInfo)
	}
	return principal(nil)
}

// principal is whose token it is; without one, everybody is the same.
func principal(token *auth.TokenInfo) string {
	if token == nil || token.UserID == "" {
		return "local"
	}
	return token.UserID
}
