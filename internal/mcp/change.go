package mcp

import (
	"context"
	"time"

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
