package mcpserver

import (
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Versions of the protocol are dates, so they compare as strings.
const (
	lastWithSessions = "2025-11-25"
	firstSessionless = "2026-07-28"
)

// maxMessage bounds a request body, and a line on stdio, in bytes.
const maxMessage = 16 << 20

// Handler serves POST, GET and DELETE of one MCP endpoint. Who may reach it is
// decided around it: Host, Origin, and bearer tokens, whose TokenInfo names the
// principal by UserID.
//
// Up to 2025-11-25 there are MCP sessions, and a client that disconnects has not
// cancelled anything; from 2026-07-28 on there are none, and it has.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	log := quieter(s.options.Log)
	withSessions := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Logger: log, SessionTimeout: s.options.SessionTimeout, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection: true, // the Host is checked around this, by the certificate's names too
	})
	sessionless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Logger: log, MaxRequestBodyBytes: maxMessage,
		Stateless: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true,
	})
	versions := mcp.SupportedProtocolVersions()
	return s.guardStreams(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.base.Err() != nil {
			http.Error(w, "The gateway is shutting down.", http.StatusServiceUnavailable)
			return
		}
		// What is newer, or unknown, only the sessionless handler refuses in JSON.
		if v := r.Header.Get("Mcp-Protocol-Version"); v >= firstSessionless || v != "" && !slices.Contains(versions, v) {
			sessionless.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodDelete { // the SDK waits for running calls
			owner := principal(auth.TokenInfoFromContext(r.Context()))
			if c := s.callers.get(callerKey{owner, r.Header.Get("Mcp-Session-Id")}); c != nil && c.connected {
				c.cut(errSessionOver)
			}
		}
		withSessions.ServeHTTP(w, r)
	}))
}
