// Package mcpserver presents the operations of the catalogue as MCP tools, over
// stdio and Streamable HTTP, to clients of every published protocol version.
//
// It keeps the order of calls, remembers which browser session and page are
// each caller's, and validates arguments. Who may call, how often, and to which
// sites is decided around it and in the [api.Worker] below it.
package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"iemesh/api"
)

// Options say what a [Server] serves.
type Options struct {
	Worker   api.Worker // asked for every operation; its errors are [*api.Error]
	Profiles []string   // of tools: "ie", "legacy"

	Timeout        time.Duration // limit of a call that names none; 0 = 10 s
	StartTimeout   time.Duration // the same of browser_start; 0 = 60 s
	IdleTimeout    time.Duration // after which workers close unused sessions; 0 = 15 min
	SessionTimeout time.Duration // after which an MCP session without requests is over; 0 = 60 min

	Log     *slog.Logger // nil = silent
	Version string       // of the program
}

// Server serves MCP. Make one with [New]; end it with [Server.Shutdown].
type Server struct {
	options Options
	mcp     *mcp.Server
	tools   map[string]*tool
	callers *callers

	places  sync.Map // *mcp.RequestExtra → *place, of calls read from stdio
	streams sync.Map // value of requestHeader → *stream

	base context.Context // ends with the server, and every call with it
	end  context.CancelCauseFunc

	writeLimit time.Duration // of one write to an HTTP client
	quiet      time.Duration // after which a silent event stream gets a comment
}

// Limits of the end of a stdio connection: for running calls to notice it, and
// for sessions to close.
const (
	drainLimit = 2 * time.Second
	closeLimit = 7 * time.Second
)

// renewalsAtOnce bounds the requests that keep sessions from idling out.
const renewalsAtOnce = 8

// New makes a server. It fails for a profile that does not exist.
func New(o Options) (*Server, error) {
	o.Timeout = orDefault(o.Timeout, 10*time.Second)
	o.StartTimeout = orDefault(o.StartTimeout, time.Minute)
	o.IdleTimeout = orDefault(o.IdleTimeout, 15*time.Minute)
	o.SessionTimeout = orDefault(o.SessionTimeout, time.Hour)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	tools, err := toolsOf(o.Profiles)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, tools: map[string]*tool{},
		writeLimit: 30 * time.Second, quiet: 15 * time.Second,
	}
	s.base, s.end = context.WithCancelCause(context.Background())
	s.callers = newCallers(s.base, o.IdleTimeout)
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "iemesh", Title: "iemesh", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructionsOf(o.Profiles),
		Logger:       quieter(o.Log),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, // the list never changes
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs = 300_000 },
	})
	for _, t := range tools {
		shown, err := t.describe()
		if err != nil {
			return nil, err
		}
		s.tools[t.name] = t
		s.mcp.AddTool(shown, s.handle(t))
	}
	// The first is the outermost.
	s.mcp.AddReceivingMiddleware(s.recoverPanics, pinVersion, s.armStream, gate, s.bindSession)
	go s.renew()
	return s, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// quieter leaves the SDK's reports of ordinary life out of the log.
func quieter(log *slog.Logger) *slog.Logger {
	return slog.New(levelHandler{log.Handler()})
}

type levelHandler struct{ slog.Handler }

func (h levelHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func toolsOf(profiles []string) ([]*tool, error) {
	var tools []*tool
	for _, profile := range profiles {
		switch profile {
		case "ie":
			tools = append(tools, ieTools()...)
		case "legacy":
			tools = append(tools, legacyTools()...)
		default:
			return nil, fmt.Errorf("there is no tool profile %q", profile)
		}
	}
	if len(tools) == 0 {
		return nil, errors.New("no tool profile is given")
	}
	for _, t := range tools {
		t.compile()
	}
	return tools, nil
}

func instructionsOf(profiles []string) string {
	if slices.Contains(profiles, "legacy") {
		return instructions + legacyInstructions
	}
	return instructions
}

// Tools are the tools of the profiles as clients see them, for documentation.
func Tools(profiles []string) ([]*mcp.Tool, error) {
	tools, err := toolsOf(profiles)
	if err != nil {
		return nil, err
	}
	list := make([]*mcp.Tool, len(tools))
	for i, t := range tools {
		if list[i], err = t.describe(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ServeStdio serves one client until the input ends, which is no error, or ctx
// or the server does. Then it cancels the running calls and closes the client's
// browser sessions, within 9 seconds. Out carries JSON-RPC only.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	c := s.callers.begin(callerKey{principal(nil), "stdio " + api.NewID()})
	defer context.AfterFunc(ctx, func() { c.cut(errShutdown) })()
	t := s.newStdio(c, in, out)

	ss, err := s.mcp.Connect(context.WithoutCancel(ctx), t, nil)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- ss.Wait() }()
	select {
	case err = <-done:
	case <-c.over.Done():
		select {
		case err = <-done:
		case <-time.After(drainLimit):
		}
	}
	t.settleAll()
	s.closeSessions(context.WithoutCancel(ctx), c)
	if ctx.Err() != nil || s.base.Err() != nil {
		return nil
	}
	return err
}

// closeSessions ends the sessions of a caller that has left for good.
func (s *Server) closeSessions(ctx context.Context, c *caller) {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, id := range s.callers.end(c) {
		all.Go(func() {
			_, _, err := api.Do(ctx, s.options.Worker, api.SessionClose, s.upkeep(c, id, closeLimit), api.Empty{})
			if err == nil { // else the worker's idle time-out ends it
				c.forget(id)
			}
		})
	}
	all.Wait()
}

// upkeep begins a request that no client has made.
func (s *Server) upkeep(c *caller, id string, limit time.Duration) api.Call {
	return api.Call{
		SessionID: id, TimeoutMs: min(limit, api.MaxTimeout).Milliseconds(),
		Caller: api.Caller{Principal: c.key.principal},
	}
}

// renew keeps the sessions of living connections from idling out, so that a
// worker frees those of a gateway that died.
func (s *Server) renew() {
	every := max(s.options.IdleTimeout/3, time.Millisecond)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-s.base.Done():
			return
		case <-tick.C:
			s.renewAll(every)
		}
	}
}

func (s *Server) renewAll(limit time.Duration) {
	limit = max(min(limit, s.options.Timeout), api.MinTimeout)
	var group errgroup.Group
	group.SetLimit(renewalsAtOnce)
	for _, h := range s.callers.toRenew() {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(s.base, limit)
			defer cancel()
			_, _, err := api.Do(ctx, s.options.Worker, api.SessionRenew, s.upkeep(h.caller, h.id, limit), api.Empty{})
			if err == nil {
				return nil
			}
			switch api.AsError(err).Code {
			case api.SessionNotFound:
				h.caller.forget(h.id)
			case api.DriverLost:
				h.caller.release(h.id)
			}
			return nil
		})
	}
	_ = group.Wait() // what failed is tried again at the next tick
}

// Shutdown cancels every call and ends every MCP session, so that no stream
// stays open, and returns when that is done or ctx ends. The HTTP server around
// [Server.Handler] is shut down after it. Browser sessions stay with the
// worker.
func (s *Server) Shutdown(ctx context.Context) {
	s.end(errShutdown)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var all sync.WaitGroup
		for _, ss := range slices.Collect(s.mcp.Sessions()) {
			all.Go(func() { _ = ss.Close() })
		}
		all.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
