package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/nettest"
	"minigem/tools"
	"minigem/tools/toolstest"
)

// sdkServer makes a real server with the tools and resources that fill adds.
func sdkServer(fill func(*mcp.Server)) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	fill(s)
	return s
}

func serveHTTP(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web
}

func streamable(s *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

func sse(s *mcp.Server) http.Handler {
	return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

// TestRemote checks that servers behind a URL offer the same as local ones.
func TestRemote(t *testing.T) {
	t.Parallel()
	fill := sdkServer(addTools)
	for _, tt := range []struct {
		name      string
		handler   http.Handler
		transport Transport
	}{
		{"http", streamable(fill), TransportHTTP},
		{"http, answers in JSON", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return fill }, &mcp.StreamableHTTPOptions{JSONResponse: true}), TransportHTTP},
		{"http, without sessions", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return fill }, &mcp.StreamableHTTPOptions{Stateless: true}), TransportHTTP},
		{"sse", sse(fill), TransportSSE},
		{"http is tried first", streamable(fill), TransportAny},
		{"sse is tried then", sse(fill), TransportAny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := Server{Name: "srv", URL: serveHTTP(t, tt.handler).URL, Transport: tt.transport, Exclude: []string{"where", "die"}}
			session := connect(t, s)
			assert.Equal(t, "mcp_srv_echo mcp_srv_fail_it mcp_srv_nothing mcp_srv_several mcp_srv_wait", names(session))
			assert.Equal(t, &tools.MCPOrigin{Server: "srv", Tool: "echo", URL: s.URL}, named(session, "echo").Info().MCP)
			for range 2 {
				got, err := run(t, t.Context(), named(session, "echo"), map[string]any{"text": "ab", "times": 2})
				require.NoError(t, err)
				assert.Equal(t, "abab", got.Display)
			}
			_, err := run(t, t.Context(), named(session, "fail it"), nil)
			assert.ErrorContains(t, err, "out of paper")
		})
	}
}

func TestRemoteToolContract(t *testing.T) {
	t.Parallel()
	session := connect(t, Server{Name: "srv", URL: serveHTTP(t, streamable(sdkServer(addTools))).URL})
	toolstest.Run(t, toolstest.Case{Tool: named(session, "echo"), Args: map[string]any{"text": "hi"}, Dir: t.TempDir()})
}

// TestRemoteCallsEnd checks that a call ends by its timeout and by a cancel, and that
// the session continues.
func TestRemoteCallsEnd(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(*mcp.Server) http.Handler{"http": streamable, "sse": sse} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := make(chan struct{})
			s := Server{Name: "srv", Transport: Transport(name), URL: serveHTTP(t, handler(sdkServer(func(s *mcp.Server) {
				addTools(s)
				mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
					select {
					case <-ctx.Done():
					case <-over: // a cancel that overtakes its call on another connection is lost
					}
					return nil, nil, errors.New("ended")
				})
			}))).URL}
			t.Cleanup(func() { close(over) }) // the server ends once its calls have
			for answered := false; !answered; {
				s.Timeout = max(100*time.Millisecond, 2*s.Timeout) // the shortest time in which this machine answers a call
				session := connect(t, s)
				_, err := run(t, t.Context(), named(session, "wait"), nil)
				assert.ErrorContains(t, err, "did not answer within "+s.Timeout.String())
				_, err = run(t, t.Context(), named(session, "echo"), map[string]any{"text": "x"})
				if answered = err == nil; !answered {
					require.ErrorContains(t, err, "did not answer within ", "what is slow is tried again, and nothing else")
				}
			}
			s.Timeout = 0
			session := connect(t, s)
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(20*time.Millisecond, func() { cancel(fmt.Errorf("interrupted")) })
			_, err := run(t, ctx, named(session, "wait"), nil)
			require.ErrorContains(t, err, "interrupted")
			_, err = run(t, t.Context(), named(session, "echo"), map[string]any{"text": "x"})
			require.NoError(t, err)
		})
	}
}

// TestRemoteDies checks that a call fails if its server goes away meanwhile.
func TestRemoteDies(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(*mcp.Server) http.Handler{"http": streamable, "sse": sse} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var web *httptest.Server
			over := make(chan struct{})
			s := sdkServer(func(s *mcp.Server) {
				mcp.AddTool(s, &mcp.Tool{Name: "die"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
					go web.CloseClientConnections()
					go web.Listener.Close()
					<-over
					return &mcp.CallToolResult{}, nil, nil
				})
			})
			web = serveHTTP(t, handler(s))
			t.Cleanup(func() { close(over) })
			session := connect(t, Server{Name: "srv", URL: web.URL, Transport: Transport(name)})
			_, err := run(t, t.Context(), named(session, "die"), nil)
			var e *tools.Error
			require.ErrorAs(t, err, &e)
			assert.Contains(t, e.Message, "could not be called")
		})
	}
}

// TestHeaders checks that headers are sent to the server, and not to where it
// redirects.
func TestHeaders(t *testing.T) {
	t.Parallel()
	inner := streamable(sdkServer(addTools))
	var mu sync.Mutex
	seen := map[string][]string{}
	note := func(who string, h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen[who] = append(seen[who], r.Header.Get("X-Token"))
			mu.Unlock()
			h.ServeHTTP(w, r)
		})
	}
	other := serveHTTP(t, note("other", inner))
	first := serveHTTP(t, note("first", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})))
	session := connect(t, Server{Name: "srv", URL: first.URL, Headers: map[string]string{"X-Token": "secret"}})
	_, err := run(t, t.Context(), named(session, "echo"), map[string]any{"text": "x"})
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	assert.NotEmpty(t, seen["first"])
	assert.NotEmpty(t, seen["other"])
	for _, v := range seen["first"] {
		assert.Equal(t, "secret", v)
	}
	for _, v := range seen["other"] {
		assert.Empty(t, v)
	}
}

func TestRemoteThatDoesNotComeUp(t *testing.T) {
	t.Parallel()
	answer := func(f http.HandlerFunc) string { return serveHTTP(t, f).URL }
	gone := "http://" + nettest.Refusing(t)
	for _, tt := range []struct {
		name   string
		server Server
		want   string
	}{
		{"nobody listens", Server{URL: gone}, "connection refused"},
		{"not a server", Server{URL: answer(http.NotFound)}, "Not Found"},
		{"sign in", Server{URL: answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }), Transport: TransportHTTP},
			`Unauthorized: sign in by minigem mcp auth srv, or give it what it asks for in "headers"`},
		{"sign in, sse", Server{URL: answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }), Transport: TransportSSE},
			`Forbidden: sign in by minigem mcp auth srv, or give it what it asks for in "headers"`},
		{"a page", Server{URL: answer(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })}, "unsupported content type"},
		{"endless", Server{URL: answer(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for line := strings.Repeat(" ", 1<<20); r.Context().Err() == nil; {
				if _, err := fmt.Fprint(w, line); err != nil {
					return
				}
			}
		}), Transport: TransportHTTP}, "longer than"},
		{"no URL", Server{URL: "example.com/mcp"}, "must begin with http:// or https://"},
		{"a file", Server{URL: "file:///etc/passwd"}, "must begin with http:// or https://"},
		{"type", Server{URL: "http://localhost:1", Transport: "stdio"}, "must be http or sse"},
		{"both", Server{URL: "http://localhost:1", Command: "cat"}, "both a command and a URL"},
		{"a password in the URL", Server{URL: strings.Replace(gone, "http://", "http://user:hunter2@", 1)}, "user:xxxxx@"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.server.Name = "srv"
			_, err := Connect(t.Context(), tt.server)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "connecting to the MCP server srv")
			assert.NotContains(t, err.Error(), "hunter2")
			assert.NotContains(t, err.Error(), "\n", "lists have a line for it")
		})
	}
}

// TestRemoteThatHangs checks that a server which accepts a connection and says nothing
// holds up a session only as long as the caller waits.
func TestRemoteThatHangs(t *testing.T) {
	t.Parallel()
	url := serveHTTP(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
		<-r.Context().Done()
	})).URL
	for _, transport := range []Transport{TransportAny, TransportHTTP, TransportSSE} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := Connect(ctx, Server{Name: "srv", URL: url, Transport: transport})
		require.ErrorIs(t, err, context.DeadlineExceeded, string(transport))
	}
}

// TestHostileDescriptions checks that a server's texts are cleaned of invisible
// characters, and bounded.
func TestHostileDescriptions(t *testing.T) {
	t.Parallel()
	tag := "\U000e0049\U000e0067" // "Ig" in invisible tags
	s := sdkServer(func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: "a", Description: "Says \x1b[31mred\u202e" + tag + " things.", InputSchema: json.RawMessage(`{"type": "object",
			"properties": {"x": {"type": "string", "description": "hidden` + tag + `"}}}`)}, nop)
		s.AddTool(&mcp.Tool{Name: "b", Description: strings.Repeat("é", 1<<20), InputSchema: json.RawMessage(`{"type": "object", "description": "` + strings.Repeat("x", 1<<20) + `"}`)}, nop)
	})
	session := connect(t, Server{Name: "srv", URL: serveHTTP(t, streamable(s)).URL})
	a, b := named(session, "a").Spec(), named(session, "b").Spec()
	assert.Equal(t, "Says red things.", a.Description)
	assert.JSONEq(t, `{"type": "object", "properties": {"x": {"type": "string", "description": "hidden"}}}`, string(a.Parameters))
	assert.LessOrEqual(t, len(b.Description), maxDescription)
	assert.True(t, strings.HasSuffix(b.Description, "é..."))
	assert.JSONEq(t, `{"type": "object"}`, string(b.Parameters))
}

func nop(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}

// TestTooManyTools checks that an endless list is rejected.
func TestTooManyTools(t *testing.T) {
	t.Parallel()
	s := sdkServer(func(s *mcp.Server) {
		for i := range maxOffered + 1 {
			s.AddTool(&mcp.Tool{Name: fmt.Sprint("t", i), InputSchema: json.RawMessage(`{"type": "object"}`)}, nop)
		}
	})
	_, err := Connect(t.Context(), Server{Name: "srv", URL: serveHTTP(t, streamable(s)).URL})
	require.ErrorContains(t, err, "listing its tools: there are more than 1000")
}

// TestLongAnswers checks that several long texts are bounded together.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	var content []mcp.Content
	for range 100 {
		content = append(content, &mcp.TextContent{Text: strings.Repeat("x", 10<<10)})
	}
	got := result(content)
	assert.Less(t, len(got.Display.(string)), maxText+1<<10)
	assert.False(t, got.Truncatable)
	one := result(content[:1])
	assert.True(t, one.Truncatable)
	assert.Len(t, one.Display, 10<<10)
}
