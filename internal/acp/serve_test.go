package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/waittest"
)

// editor is the SDK's client at the other end of a pipe.
type editor struct {
	t    *testing.T
	home string
	dir  string
	conn *acp.ClientSideConnection
	in   *io.PipeWriter // what minigem reads
	done chan error

	mu      sync.Mutex
	heard   []string // updates, abbreviated
	asked   []acp.RequestPermissionRequest
	answers []string // to questions; "" cancels
	changed chan struct{}
	called  []acp.ToolCallId

	shows   map[string]string // texts of files, by name; nil if it has none open
	reading chan struct{}     // if not nil, reading a file signals here and never ends
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	if n.Update.ToolCall != nil {
		e.mu.Lock()
		e.called = append(e.called, n.Update.ToolCall.ToolCallId)
		e.mu.Unlock()
	}
	e.hear(short(n.Update))
	return nil
}

func (e *editor) hear(s string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, s)
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *editor) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	var ids []string
	for _, o := range p.Options {
		ids = append(ids, string(o.OptionId))
	}
	// The SDK delivers a request concurrently with the notification before it.
	waittest.Until(e.t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Contains(e.called, p.ToolCall.ToolCallId)
	}, "the editor knows the call")
	e.hear("asked " + string(*p.ToolCall.Kind) + " " + strings.Join(ids, ",") + " " + contents(p.ToolCall.Content))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, p)
	if len(e.answers) == 0 {
		return acp.RequestPermissionResponse{}, errors.New("no answer is left")
	}
	a := e.answers[0]
	e.answers = e.answers[1:]
	if a == "" {
		return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Selected: &acp.RequestPermissionOutcomeSelected{OptionId: acp.PermissionOptionId(a), Outcome: "selected"}}}, nil
}

var errNotOffered = errors.New("this editor does not offer it")

func (e *editor) ReadTextFile(ctx context.Context, p acp.ReadTextFileRequest) (r acp.ReadTextFileResponse, _ error) {
	if e.reading != nil {
		close(e.reading)
		<-e.t.Context().Done()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	text, ok := e.shows[filepath.Base(p.Path)]
	if !ok || p.SessionId == "" {
		return r, errNotOffered
	}
	return acp.ReadTextFileResponse{Content: text}, nil
}

func (e *editor) WriteTextFile(_ context.Context, p acp.WriteTextFileRequest) (r acp.WriteTextFileResponse, _ error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shows == nil || p.SessionId == "" {
		return r, errNotOffered
	}
	e.shows[filepath.Base(p.Path)] = p.Content
	return r, nil
}

// offer sends the editor's capabilities.
func (e *editor) offer(fs acp.FileSystemCapabilities) {
	e.t.Helper()
	_, err := e.conn.Initialize(waittest.Context(e.t), acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: acp.ClientCapabilities{Fs: fs, Terminal: true}})
	require.NoError(e.t, err)
}

// short abbreviates an update to one line.
func short(u acp.SessionUpdate) string {
	switch {
	case u.AgentMessageChunk != nil:
		return "says " + u.AgentMessageChunk.Content.Text.Text
	case u.AgentThoughtChunk != nil:
		return "thinks " + u.AgentThoughtChunk.Content.Text.Text
	case u.UserMessageChunk != nil:
		return "user " + u.UserMessageChunk.Content.Text.Text
	case u.ToolCall != nil:
		where := ""
		for _, l := range u.ToolCall.Locations {
			where += " @" + filepath.Base(l.Path)
		}
		return fmt.Sprintf("call %s %s: %s%s", u.ToolCall.Kind, u.ToolCall.Status, u.ToolCall.Title, where)
	case u.ToolCallUpdate != nil:
		return fmt.Sprintf("update %s %s", *u.ToolCallUpdate.Status, contents(u.ToolCallUpdate.Content))
	case u.Plan != nil:
		s := "plan"
		for _, p := range u.Plan.Entries {
			s += fmt.Sprintf(" [%s] %s", p.Status, p.Content)
		}
		return s
	case u.CurrentModeUpdate != nil:
		return "mode " + string(u.CurrentModeUpdate.CurrentModeId)
	case u.AvailableCommandsUpdate != nil:
		s := fmt.Sprintf("commands %d", len(u.AvailableCommandsUpdate.AvailableCommands))
		for _, c := range u.AvailableCommandsUpdate.AvailableCommands {
			s += "\n/" + c.Name + ": " + c.Description
		}
		return s
	}
	return "other"
}

func contents(all []acp.ToolCallContent) string {
	var out []string
	for _, c := range all {
		switch {
		case c.Diff != nil:
			before := "(new)"
			if c.Diff.OldText != nil {
				before = *c.Diff.OldText
			}
			out = append(out, fmt.Sprintf("diff %s %q > %q", filepath.Base(c.Diff.Path), before, c.Diff.NewText))
		case c.Content != nil:
			out = append(out, c.Content.Content.Text.Text)
		}
	}
	return strings.Join(out, " | ")
}

// answer makes one line of the model's script.
func answer(parts ...map[string]any) string {
	b, err := json.Marshal(map[string]any{"method": "generateContentStream", "response": []any{map[string]any{
		"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP"}}}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func says(s string) string { return answer(map[string]any{"text": s}) }

func calls(name string, args map[string]any) string {
	return answer(map[string]any{"functionCall": map[string]any{"name": name, "args": args}})
}

// startEditor starts an editor and a server with a scripted model.
func startEditor(t *testing.T, settings string, model ...string) *editor {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	e := &editor{t: t, home: home, dir: filepath.Join(home, "project"), changed: make(chan struct{})}
	require.NoError(t, os.MkdirAll(e.dir, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".gemini"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600))
	e.serve(model...)
	return e
}

func (e *editor) sys(in io.Reader, said io.Writer) *app.System {
	return &app.System{Stdin: in, Stdout: said, Stderr: io.Discard, Env: []string{"HOME=" + e.home, "PATH=" + os.Getenv("PATH")}, Dir: e.home, Now: time.Now}
}

func (e *editor) options() *app.Options {
	return &app.Options{ACP: true, Model: "gemini-2.5-flash", Fake: filepath.Join(e.home, "model.jsonl")}
}

// serve starts a program and forgets earlier updates.
func (e *editor) serve(model ...string) {
	e.t.Helper()
	require.NoError(e.t, os.WriteFile(e.options().Fake, []byte(strings.Join(model, "\n")+"\n"), 0o600))
	e.heard = nil
	in, out := io.Pipe()
	replies, said := io.Pipe()
	done := make(chan error, 1)
	e.in, e.done = out, done
	ctx, cancel := context.WithCancel(waittest.Context(e.t))
	e.t.Cleanup(cancel)
	go func() {
		done <- Serve(ctx, e.sys(in, said), e.options())
		_ = said.Close()
	}()
	e.conn = acp.NewClientSideConnection(e, out, replies)
	e.conn.SetLogger(slog.New(slog.DiscardHandler))
}

func (e *editor) session() acp.SessionId {
	e.t.Helper()
	s, err := e.conn.NewSession(waittest.Context(e.t), acp.NewSessionRequest{Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.NoError(e.t, err)
	return s.SessionId
}

func (e *editor) prompt(id acp.SessionId, words string) acp.StopReason {
	e.t.Helper()
	res, err := e.conn.Prompt(waittest.Context(e.t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(words)}})
	require.NoError(e.t, err)
	return res.StopReason
}

// hang closes the editor's side and returns the result of Serve.
func (e *editor) hang() error {
	_ = e.in.Close()
	select {
	case err := <-e.done:
		return err
	case <-waittest.Context(e.t).Done():
		e.t.Fatal("Serve does not end")
		return nil
	}
}

func (e *editor) all() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.heard, "\n")
}

func (e *editor) waitFor(want string) {
	e.t.Helper()
	for {
		e.mu.Lock()
		all, changed := strings.Join(e.heard, "\n"), e.changed
		e.mu.Unlock()
		if strings.Contains(all, want) {
			return
		}
		select {
		case <-changed:
		case <-waittest.Context(e.t).Done():
			e.t.Fatalf("the editor does not hear %q:\n%s", want, all)
		}
	}
}

func (e *editor) file(name string) string {
	b, err := os.ReadFile(filepath.Join(e.dir, name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

func shell(command string) string {
	return calls("run_shell_command", map[string]any{"command": command})
}

// The editor offers terminals, but they are not implemented, because minigem never
// requests one.
func (e *editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (r acp.CreateTerminalResponse, _ error) {
	return r, errNotOffered
}

func (e *editor) KillTerminal(context.Context, acp.KillTerminalRequest) (r acp.KillTerminalResponse, _ error) {
	return r, errNotOffered
}

func (e *editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (r acp.TerminalOutputResponse, _ error) {
	return r, errNotOffered
}

func (e *editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (r acp.ReleaseTerminalResponse, _ error) {
	return r, errNotOffered
}

func (e *editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (r acp.WaitForTerminalExitResponse, _ error) {
	return r, errNotOffered
}
