package mcp

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// changed records that the server's offer has changed, and lists it again. Several
// changes in a row cause only one request.
func (s *Session) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if s.refreshed == nil && s.ready {
		s.refreshed = make(chan struct{})
		go s.refresh(s.refreshed)
	}
}

// refresh lists the offer until it no longer changes meanwhile. If the server does not
// answer, its previous offer stays.
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

// settle waits for a refresh that is under way.
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
	case <-time.After(startTime): // refresh has its own limit, and may run again
	}
}

// changeHandlers reacts to changes that remote servers announce.
func (s *Session) changeHandlers() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { s.changed() },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { s.changed() },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { s.changed() },
	}
}
