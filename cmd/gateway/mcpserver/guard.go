package mcpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestHeader leads from an MCP call to the HTTP request that brought it:
// contexts do not, and headers are all else that a handler sees of it.
const requestHeader = "X-Iemesh-Request"

// guardStreams makes event streams safe behind proxies and with clients that
// stopped reading: each write has a deadline of its own, a quiet stream gets a
// comment now and then, and proxies are told not to buffer. It relies on the
// SDK (v1.8.0) writing one whole event at a time.
func (s *Server) guardStreams(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := &guard{
			ResponseWriter: w, control: http.NewResponseController(w),
			limit: s.writeLimit, quiet: s.quiet,
		}
		id := rand.Text()
		r.Header.Set(requestHeader, id) // in place of whatever the client sent
		s.guards.Store(id, g)
		defer s.guards.Delete(id)
		defer g.stop()
		next.ServeHTTP(g, r)
	})
}

// armStream starts the comments of a tool call before its first event. The SDK
// has set the headers by the time that a handler runs.
func (s *Server) armStream(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if extra := req.GetExtra(); extra != nil && method == "tools/call" {
			if g, ok := s.guards.Load(extra.Header.Get(requestHeader)); ok {
				g.(*guard).arm()
			}
		}
		return next(ctx, method, req)
	}
}

type guard struct {
	http.ResponseWriter
	control      *http.ResponseController
	limit, quiet time.Duration

	mu    sync.Mutex
	timer *time.Timer
	last  time.Time // of the last write
	armed bool
	done  bool
}

// Unwrap lets a ResponseController reach what this type does not wrap.
func (g *guard) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *guard) arm() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armLocked()
}

func (g *guard) armLocked() {
	if g.armed || g.done {
		return
	}
	g.armed, g.last = true, time.Now()
	if strings.HasPrefix(g.Header().Get("Content-Type"), "text/event-stream") {
		g.Header().Set("X-Accel-Buffering", "no")
		g.timer = time.AfterFunc(g.quiet, g.comment)
	}
}

// WriteHeader notes what kind of response it is.
func (g *guard) WriteHeader(code int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armLocked()
	g.ResponseWriter.WriteHeader(code)
}

// Write fails when the client does not take p in time.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.writeLocked(p)
}

func (g *guard) writeLocked(p []byte) (int, error) {
	g.armLocked()
	g.last = time.Now()
	_ = g.control.SetWriteDeadline(g.last.Add(g.limit)) // not supported: nothing to guard
	return g.ResponseWriter.Write(p)
}

// FlushError is what a ResponseController calls.
func (g *guard) FlushError() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.flushLocked()
}

func (g *guard) flushLocked() error {
	_ = g.control.SetWriteDeadline(time.Now().Add(g.limit))
	if err := g.control.Flush(); err != nil {
		return err
	}
	_ = g.control.SetWriteDeadline(time.Time{}) // silence between events is not a slow write
	return nil
}

// comment fills a silence.
func (g *guard) comment() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return
	}
	wait := g.quiet - time.Since(g.last)
	if wait <= 0 {
		wait = g.quiet
		if _, err := g.writeLocked([]byte(": keep-alive\n\n")); err != nil || g.flushLocked() != nil {
			return
		}
	}
	g.timer.Reset(wait)
}

func (g *guard) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done = true
	if g.timer != nil {
		g.timer.Stop()
	}
}
