// Package mcp turns the tools of MCP servers into tools of minigem: it starts or
// reaches the servers, lists their tools under names of our own, and passes calls on
// (core/tools/mcp-client.ts). Which servers are configured and trusted, and who may
// call what, is decided elsewhere. Servers use standard input and output, streamable
// HTTP, or the older HTTP with server-sent events. Their tools, resources and prompts
// are available, including those added during a session, and servers may ask the user
// for input during a call. Sampling is not supported.
//
// Text from servers is untrusted: names and descriptions are cleaned of invisible
// characters, and nothing that they send is kept without a limit.
package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"minigem/internal/text"
	"minigem/tools"
)

const (
	// protocol is the protocol version that Gemini CLI uses (core/tools/mcp-client.ts).
	protocol = "2025-06-18"
	// DefaultTimeout is how long one call may take (core/config/config.ts).
	DefaultTimeout = 10 * time.Minute
	// startTime limits how long a session waits for a server to start.
	startTime = 30 * time.Second
	// stopGrace is the time between asking a server to stop and killing it.
	stopGrace = 500 * time.Millisecond
	// stderrKept is how much stderr of a server that does not start is shown.
	stderrKept = 2 << 10
	// maxMessage limits one message of a server, in bytes.
	maxMessage = 16 << 20
	// maxOffered limits how many tools, and how many resources, a server may offer.
	maxOffered = 1000
)

// Transport says how to talk to a server that has a URL.
type Transport string

const (
	TransportAny  Transport = ""     // streamable HTTP, or SSE if that does not work
	TransportHTTP Transport = "http" // streamable HTTP
	TransportSSE  Transport = "sse"  // the older transport, of protocol version 2024-11-05
)

// Server says how to reach a server and what to use of it. It has either a Command,
// with Args, Env and Dir, or a URL, with Transport and Headers.
type Server struct {
	Name    string
	Command string // a program, looked up in PATH
	Args    []string
	Env     []string // the whole environment, "k=v"
	Dir     string

	URL       string
	Transport Transport
	Headers   map[string]string  // sent only to the host of URL, even after redirects
	Tokens    oauth2.TokenSource // sent like Headers; nil, or a nil token, if the user did not sign in

	Timeout time.Duration // limit for one call; 0 means DefaultTimeout
	Trusted bool
	Include []string                                      // the server's names of tools to use; nil means all
	Exclude []string                                      // overrides Include
	Within  func(only []string, begin func() error) error // starts Command confined; may be nil
	Root    string                                        // the project's folder, or empty; servers may ask for it

	// Elicit asks the user for what the server wants to know. If nil, requests are
	// declined.
	Elicit func(context.Context, Form) Reply
}

// Session is a connection to a server. Its tools may be called until it is closed.
type Session struct {
	server  Server
	calls   atomic.Int64
	version *atomic.Int64 // counts changes of the offer
	chatty  sync.Once     // for the first text that is not a message

	restarting sync.Mutex // held while the server is restarted
	restarts   int

	mu        sync.Mutex // guards the fields below
	link      link
	client    *mcp.ClientSession
	notes     []string // for the user
	offered   offer
	ready     bool               // the offer has been listed once
	stale     bool               // the server said that its offer changed
	refreshed chan struct{}      // closed when the offer has been listed again; nil if no refresh is running
	callers   []*context.Context // contexts of the running calls

	asking sync.Mutex // held while the user is asked
}

// offer is what a server offers, as far as it is used.
type offer struct {
	tools     []tools.Tool
	resources []resource
	prompts   []Prompt
}

// list asks the server for everything it offers.
func (s *Session) list(ctx context.Context) error {
	c := s.connection().InitializeResult().Capabilities
	if c == nil {
		c = &mcp.ServerCapabilities{}
	}
	var o offer
	var err error
	if c.Tools != nil {
		if o.tools, err = s.listTools(ctx); err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
	}
	if c.Resources != nil {
		if o.resources, err = s.listResources(ctx); err != nil {
			return fmt.Errorf("listing its resources: %w", err)
		}
	}
	if c.Prompts != nil {
		if o.prompts, err = s.listPrompts(ctx); err != nil {
			return fmt.Errorf("listing its prompts: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = o
	return nil
}

func (s *Session) now() offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offered
}

func (s *Session) listTools(ctx context.Context) ([]tools.Tool, error) {
	var out []tools.Tool
	var all, offered []string
	for t, err := range s.connection().Tools(ctx, nil) {
		if err == nil && len(all) == maxOffered {
			err = fmt.Errorf("there are more than %d", maxOffered)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, t.Name)
		if s.server.wants(t.Name) {
			out, offered = append(out, newTool(s, t)), append(offered, t.Name)
		}
	}
	return out, s.server.missed(all, offered)
}

// isAbout reports whether an entry of Include or Exclude names tool, by the server's
// name or by ours. The entry may contain more text in parentheses.
func (s Server) isAbout(entry, tool string) bool {
	name, _, _ := strings.Cut(entry, "(")
	return name == tool || name == Name(s.Name, tool)
}

func (s Server) wants(tool string) bool {
	about := func(entry string) bool { return s.isAbout(entry, tool) }
	return !slices.ContainsFunc(s.Exclude, about) && (s.Include == nil || slices.ContainsFunc(s.Include, about))
}

// missed returns an error for an entry of Exclude that names no tool but is spelled
// like one that is offered, which was probably meant.
func (s Server) missed(all, offered []string) error {
	for _, entry := range s.Exclude {
		if slices.ContainsFunc(all, func(tool string) bool { return s.isAbout(entry, tool) }) {
			continue
		}
		name, _, _ := strings.Cut(entry, "(")
		if meant := text.Nearest(strings.TrimPrefix(name, Name(s.Name, "")), offered); meant != "" {
			return fmt.Errorf("excludeTools names %q, which it does not have%s", text.VisibleLine(name),
				text.DidYouMean(text.VisibleLine(meant)))
		}
	}
	return nil
}

// Tools returns the tools that the server offers, in its order.
func (s *Session) Tools() []tools.Tool { return s.now().tools }

// Prompts returns the prompts that the server offers, in its order.
func (s *Session) Prompts() []Prompt { return s.now().prompts }

// Resources returns the URIs of the resources that the server offers, in its order.
func (s *Session) Resources() []string {
	var out []string
	for _, r := range s.now().resources {
		out = append(out, r.uri)
	}
	return out
}

// Name returns the server's name in the settings.
func (s *Session) Name() string { return s.server.Name }

// Instructions returns what the server tells the model about its tools, cut if it is
// long, or "" if there is nothing. (core/prompts/promptProvider.ts)
func (s *Session) Instructions() string {
	if r := s.connection().InitializeResult(); r != nil {
		return clip(strings.TrimSpace(text.Clean(r.Instructions)), maxDescription)
	}
	return ""
}
