package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"minigem/internal/proc"
)

// terminals are those of an editor: pseudo-terminals with an environment of their own.
type terminals struct {
	mu    sync.Mutex
	all   []*terminal
	calls []string // "create", "release term-1"
	fault string
	held  chan struct{} // what never answers waits for it
}

type terminal struct {
	kill  context.CancelFunc
	keys  func([]byte) // under the lock of all, as what follows
	shown bytes.Buffer
	ended chan struct{}
	code  int
}

func (ts *terminals) note(what string) (fault string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.calls = append(ts.calls, what)
	return ts.fault
}

// said are the calls so far.
func (ts *terminals) said() []string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return append([]string(nil), ts.calls...)
}

// screen is what a terminal has shown.
func (ts *terminals) screen(n int) string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if n >= len(ts.all) {
		return ""
	}
	return ts.all[n].shown.String()
}

// press types into a terminal.
func (ts *terminals) press(n int, keys string) {
	ts.mu.Lock()
	press := ts.all[n].keys
	ts.mu.Unlock()
	press([]byte(keys))
}

func (ts *terminals) find(id string) *terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var n int
	if _, err := fmt.Sscanf(id, "term-%d", &n); err != nil || n < 1 || n > len(ts.all) {
		return nil
	}
	return ts.all[n-1]
}

func (e *editor) CreateTerminal(ctx context.Context, p acp.CreateTerminalRequest) (r acp.CreateTerminalResponse, _ error) {
	if e.terms == nil {
		return r, errNotOffered
	}
	ts := e.terms
	switch ts.note("create") {
	case "refuses":
		return r, errors.New("no terminals today")
	case "hangs":
		<-ts.held
		return r, errNotOffered
	case "late":
		<-ts.held
	case "other command":
		p.Command, p.Args = "/bin/sh", []string{"-c", "exit 127"}
	}
	return acp.CreateTerminalResponse{TerminalId: ts.start(p)}, nil
}

// start runs a command as an editor does: in its own environment.
func (ts *terminals) start(p acp.CreateTerminalRequest) (id string) {
	line := "umask 077; exec"
	for _, word := range append([]string{p.Command}, p.Args...) {
		line += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &terminal{kill: cancel, ended: make(chan struct{})}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.all = append(ts.all, t)
	go func() {
		defer close(t.ended)
		res, _ := proc.RunInTerminal(ctx, proc.Session{
			Command: proc.Command{Line: line, Dir: *p.Cwd, Env: append(os.Environ(), "ONLY_IN_THE_EDITOR=1", "CDPATH=/", "HOME=/nowhere")},
			Size:    func() (int, int) { return 80, 24 },
			Show: func(printed []byte, _ bool) {
				ts.mu.Lock()
				deaf := ts.fault == "deaf"
				ts.mu.Unlock()
				if deaf {
					<-ts.held
				}
				ts.mu.Lock()
				defer ts.mu.Unlock()
				t.shown.Write(printed)
			},
			Begin: func(keys func([]byte), _ func()) func() {
				ts.mu.Lock()
				defer ts.mu.Unlock()
				t.keys = keys
				return func() {}
			},
		})
		t.code = res.ExitCode
	}()
	return fmt.Sprintf("term-%d", len(ts.all))
}

func (e *editor) KillTerminal(_ context.Context, p acp.KillTerminalRequest) (r acp.KillTerminalResponse, _ error) {
	e.terms.note("kill " + p.TerminalId)
	if t := e.terms.find(p.TerminalId); t != nil {
		t.kill()
	}
	return r, nil
}

func (e *editor) TerminalOutput(_ context.Context, p acp.TerminalOutputRequest) (r acp.TerminalOutputResponse, _ error) {
	e.terms.note("output " + p.TerminalId)
	return acp.TerminalOutputResponse{Output: "cut", Truncated: true}, nil
}

func (e *editor) ReleaseTerminal(_ context.Context, p acp.ReleaseTerminalRequest) (r acp.ReleaseTerminalResponse, _ error) {
	if e.terms.note("release "+p.TerminalId) == "release fails" {
		return r, errors.New("it stays")
	}
	if t := e.terms.find(p.TerminalId); t != nil {
		t.kill()
	}
	return r, nil
}

func (e *editor) WaitForTerminalExit(ctx context.Context, p acp.WaitForTerminalExitRequest) (r acp.WaitForTerminalExitResponse, _ error) {
	if e.terms.note("wait "+p.TerminalId) == "wait fails" {
		return r, errors.New("it is not known")
	}
	t := e.terms.find(p.TerminalId)
	if t == nil {
		return r, errNotOffered
	}
	select {
	case <-t.ended:
	case <-ctx.Done():
		return r, ctx.Err()
	}
	if t.code >= 0 {
		r.ExitCode = &t.code
	}
	return r, nil
}
