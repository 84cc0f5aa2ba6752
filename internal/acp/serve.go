package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	acp "github.com/coder/acp-go-sdk"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/llm"
)

// mostSessions limits the sessions that are open at once.
const mostSessions = 32

// Serve talks to the editor on the streams of sys until it hangs up or ctx ends.
func Serve(ctx context.Context, sys *app.System, f *app.Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	exit.SurvivePipe()
	stop := exit.OnSignals(cancel, nil)
	defer stop()
	s := &server{ctx: ctx, sys: sys, flags: f, sessions: map[acp.SessionId]*conversation{}}
	ready := make(chan struct{}) // the connection reads and logs as soon as it is made
	s.conn = acp.NewAgentSideConnection(s, text.Raw(sys.Stdout), &gated{&wire{in: sys.Stdin}, ready})
	s.conn.SetLogger(logger(sys.Stderr))
	close(ready)
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
	}
	s.close()
	s.ending.Wait()
	if err := context.Cause(ctx); errors.Is(err, exit.ErrInterrupted) || errors.Is(err, exit.ErrTerminated) {
		return exit.Ended(ctx)
	}
	if s.cut.Load() {
		return exit.Errorf(
			exit.Failed, "the editor disconnected while a prompt was running: its session is saved, and can be loaded again")
	}
	return nil
}

// gated is a Reader that blocks until ready is closed.
type gated struct {
	io.Reader
	ready <-chan struct{}
}

// Read implements io.Reader.
func (g *gated) Read(p []byte) (int, error) {
	<-g.ready
	return g.Reader.Read(p)
}

// logger logs protocol errors without the messages themselves.
func logger(to io.Writer) *slog.Logger {
	return slog.New(
		slog.NewTextHandler(
			to, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == "raw" || a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
}

// server is the agent's side of the protocol.
type server struct {
	ctx   context.Context // ends with the program
	sys   *app.System
	flags *app.Options
	conn  *acp.AgentSideConnection

	loading  sync.Mutex
	mu       sync.Mutex
	sessions map[acp.SessionId]*conversation
	opening  int // sessions being opened
	uses     int // counts the uses of sessions
	ending   sync.WaitGroup
	cut      atomic.Bool // the editor hung up while a prompt ran
	client   acp.ClientCapabilities
	closed   bool
}

// guarded turns a panic while answering a request into an error of that request.
func guarded[T any](do func() (T, error)) (res T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = acp.NewInternalError(map[string]any{"error": fmt.Sprintf("minigem failed: %v", p)})
		}
	}()
	return do()
}

// Initialize implements acp.Agent.
func (s *server) Initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	s.mu.Lock()
	s.client = p.ClientCapabilities
	s.mu.Unlock()
	method := func(id, name, about string) acp.AuthMethod {
		return acp.AuthMethod{Agent: &acp.AuthMethodAgent{Id: id, Name: name, Description: &about}}
	}
	title := "minigem"
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "minigem", Title: &title, Version: app.Version},
		AuthMethods: []acp.AuthMethod{
			method("gemini-api-key", "Gemini API key", "GEMINI_API_KEY in the environment of minigem, or in ~/.gemini/.env"),
			method("vertex-ai", "Vertex AI", "GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, in the "+
				"environment of minigem"),
		},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:         true,
			SessionCapabilities: acp.SessionCapabilities{List: &acp.SessionListCapabilities{}},
			PromptCapabilities:  acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true},
			McpCapabilities:     acp.McpCapabilities{Http: true, Sse: true},
		},
	}, nil
}

// Authenticate implements acp.Agent. Keys come from the environment, so it only checks
// the method.
func (s *server) Authenticate(_ context.Context, p acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	switch p.MethodId {
	case "gemini-api-key", "vertex-ai":
		return acp.AuthenticateResponse{}, nil
	}
	return acp.AuthenticateResponse{},
		wrong("there is no sign-in %q: gemini-api-key and vertex-ai take what they need from the environment", p.MethodId)
}

// wrong returns the error for a request with invalid parameters.
func wrong(format string, args ...any) error {
	return &acp.RequestError{Code: -32602, Message: text.VisibleLine(fmt.Sprintf(format, args...))}
}

// failed converts err for the editor.
func failed(err error) error {
	var asked *acp.RequestError
	if errors.As(err, &asked) {
		return asked
	}
	var e *llm.Error
	var left *exit.Error
	switch said := text.Clean(err.Error()); {
	case errors.As(err, &e) && e.Kind == llm.ErrAuth, errors.As(err, &left) && left.Code == exit.Auth:
		return &acp.RequestError{Code: -32000, Message: said}
	case errors.As(err, &left) && (left.Code == exit.Input || left.Code == exit.Config || left.Code == exit.Untrusted):
		return &acp.RequestError{Code: -32602, Message: said}
	default:
		return &acp.RequestError{Code: -32603, Message: said}
	}
}

// NewSession implements acp.Agent.
func (s *server) NewSession(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return guarded(func() (acp.NewSessionResponse, error) {
		c, err := s.open(ctx, p.Cwd, "", p.McpServers)
		if err != nil {
			return acp.NewSessionResponse{}, err
		}
		c.announce()
		return acp.NewSessionResponse{SessionId: c.id, Modes: c.modes(), Models: c.models()}, nil
	})
}

// LoadSession implements acp.AgentLoader.
func (s *server) LoadSession(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	return guarded(func() (acp.LoadSessionResponse, error) {
		c, err := s.load(ctx, p)
		if err != nil {
			return acp.LoadSessionResponse{}, err
		}
		c.replay()
		c.announce()
		return acp.LoadSessionResponse{Modes: c.modes(), Models: c.models()}, nil
	})
}

// load finds an open session or opens it. It handles one request at a time, since two
// may want the same session.
func (s *server) load(ctx context.Context, p acp.LoadSessionRequest) (*conversation, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	if c, err := s.find(p.SessionId); err == nil {
		return c, nil
	}
	if p.SessionId == "" {
		return nil, wrong("session/load needs the id of a session; session/list shows them")
	}
	return s.open(ctx, p.Cwd, string(p.SessionId), p.McpServers)
}

func (s *server) find(id acp.SessionId) (*conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.sessions[id]; c != nil {
		s.uses++
		c.used = s.uses
		return c, nil
	}
	return nil, wrong("there is no session %q here: session/new makes one, session/load opens an earlier one", string(id))
}

// open makes a session in dir, or opens an earlier one there.
func (s *server) open(ctx context.Context, dir, resume string, given []acp.McpServer) (*conversation, error) {
	info, err := os.Stat(dir)
	if !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
		return nil, wrong("cwd is %q: it must be the absolute path of a folder", dir)
	}
	if err := s.makeRoom(); err != nil {
		return nil, err
	}
	c, err := s.build(ctx, filepath.Clean(dir), resume, given)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	if err != nil {
		return nil, failed(err)
	}
	if s.closed {
		go c.close()
		return nil, wrong("minigem is ending")
	}
	s.sessions[c.id] = c
	s.uses++
	c.used = s.uses
	return c, nil
}

// makeRoom counts a session as being opened. If the limit is reached, it ends the least
// recently used session that is not running a prompt.
func (s *server) makeRoom() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions)+s.opening >= mostSessions {
		var idle *conversation
		for _, c := range s.sessions {
			if c.running.TryLock() {
				c.running.Unlock()
				if idle == nil || c.used < idle.used {
					idle = c
				}
			}
		}
		if idle == nil {
			return wrong("%d sessions are running prompts, which is the limit", mostSessions)
		}
		delete(s.sessions, idle.id)
		s.ending.Go(idle.close)
	}
	s.opening++
	return nil
}

// close ends all sessions.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	all := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	for _, c := range all {
		s.ending.Go(c.close)
	}
}

// Cancel implements acp.Agent. It does nothing: [wire] handles cancels.
func (s *server) Cancel(context.Context, acp.CancelNotification) error { return nil }

// Prompt implements acp.Agent.
func (s *server) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	return guarded(func() (acp.PromptResponse, error) {
		c, err := s.find(p.SessionId)
		if err != nil {
			return acp.PromptResponse{}, err
		}
		return c.prompt(ctx, p.Prompt)
	})
}

// SetSessionMode implements acp.Agent.
func (s *server) SetSessionMode(_ context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	c, err := s.find(p.SessionId)
	if err == nil {
		err = c.changeMode(string(p.ModeId))
	}
	return acp.SetSessionModeResponse{}, err
}

// UnstableSetSessionModel implements a part of acp.AgentExperimental.
func (s *server) UnstableSetSessionModel(
	_ context.Context, p acp.UnstableSetSessionModelRequest) (acp.UnstableSetSessionModelResponse, error) {
	c, err := s.find(p.SessionId)
	if err == nil {
		err = c.useModel(string(p.ModelId))
	}
	return acp.UnstableSetSessionModelResponse{}, err
}

// CloseSession implements acp.Agent.
func (s *server) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionClose)
}

// ResumeSession implements acp.Agent.
func (s *server) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

// SetSessionConfigOption implements acp.Agent.
func (s *server) SetSessionConfigOption(
	context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}
