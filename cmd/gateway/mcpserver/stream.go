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
		st := &stream{
			ResponseWriter: w, control: http.NewResponseController(w),
			limit: s.writeLimit, quiet: s.quiet,
		}
		id := rand.Text()
		r.Header.Set(requestHeader, id) // in place of whatever the client sent
		s.streams.Store(id, st)
		defer s.streams.Delete(id)
		defer st.stop()
		next.ServeHTTP(st, r)
	})
}

// armStream starts the comments of a tool call before its first event. The SDK
// has set the headers by the time that a handler runs.
func (s *Server) armStream(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if extra := req.GetExtra(); extra != nil && method == "tools/call" {
			if held, ok := s.streams.Load(extra.Header.Get(requestHeader)); ok {
				held.(*stream).arm()
			}
		}
		return next(ctx, method, req)
	}
}

type stream struct {
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
func (st *stream) Unwrap() http.ResponseWriter { return st.ResponseWriter }

func (st *stream) arm() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.armLocked()
}

func (st *stream) armLocked() {
	if st.armed || st.done {
		return
	}
	st.armed, st.last = true, time.Now()
	if strings.HasPrefix(st.Header().Get("Content-Type"), "text/event-stream") {
		st.Header().Set("X-Accel-Buffering", "no")
		st.timer = time.AfterFunc(st.quiet, st.comment)
	}
}

// WriteHeader notes what kind of response it is.
func (st *stream) WriteHeader(code int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.armLocked()
	st.ResponseWriter.WriteHeader(code)
}

// Write fails when the client does not take p in time.
func (st *stream) Write(p []byte) (int, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.writeLocked(p)
}

func (st *stream) writeLocked(p []byte) (int, error) {
	st.armLocked()
	st.last = time.Now()
	_ = st.control.SetWriteDeadline(st.last.Add(st.limit)) // not supported: nothing to guard
	return st.ResponseWriter.Write(p)
}

// FlushError is what a ResponseController calls.
func (st *stream) FlushError() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.flushLocked()
}

func (st *stream) flushLocked() error {
	_ = st.control.SetWriteDeadline(time.Now().Add(st.limit))
	if err := st.control.Flush(); err != nil {
		return err
	}
	_ = st.control.SetWriteDeadline(time.Time{}) // silence between events is not a slow write
	return nil
}

// comment fills a silence.
func (st *stream) comment() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.done {
		return
	}
	wait := st.quiet - time.Since(st.last)
	if wait <= 0 {
		wait = st.quiet
		if _, err := st.writeLocked([]byte(": keep-alive\n\n")); err != nil || st.flushLocked() != nil {
			return
		}
	}
	st.timer.Reset(wait)
}

func (st *stream) stop() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.done = true
	if st.timer != nil {
		st.timer.Stop()
	}
}
