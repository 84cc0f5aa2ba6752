package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"minigem/internal/text"
)

// maxRestarts limits how often a server is restarted in one session.
const maxRestarts = 5

// Connect connects to a server and lists what it offers. It is an error if the server
// offers nothing.
func Connect(ctx context.Context, s Server) (*Session, error) {
	return reach(ctx, s, new(atomic.Int64))
}

func reach(ctx context.Context, server Server, version *atomic.Int64) (*Session, error) {
	s := &Session{server: server, version: version}
	if err := s.dial(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// dial connects s by the first of its server's links that works.
func (s *Session) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("no answer within %v", startTime))
	defer cancel()
	links, err := s.server.links()
	if err != nil {
		return fmt.Errorf("connecting to the MCP server %s: %w", text.VisibleLine(s.server.Name), err)
	}
	var faults error
	for _, l := range links {
		reached, err := s.begin(ctx, l)
		if err == nil {
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		s.hangUp()
		if err = l.explain(err); faults != nil {
			err = fmt.Errorf("%w; %w", faults, err)
		}
		faults = err
		if ctx.Err() != nil || reached {
			break // other links would list the same
		}
	}
	return fmt.Errorf("connecting to the MCP server %s (%s): %w", text.VisibleLine(s.server.Name),
		text.VisibleLine(s.server.address()), faults)
}

// begin connects s by l and lists what the server offers.
func (s *Session) begin(ctx context.Context, l link) (reached bool, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "gemini-cli-mcp-client", Version: "0.0.1"}, s.hearing(l))
	if s.server.Root != "" {
		//lint:ignore SA1019 the version of the protocol that is spoken here has roots, and servers ask for them
		client.AddRoots(&mcp.Root{URI: "file://" + s.server.Root})
	}
	connected, err := l.connect(ctx, client)
	s.mu.Lock()
	s.link = l
	if err == nil {
		s.client = connected
	}
	s.mu.Unlock()
	if err != nil {
		return false, err
	}
	if err := s.list(ctx); err != nil {
		return true, err
	}
	if o := s.now(); len(o.tools) == 0 && len(o.resources) == 0 && len(o.prompts) == 0 {
		return true, errors.New("it has no tools, resources or prompts")
	}
	s.mu.Lock()
	s.ready = true
	again := s.stale
	s.mu.Unlock()
	if again {
		s.changed()
	}
	return true, nil
}

// hearing returns the client options for requests and notifications from the server.
func (s *Session) hearing(l link) *mcp.ClientOptions {
	o := l.hear(s)
	if o == nil {
		o = &mcp.ClientOptions{}
	}
	o.ElicitationHandler = s.elicited
	return o
}

// connection returns the latest connection, which may be closed.
func (s *Session) connection() *mcp.ClientSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// ask calls do with the connection. If the connection was closed before do sent
// anything, it restarts the server and calls do once more.
func ask[T any](ctx context.Context, s *Session, do func(*mcp.ClientSession) (T, error)) (T, error) {
	client := s.connection()
	res, err := do(client)
	if !errors.Is(err, mcp.ErrConnectionClosed) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, os.ErrClosed) {
		return res, err
	}
	if err := s.restart(ctx, client); err != nil {
		return res, err
	}
	return do(s.connection())
}

// restart restarts the server, unless dead is no longer its latest connection.
func (s *Session) restart(ctx context.Context, dead *mcp.ClientSession) error {
	s.restarting.Lock()
	defer s.restarting.Unlock()
	switch {
	case s.connection() != dead:
		return nil
	case s.restarts == maxRestarts:
		return fmt.Errorf("it ended, and is restarted at most %d times", maxRestarts)
	}
	s.restarts++
	s.hangUp()
	if err := s.dial(ctx); err != nil {
		return fmt.Errorf("it ended, and cannot be restarted: %w", err)
	}
	s.version.Add(1)
	s.note("ended, and was restarted")
	return nil
}

// Close closes the connection and stops the server if it was started.
func (s *Session) Close() {
	s.restarting.Lock()
	defer s.restarting.Unlock()
	s.restarts = maxRestarts
	s.hangUp()
}

func (s *Session) hangUp() {
	s.mu.Lock()
	client, link := s.client, s.link
	s.mu.Unlock()
	if client != nil {
		closed := make(chan struct{})
		go func() { _ = client.Close(); close(closed) }() // the server is stopped in any case
		select {
		case <-closed:
		case <-time.After(stopGrace):
		}
	}
	link.stop()
}

// note records what the server did, for the user.
func (s *Session) note(did string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, "the MCP server "+text.VisibleLine(s.server.Name)+" "+did)
}

// messages passes on the lines of a server's stdout that are messages. Servers log
// there by mistake: other lines are skipped, and the first one is noted.
//
// It reports changes before it passes on an answer that may follow them, so that the
// request after a call declares what the call added. (The handlers of the SDK run
// concurrently with the answers.)
type messages struct {
	io.ReadCloser
	lines   *bufio.Scanner
	due     []byte
	session *Session
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.due) == 0 {
		if !m.lines.Scan() {
			return 0, cmp.Or(m.lines.Err(), io.EOF)
		}
		line, s := m.lines.Bytes(), m.session
		if gjson.GetBytes(line, "jsonrpc").Exists() || gjson.GetBytes(line, "0.jsonrpc").Exists() {
			m.due = append(slices.Clone(line), '\n')
		} else if len(bytes.TrimSpace(line)) > 0 {
			s.chatty.Do(func() {
				s.note("wrote text to its stdout, where only messages belong. It is skipped, and so is all later text: " +
					cleanLine(string(line)))
			})
		}
		if strings.HasSuffix(gjson.GetBytes(line, "method").Str, "/list_changed") {
			s.changed()
		}
	}
	n := copy(p, m.due)
	m.due = m.due[n:]
	return n, nil
}
