// Package oauthtest provides an MCP server that requires a sign-in, combined with the
// authorization server that it names.
package oauthtest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is both servers. Its fields may be changed before its first request.
type Server struct {
	*httptest.Server

	Authorize string // the address for the browser; if empty, its own
	Refuse    string // the user's refusal of a sign-in; if empty, they agree
	ExpiresIn int    // lifetime of a token in seconds
	Grant     int    // the HTTP status of a renewal; 0 issues a new token

	mu        sync.Mutex
	n         int
	good      map[string]bool   // access tokens
	refresh   map[string]bool   // tokens that are valid for one renewal
	challenge map[string]string // by code
	Renewals  int
	Clients   []map[string]any // registered clients
}

// Open starts a server with the same offers that requires no sign-in, and returns its
// address.
func Open(t testing.TB) string {
	t.Helper()
	tools := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	offer(tools)
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// New starts a Server with the MCP tools "hello" and "ask", which asks the user for a
// name and a number, the prompt "greet" and the resource note://1. It ends with t.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{ExpiresIn: 3600, good: map[string]bool{}, refresh: map[string]bool{}, challenge: map[string]string{}}
	tools := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(tools, &mcp.Tool{Name: "hello"}, func(context.Context, *mcp.CallToolRequest, struct{}) (
		*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello."}}}, nil, nil
	})
	offer(tools)
	protected := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok || !s.Accepts(token) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		protected.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"resource": s.MCP(), "authorization_servers": []string{s.URL},
			"scopes_supported": []string{"read"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", s.metadata)
	mux.HandleFunc("/register", s.register)
	mux.HandleFunc("/authorize", s.authorize)
	mux.HandleFunc("/token", s.token)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func offer(s *mcp.Server) {
	schema := json.RawMessage(`{"type": "object", "required": ["name"], "properties": {
		"cups": {"type": "integer", "title": "Cups"}, "name": {"type": "string", "description": "Whom to bring it to"}}}`)
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (
		*mcp.CallToolResult, any, error) {
		res, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Tea for whom?", RequestedSchema: schema})
		if err != nil {
			return nil, nil, err
		}
		said, err := json.Marshal(res.Content)
		return &mcp.CallToolResult{
			Content: []mcp.Content{&mcp.TextContent{Text: "the user: " + res.Action + " " + string(said)}}}, nil, err
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{
				Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: "Greet " + r.Params.Arguments["who"] + " kindly."}}}}, nil
		})
	s.AddResource(&mcp.Resource{Name: "note", URI: "note://1"}, func(context.Context, *mcp.ReadResourceRequest) (
		*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "note://1", Text: "remember the milk"}}}, nil
	})
}

// MCP returns the address of the MCP server.
func (s *Server) MCP() string { return s.URL + "/mcp" }

// Accepts reports whether token was issued and not revoked.
func (s *Server) Accepts(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.good[token]
}

// Renewed returns how many renewals were requested.
func (s *Server) Renewed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Renewals
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	at := s.Authorize
	if at == "" {
		at = s.URL + "/authorize"
	}
	answer(w, 200, map[string]any{
		"issuer": s.URL, "authorization_endpoint": at, "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL +
			"/register",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
	})
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var client map[string]any
	_ = json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&client)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Clients = append(s.Clients, client)
	client["client_id"] = fmt.Sprint("client-", len(s.Clients))
	answer(w, 201, client)
}

// authorize handles the browser's request, and sends the browser back at once.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back := url.Values{"state": {q.Get("state")}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Refuse != "" {
		back.Set("error", "access_denied")
		back.Set("error_description", s.Refuse)
	} else {
		s.n++
		code := fmt.Sprint("code-", s.n)
		s.challenge[code] = q.Get("code_challenge")
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		code := r.Form.Get("code")
		if want := s.challenge[code]; want == "" || base64.RawURLEncoding.EncodeToString(sum[:]) != want {
			answer(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(s.challenge, code)
	case "refresh_token":
		s.Renewals++
		old := r.Form.Get("refresh_token")
		if s.Grant != 0 || !s.refresh[old] {
			answer(w, max(s.Grant, 400), map[string]any{"error": "invalid_grant"})
			return
		}
		delete(s.refresh, old)
	}
	s.n++
	access, renew := fmt.Sprint("access-", s.n), fmt.Sprint("renew-", s.n)
	s.good[access], s.refresh[renew] = true, true
	answer(w, 200, map[string]any{"access_token": access, "refresh_token": renew, "token_type": "Bearer",
		"expires_in": s.ExpiresIn, "scope": "read"})
}
