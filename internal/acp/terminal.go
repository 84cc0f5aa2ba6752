package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"minigem/agent/event"
	"minigem/internal/stage"
	"minigem/internal/text"
	"minigem/llm"
)

// patience is how long an editor has for its terminals. One that does not open them gets
// no more commands in this session, and a terminal that does not end is killed.
type patience struct{ opens, closes time.Duration }

var usual = patience{opens: 5 * time.Second, closes: 5 * time.Second}

const (
	mostDue  = 1 << 20 // bytes that wait for a terminal; more is left out there
	mostKept = 1 << 20 // bytes that the editor keeps, for the eye: nothing is read from there
	mostLine = 200     // bytes of the command that its terminal is named by
)

var errEndedThere = errors.New("the user ended it in its terminal")

// panes are the terminals of the editor that show what commands print.
type panes struct {
	mu      sync.Mutex
	of      map[string]*pane // by the call
	refused bool
	closing sync.WaitGroup
}

// pane is a terminal of the editor's for one call. minigem runs the command, as it does
// without a terminal: there runs the step of [show], which prints what it is told.
type pane struct {
	c       *conversation
	call    string
	ctx     context.Context // of the call
	end     context.CancelCauseFunc
	settled chan struct{} // id is known
	exited  chan struct{} // the editor says that the step has ended, or that it cannot tell
	more    chan struct{}
	clean   text.Cleaner

	mu   sync.Mutex
	id   string // the terminal's; "": there is none
	due  string // to be shown
	left int    // bytes that are left out
	code *int   // how the command ended
	conn net.Conn
}

// inTerminal has the editor show a command in a terminal, if it has them. The context that
// it returns ends when the user ends the terminal.
func (c *conversation) inTerminal(ctx context.Context, call llm.ToolCall) context.Context {
	c.server.mu.Lock()
	offered := c.server.client.Terminal
	c.server.mu.Unlock()
	c.mu.Lock()
	known := c.shown[call.ID] // those of agents are not
	c.mu.Unlock()
	background, _ := call.Args["is_background"].(bool)
	c.panes.mu.Lock()
	defer c.panes.mu.Unlock()
	if !offered || !known || c.panes.refused || background || call.Name != "run_shell_command" {
		return ctx
	}
	if p := c.panes.of[call.ID]; p != nil { // a tail call
		return p.ctx
	}
	p := &pane{c: c, call: call.ID, settled: make(chan struct{}), exited: make(chan struct{}),
		more: make(chan struct{}, 1)}
	p.ctx, p.end = context.WithCancelCause(ctx)
	if c.panes.of == nil {
		c.panes.of = map[string]*pane{}
	}
	c.panes.of[call.ID] = p
	line, _ := call.Args["command"].(string)
	c.panes.closing.Go(func() { p.serve(line) })
	return p.ctx
}

// print shows what a command prints: in its terminal, and as text until that is there.
func (c *conversation) print(e event.ToolOutput) {
	c.panes.mu.Lock()
	p := c.panes.of[e.CallID]
	c.panes.mu.Unlock()
	if p == nil {
		c.output(e)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id == "" {
		c.output(e)
	}
	if said := p.clean.Clean([]byte(e.Text)); len(p.due)+len(said) <= mostDue {
		p.due += said
	} else {
		p.left += len(said)
	}
	p.wake()
}

func (p *pane) wake() {
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// withTerminal is the content of a call that has ended: its terminal stays, and words
// follow that are not in there.
func (c *conversation) withTerminal(r event.ToolRecord, said []acp.ToolCallContent) []acp.ToolCallContent {
	c.panes.mu.Lock()
	p := c.panes.of[r.Call.ID]
	c.panes.mu.Unlock()
	if p == nil {
		return said
	}
	defer p.end(nil)
	<-p.settled // or it is cancelled, or the editor's time is over
	c.panes.mu.Lock()
	delete(c.panes.of, r.Call.ID)
	c.panes.mu.Unlock()
	code, ran := r.Data["exitCode"].(int)
	signal, _ := r.Data["signal"].(int)
	shown := code
	switch {
	case !ran:
		shown = 1
	case code < 0:
		shown = 128 + cmp.Or(signal, 2)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.code = &shown
	p.wake()
	if p.conn != nil {
		_ = p.conn.SetWriteDeadline(time.Now().Add(c.server.patience.closes))
	}
	_, printed := r.Display.(string)
	switch fine := r.Status == event.ToolSuccess; {
	case p.id == "" || fine && !ran:
		return said
	case fine && printed && code >= 0:
		said = nil
	}
	return append([]acp.ToolCallContent{acp.ToolTerminalRef(p.id)}, said...)
}

// serve opens the terminal, shows what comes, and gives the terminal back.
func (p *pane) serve(line string) {
	conn, id, err := p.open(line)
	if err != nil {
		if p.ctx.Err() == nil {
			p.c.panes.mu.Lock()
			p.c.panes.refused = true
			p.c.panes.mu.Unlock()
			fmt.Fprintf(p.c.server.sys.Stderr, "[WARNING] the editor's terminal is not used in this session, output is shown "+
				"as text: %s\n", text.VisibleLine(err.Error()))
		}
		close(p.settled)
		return
	}
	defer conn.Close()
	p.mu.Lock()
	p.id, p.conn = id, conn
	p.mu.Unlock()
	p.c.forgetPrinted(p.call)
	p.c.update(acp.UpdateToolCall(acp.ToolCallId(p.call), acp.WithUpdateStatus(acp.ToolCallStatusInProgress),
		acp.WithUpdateContent([]acp.ToolCallContent{acp.ToolTerminalRef(id)})))
	close(p.settled)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = conn.Read(make([]byte, 1)) // the step says nothing: it is gone
		p.end(errEndedThere)
	}()
	p.send(conn)
	p.close(gone)
}

// open has the editor run the step, and waits for it.
func (p *pane) open(line string) (conn net.Conn, id string, err error) {
	dir, remove, err := stage.Temp() // short: the path of a socket has 103 bytes at most
	if err != nil {
		return nil, "", err
	}
	defer remove()
	door, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		return nil, "", err
	}
	defer door.Close()
	ctx, release := context.WithTimeoutCause(p.ctx, p.c.server.patience.opens, errors.New("it did not open in time"))
	defer release()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if id, err = p.create(ctx, door.Addr().String(), line); err != nil {
		return nil, "", err
	}
	go func() {
		_, err := p.c.server.conn.WaitForTerminalExit(p.c.server.ctx, acp.WaitForTerminalExitRequest{
			SessionId: p.c.id, TerminalId: id})
		close(p.exited)
		if err == nil {
			cancel(errors.New("its command ended before it began"))
		}
	}()
	defer context.AfterFunc(ctx, func() { door.Close() })()
	if conn, err = door.Accept(); err != nil {
		late := id
		p.c.panes.closing.Go(func() { p.release(late, true) })
		return nil, "", cmp.Or(context.Cause(ctx), err)
	}
	return conn, id, nil
}

// create asks for a terminal. What comes too late is released.
func (p *pane) create(ctx context.Context, door, line string) (id string, err error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	if line = text.VisibleLine(line); len(line) > mostLine {
		line = text.VisibleLine(line[:mostLine]) + "..."
	}
	type answer struct {
		id  string
		err error
	}
	answers := make(chan answer, 1)
	dir, most := p.c.r.Workspace.Dirs()[0], mostKept
	go func() {
		res, err := p.c.server.conn.CreateTerminal(p.c.server.ctx, acp.CreateTerminalRequest{SessionId: p.c.id, Command: path,
			Args: []string{stepName, door, line}, Cwd: &dir, OutputByteLimit: &most})
		if err == nil && res.TerminalId == "" {
			err = errors.New("it has no id")
		}
		answers <- answer{res.TerminalId, err}
	}()
	select {
	case a := <-answers:
		return a.id, a.err
	case <-ctx.Done():
		p.c.panes.closing.Go(func() {
			if a := <-answers; a.err == nil {
				p.release(a.id, true)
			}
		})
		return "", context.Cause(ctx)
	}
}

// send has the step show what is due, until the command has ended or the step is gone.
func (p *pane) send(conn net.Conn) {
	for out := json.NewEncoder(conn); ; {
		<-p.more
		p.mu.Lock()
		m := shown{Show: p.due, Exit: p.code}
		if p.left > 0 {
			m.Show += fmt.Sprintf("\n[... %d bytes are not shown here ...]\n", p.left)
		}
		p.due, p.left = "", 0
		p.mu.Unlock()
		if out.Encode(m) != nil || m.Exit != nil {
			return
		}
	}
}

// close waits until the editor has shown everything, for a time.
func (p *pane) close(gone <-chan struct{}) {
	bound := time.NewTimer(p.c.server.patience.closes)
	defer bound.Stop()
	for _, step := range []<-chan struct{}{gone, p.exited} {
		select {
		case <-step:
		case <-bound.C:
			p.release(p.id, true)
			return
		case <-p.c.server.conn.Done():
			return
		}
	}
	p.release(p.id, false)
}

// release gives a terminal back to the editor.
func (p *pane) release(id string, kill bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.c.server.ctx), p.c.server.patience.closes)
	defer cancel()
	if kill {
		_, _ = p.c.server.conn.KillTerminal(ctx, acp.KillTerminalRequest{SessionId: p.c.id, TerminalId: id})
	}
	_, _ = p.c.server.conn.ReleaseTerminal(ctx, acp.ReleaseTerminalRequest{SessionId: p.c.id, TerminalId: id})
}
