package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// changed notes that what the server offers is another than it said, and asks it
// again. Many changes in a row are asked about once.
func (s *Session) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if s.refreshed == nil && s.ready {
		s.refreshed = make(chan struct{})
		go s.refresh(s.refreshed)
	}
}

// refresh asks until nothing changed meanwhile. A server that does not answer
// keeps what it offered.
func (s *Session) refresh(done chan struct{}) {
	for {
		s.mu.Lock()
		if !s.stale {
			s.refreshed = nil
			s.mu.Unlock()
			close(done)
			return
		}
		s.stale = false
		s.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		if err := s.list(ctx); err == nil {
			s.version.Add(1)
		}
		cancel()
	}
}

// settle waits for an answer that is on its way.
func (s *Session) settle(ctx context.Context) {
	s.mu.Lock()
	refreshed := s.refreshed
	s.mu.Unlock()
	if refreshed == nil {
		return
	}
	select {
	case <-refreshed:
	case <-ctx.Done():
	case <-time.After(startTime): // refresh is bounded itself, and may go round
	}
}

// changeHandlers follow changes that remote servers announce.
func (s *Session) changeHandlers() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { s.changed() },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { s.changed() },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { s.changed() },
	}
}

// A watched transport reports changes as it reads them, before the answer that
// may follow them is passed on: the request after a call then declares what the
// call brought. (The handlers of the SDK run beside the answers.)
type watched struct {
	mcp.Transport
	changed func()
}

// Connect implements mcp.Transport.
func (w *watched) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := w.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &watchedConnection{c, w.changed}, nil
}

type watchedConnection struct {
	mcp.Connection
	changed func()
}

// Read implements mcp.Connection.
func (c *watchedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && strings.HasSuffix(r.Method, "/list_changed") {
		c.changed()
	}
	return m, err
}
