// Package mcp makes tools of those that MCP servers offer: it starts the
// servers, lists their tools under names of our own, and passes calls on
// (spec/agent.md section 8). It keeps out which servers are configured and
// trusted, and who may call what. Servers speak over standard input and output;
// their tools are all that is used of them.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"minigem/internal/proc"
	"minigem/tools"
)

const (
	// protocol is the version that Gemini CLI speaks (spec/agent.md 8.2).
	protocol = "2025-06-18"
	// DefaultTimeout is how long one call may take (spec/agent.md 8.1).
	DefaultTimeout = 10 * time.Minute
	// startTime bounds how long a session waits for a server to come up.
	startTime = 30 * time.Second
	// stopGrace is the time between asking a server to stop and killing it.
	stopGrace = 500 * time.Millisecond
	// stderrKept of a server that does not start is shown.
	stderrKept = 2 << 10
)

// Server says how to reach a server, and what is wanted of it.
type Server struct {
	Name    string
	Command string // a program, looked up in PATH
	Args    []string
	Env     []string // the whole environment, "k=v"
	Dir     string
	Timeout time.Duration // of one call; 0: DefaultTimeout
	Trusted bool
	Include []string // names of tools, at the server; nil: all
	Exclude []string // stronger than Include
	Root    string   // the project, which the server may ask for; empty: none
}

// Session is the connection with a server. Its tools may be called until it is
// closed.
type Session struct {
	server  Server
	process *proc.Process
	client  *mcp.ClientSession
	tools   []tools.Tool
	calls   atomic.Int64
}

// Open starts all servers, side by side, and returns those that came up, in
// the order given, with an error for each of the others.
func Open(ctx context.Context, servers []Server) ([]*Session, []error) {
	sessions, errs := make([]*Session, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { sessions[i], errs[i] = Connect(ctx, s) })
	}
	all.Wait()
	sessions = slices.DeleteFunc(sessions, func(s *Session) bool { return s == nil })
	return sessions, slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// Connect starts a server and lists its tools. A server without tools is an
// error.
func Connect(ctx context.Context, s Server) (*Session, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("no answer within %v", startTime))
	defer cancel()
	p, err := proc.Start(proc.Command{
		Path: s.Command, Args: s.Args, Dir: s.Dir, Env: s.Env, Open: true, Err: proc.Limit{Tail: stderrKept}, Grace: stopGrace,
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to the MCP server %s: %w", s.Name, err)
	}
	session := &Session{server: s, process: p}
	if err := session.begin(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		session.Close()
		if said := strings.TrimSpace(string(p.Result().Stderr.Bytes())); said != "" {
			err = fmt.Errorf("%w; it wrote: %s", err, said)
		}
		return nil, fmt.Errorf("connecting to the MCP server %s (%s): %w", s.Name, s.Command, err)
	}
	return session, nil
}

func (s *Session) begin(ctx context.Context) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "gemini-cli-mcp-client", Version: "0.0.1"}, nil)
	if s.server.Root != "" {
		//lint:ignore SA1019 the version of the protocol that is spoken here has roots, and servers ask for them
		client.AddRoots(&mcp.Root{URI: "file://" + s.server.Root})
	}
	var err error
	s.client, err = client.Connect(ctx, &mcp.IOTransport{Reader: s.process.Stdout(), Writer: s.process.Stdin()},
		&mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return err
	}
	if c := s.client.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return errors.New("it has no tools")
	}
	for t, err := range s.client.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
		if s.server.wants(t.Name) {
			s.tools = append(s.tools, newTool(s, t))
		}
	}
	if len(s.tools) == 0 {
		return errors.New("it has no tools")
	}
	return nil
}

// wants: an entry of Include may say more in parentheses.
func (s Server) wants(tool string) bool {
	if slices.Contains(s.Exclude, tool) {
		return false
	}
	return s.Include == nil || slices.ContainsFunc(s.Include, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "(")
		return name == tool
	})
}

// Tools returns what the server offers, in its order.
func (s *Session) Tools() []tools.Tool { return s.tools }

// Close ends the connection and stops the server.
func (s *Session) Close() {
	if s.client != nil {
		closed := make(chan struct{})
		go func() { _ = s.client.Close(); close(closed) }() // it is stopped in any case
		select {
		case <-closed:
		case <-time.After(stopGrace):
		}
	}
	s.process.Stop()
	s.process.Stdin().Close()
	s.process.Stdout().Close()
}
