// Package mcp makes tools of those that MCP servers offer: it starts or reaches
// the servers, lists their tools under names of our own, and passes calls on
// (core/tools/mcp-client.ts). It keeps out which servers are configured and
// trusted, and who may call what. Servers speak over standard input and output,
// streamable HTTP, or the older HTTP with server-sent events. Their tools,
// resources and prompts are used, also those that come while a session runs, and
// they may ask the user for something while a call of them runs; sampling is not.
//
// What servers say is other people's text: names and descriptions are cleaned
// of what nobody sees, and nothing that they send is kept without a bound.
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
	// protocol is the version that Gemini CLI speaks (core/tools/mcp-client.ts).
	protocol = "2025-06-18"
	// DefaultTimeout is how long one call may take (core/config/config.ts).
	DefaultTimeout = 10 * time.Minute
	// startTime bounds how long a session waits for a server to come up.
	startTime = 30 * time.Second
	// stopGrace is the time between asking a server to stop and killing it.
	stopGrace = 500 * time.Millisecond
	// stderrKept of a server that does not start is shown.
	stderrKept = 2 << 10
	// maxMessage bounds one message of a server, in bytes.
	maxMessage = 16 << 20
	// maxOffered bounds how many tools, and how many resources, are taken.
	maxOffered = 1000
)

// Transport says how a server that has a URL is spoken to.
type Transport string

const (
	TransportAny  Transport = ""     // streamable HTTP, and if it does not come up so, SSE
	TransportHTTP Transport = "http" // streamable HTTP
	TransportSSE  Transport = "sse"  // the older one, of protocol version 2024-11-05
)

// Server says how to reach a server, and what is wanted of it. It has either a
// Command, with Args, Env and Dir, or a URL, with Transport and Headers.
type Server struct {
	Name    string
	Command string // a program, looked up in PATH
	Args    []string
	Env     []string // the whole environment, "k=v"
	Dir     string

	URL       string
	Transport Transport
	Headers   map[string]string  // sent to the host of URL alone, wherever it redirects to
	Tokens    oauth2.TokenSource // sent as Headers are; nil, or a nil token: the user did not sign in

	Timeout time.Duration // of one call; 0: DefaultTimeout
	Trusted bool
	Include []string                                      // names of tools, at the server; nil: all
	Exclude []string                                      // stronger than Include
	Within  func(only []string, begin func() error) error // where Command is started; nil: in none
	Root    string                                        // the project, which the server may ask for; empty: none

	// Elicit asks the user for what the server wants to know; nil: it is declined.
	Elicit func(context.Context, Form) Reply
}

// Session is the connection with a server. Its tools may be called until it is
// closed.
type Session struct {
	server  Server
	calls   atomic.Int64
	version *atomic.Int64 // counts changes of what is offered
	chatty  sync.Once     // for the first text that is not a message

	restarting sync.Mutex // held while the server is started again
	restarts   int

	mu        sync.Mutex // guards what is below
	link      link
	client    *mcp.ClientSession
	notes     []string // for the user
	offered   offer
	ready     bool               // it was listed once
	stale     bool               // the server said that it changed
	refreshed chan struct{}      // closed when it was listed again; nil: nobody is at it
	callers   []*context.Context // of the calls that run

	asking sync.Mutex // held while the user is asked
}

// offer is what a server has, as far as it is wanted.
type offer struct {
	tools     []tools.Tool
	resources []resource
	prompts   []Prompt
}

// list asks the server for all that it offers.
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
// own name or by ours; it may say more in parentheses.
func (s Server) isAbout(entry, tool string) bool {
	name, _, _ := strings.Cut(entry, "(")
	return name == tool || name == Name(s.Name, tool)
}

func (s Server) wants(tool string) bool {
	about := func(entry string) bool { return s.isAbout(entry, tool) }
	return !slices.ContainsFunc(s.Exclude, about) && (s.Include == nil || slices.ContainsFunc(s.Include, about))
}

// missed is the error of an entry of Exclude that is about none of all tools, and
// spelled like one of those that are offered: that one was probably meant.
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

// Resources are the URIs of what the server offers to read, in its order.
func (s *Session) Resources() []string {
	var out []string
	for _, r := range s.now().resources {
		out = append(out, r.uri)
	}
	return out
}

// Name is what the settings call the server.
func (s *Session) Name() string { return s.server.Name }

// Instructions are what the server tells the model about its tools, cut where
// they are long; empty: nothing. (core/prompts/promptProvider.ts)
func (s *Session) Instructions() string {
	if r := s.connection().InitializeResult(); r != nil {
		return clip(strings.TrimSpace(text.Clean(r.Instructions)), maxDescription)
	}
	return ""
}
