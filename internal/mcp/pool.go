package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Pool is the servers of one session. They start concurrently, and nothing waits for
// them before [Pool.Wait]. It is safe for concurrent use.
type Pool struct {
	all     []*starting
	end     context.CancelFunc
	version atomic.Int64
	once    sync.Once
	begun   chan struct{} // closed when the servers may start
}

// starting is a server that is starting until done is closed.
type starting struct {
	server   Server
	done     chan struct{}
	session  *Session // if nil, err says why
	err      error
	reported bool // err was reported
}

// Start starts servers and returns at once. ctx only limits their start: servers that
// have started run until Close.
func Start(ctx context.Context, servers []Server) *Pool {
	p := Hold(ctx, servers)
	p.Begin()
	return p
}

// Hold is like Start, but the servers start when [Pool.Begin] is called, or with the
// first call that waits for one.
func Hold(ctx context.Context, servers []Server) *Pool {
	ctx, end := context.WithCancel(ctx)
	p := &Pool{end: end, begun: make(chan struct{})}
	for _, server := range servers {
		s := &starting{server: server, done: make(chan struct{})}
		p.all = append(p.all, s)
		go func() {
			defer close(s.done)
			select {
			case <-p.begun:
				s.session, s.err = reach(ctx, server, &p.version)
			case <-ctx.Done():
				s.err = context.Cause(ctx)
			}
			p.version.Add(1)
		}()
	}
	return p
}

// Begin starts the servers of a pool made by Hold. It may be called more than once, and
// on a nil pool.
func (p *Pool) Begin() {
	if p != nil {
		p.once.Do(func() { close(p.begun) })
	}
}

// Wait waits until each server has started or failed and has listed its offer again if
// it changed, or until ctx ends. It returns the errors that it has not returned before.
func (p *Pool) Wait(ctx context.Context) []error {
	if p == nil {
		return nil
	}
	p.Begin()
	var errs []error
	for _, s := range p.all {
		select {
		case <-s.done:
		case <-ctx.Done():
			return errs
		}
		switch {
		case s.session != nil:
			s.session.settle(ctx)
		case !s.reported:
			s.reported = true
			errs = append(errs, s.err)
		}
	}
	return errs
}

// Notes returns what the user should know about running servers. It returns each note
// once.
func (p *Pool) Notes() []string {
	var notes []string
	for _, s := range p.Sessions() {
		s.mu.Lock()
		notes, s.notes = append(notes, s.notes...), nil
		s.mu.Unlock()
	}
	return notes
}

// Waiting returns the names of the servers that have neither started nor failed.
func (p *Pool) Waiting() []string {
	var names []string
	if p != nil {
		for _, s := range p.all {
			if !s.ended() {
				names = append(names, s.server.Name)
			}
		}
	}
	return names
}

func (s *starting) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Sessions returns the sessions of the running servers, in the order given.
func (p *Pool) Sessions() []*Session {
	var up []*Session
	if p != nil {
		for _, s := range p.all {
			if s.ended() && s.session != nil {
				up = append(up, s.session)
			}
		}
	}
	return up
}

// Session waits until the server called name is running and returns its session. ctx
// limits the wait.
func (p *Pool) Session(ctx context.Context, name string) (*Session, error) {
	if !p.Has(name) {
		return nil, fmt.Errorf("no MCP server is called %q, or it is not allowed here", name)
	}
	p.Begin()
	s := p.all[slices.IndexFunc(p.all, func(s *starting) bool { return s.server.Name == name })]
	select {
	case <-s.done:
		return s.session, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Err returns why the server called name is not running. It is nil if the server is
// running or starting, or if there is none of that name.
func (p *Pool) Err(name string) error {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.all, func(s *starting) bool { return s.server.Name == name })
	if i < 0 || !p.all[i].ended() {
		return nil
	}
	return p.all[i].err
}

// Has reports whether the pool has a server called name.
func (p *Pool) Has(name string) bool {
	return p != nil && slices.ContainsFunc(p.all, func(s *starting) bool { return s.server.Name == name })
}

// Version returns a number that changes whenever the servers' offers may have changed.
func (p *Pool) Version() int64 {
	if p == nil {
		return 0
	}
	return p.version.Load()
}

// Close ends the servers, including those that are still starting.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.end()
	var all sync.WaitGroup
	for _, s := range p.all {
		all.Go(func() {
			<-s.done
			if s.session != nil {
				s.session.Close()
			}
		})
	}
	all.Wait()
}
