package mcpserver

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

// recoverPanics keeps a fault in one call from ending the process: the SDK runs
// handlers on goroutines of its own and recovers nothing.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			s.options.Log.ErrorContext(ctx, "panic", "method", method, "cause", api.Panicked(p).Cause)
			if method == "tools/call" {
				res, err = errorResult(api.Errorf(api.InternalError, "Something went wrong inside iemesh; the action may have happened.")), nil
				return
			}
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
		}()
		return next(ctx, method, req)
	}
}

// pinVersion makes an MCP session remember the version that initialize was
// answered with. The SDK (v1.8.0) stores the one that was asked for, and would
// send results of 2026-07-28 to a client that was told 2025-11-25.
func pinVersion(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.InitializeParams); ok && p != nil && p.ProtocolVersion > lastWithSessions {
			p.ProtocolVersion = lastWithSessions
		}
		return next(ctx, method, req)
	}
}

// gate refuses the methods of features that are not offered; the SDK would
// answer them with empty lists.
func gate(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch family, _, _ := strings.Cut(method, "/"); family {
		case "prompts", "resources", "logging", "completion":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
		}
		return next(ctx, method, req)
	}
}

var (
	errSessionOver = errors.New("the MCP session is over")
	errShutdown    = errors.New("the gateway is shutting down")
)

// bindSession ends calls with the MCP session that they belong to, and with the
// server. It also follows the life of MCP sessions, for which the SDK has no
// hook.
func (s *Server) bindSession(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		over := s.base
		if ss, ok := req.GetSession().(*mcp.ServerSession); ok && ss.ID() != "" {
			key := callerKey{principalOf(req), ss.ID()}
			c := s.callers.get(key)
			if c == nil && method == "initialize" {
				c = s.callers.begin(key)
				go func() {
					_ = ss.Wait()
					s.callers.end(c)
				}()
			}
			if c != nil {
				over = c.over
			}
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(over, func() { cancel(context.Cause(over)) })()
		return next(ctx, method, req)
	}
}
