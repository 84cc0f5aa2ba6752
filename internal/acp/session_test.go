package acp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// noting is settings with a hook that writes down each event, and those of more.
func noting(more string) string {
	var parts []string
	for _, e := range []string{"SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterTool", "Notification"} {
		parts = append(parts, `"`+e+`": [{"hooks": [{"type": "command", "command": "echo `+e+` >> ~/events"}]}]`)
	}
	return `{"hooks": {` + strings.Join(append(parts, more), ", ") + `}}`
}

func write(name, content string) string {
	return calls("write_file", map[string]any{"file_path": name, "content": content})
}

// TestPermissions: what is asked, what the answers do, and that hooks fire.
func TestPermissions(t *testing.T) {
	t.Parallel()
	e := startEditor(t, noting(`"BeforeTool": [{"hooks": [{"type": "command", "command": "echo BeforeTool >> ~/events"}]}]`),
		write("a.txt", "one\n"), write("b.txt", "two\n"), write("c.txt", "three\n"), says("\x1b[31mDone"), write("d.txt", "four\n"), says("Done."))
	id := e.session()
	e.answers = []string{"proceed_once", "proceed_always_server", "cancel"}
	assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "write"))
	assert.Equal(t, "one\n", e.file("a.txt"))
	assert.Equal(t, "(none)", e.file("b.txt"), "what was not offered is a no")
	said := e.all()
	for _, want := range []string{
		"call edit pending: Confirm Write: a.txt @a.txt\nasked edit proceed_always,proceed_once,cancel diff a.txt \"(new)\" > \"one\\n\"\nupdate in_progress \nupdate completed diff a.txt \"(new)\" > \"one\\n\"",
		"update failed [Operation Cancelled]",
	} {
		assert.Contains(t, said, want)
	}

	// The run ended with the no; in yolo mode nobody is asked.
	_, err := e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: id, ModeId: "yolo"})
	require.NoError(t, err)
	asked := len(e.asked)
	e.prompt(id, "again")
	assert.Len(t, e.asked, asked)
	_, err = e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: id, ModeId: "auto_edit"})
	require.ErrorContains(t, err, "use one of default, autoEdit, yolo, plan")
	require.NoError(t, e.hang())
	events, err := os.ReadFile(filepath.Join(e.home, "events"))
	require.NoError(t, err)
	for _, name := range []string{"SessionStart", "BeforeAgent", "BeforeModel", "BeforeTool", "Notification", "AfterTool", "AfterAgent", "SessionEnd"} {
		assert.Contains(t, string(events), name+"\n")
	}
	assert.NotContains(t, e.all(), "\x1b")
}

// TestHooksDecide: a deny is a failed call and nothing happens, in yolo mode too,
// and an ask is a question with its reason.
func TestHooksDecide(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard",
		"command": "case $(cat) in *a.txt*) echo 'not a.txt' >&2; exit 2 ;; *b.txt*) echo '{\"decision\": \"ask\", \"reason\": \"sure?\", \"systemMessage\": \"look\"}' ;; esac"}]}]}}`,
		write("a.txt", "one"), write("b.txt", "two"), says("Done."))
	id := e.session()
	_, err := e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: id, ModeId: "yolo"})
	require.NoError(t, err)
	e.answers = []string{"proceed_once"}
	e.prompt(id, "write")
	assert.Equal(t, "(none)", e.file("a.txt"))
	assert.Equal(t, "two", e.file("b.txt"))
	assert.Len(t, e.asked, 1)
	said := e.all()
	assert.Contains(t, said, "call edit pending: WriteFile @a.txt\nupdate failed Tool execution blocked: not a.txt")
	assert.Contains(t, said, "A hook wants you to be asked. look sure?")
	require.NoError(t, e.hang())
}

// TestLoad: a later program tells the conversation of an earlier one, and goes on
// with it; a plan and tasks are told as such.
func TestLoad(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`,
		calls("write_todos", map[string]any{"todos": []any{map[string]any{"description": "look", "status": "in_progress"}}}),
		calls("enter_plan_mode", map[string]any{}), says("Hello."))
	id := e.session()
	e.answers = []string{"proceed_once"}
	e.prompt(id, "Greet me")
	assert.Contains(t, e.all(), "plan [in_progress] look")
	assert.Contains(t, e.all(), "mode plan")
	require.NoError(t, e.hang())

	e.serve(says("Again."))
	res, err := e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: id, Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	assert.Equal(t, acp.SessionModeId("default"), res.Modes.CurrentModeId)
	e.waitFor("says Hello.")
	said := e.all()
	assert.Contains(t, said, "user Greet me\ncall think in_progress: write_todos\nupdate completed Successfully updated")
	assert.NotContains(t, said, "session_context")
	e.prompt(id, "Once more")
	assert.Contains(t, e.all(), "says Again.")
	for _, other := range []string{"latest", "1", "00000000-0000-0000-0000-000000000000", "../../x", ""} {
		_, err = e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: acp.SessionId(other), Cwd: e.dir, McpServers: []acp.McpServer{}})
		var said *acp.RequestError
		require.ErrorAs(t, err, &said, other)
		assert.Equal(t, -32602, said.Code, "%q: %s", other, said.Message)
	}
	require.NoError(t, e.hang())
}

// TestThePermissionOfACommand has the command for its title.
func TestThePermissionOfACommand(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("run_shell_command", map[string]any{"command": "touch a &&\n touch b"}), says("No."))
	e.answers = []string{"cancel"}
	e.prompt(e.session(), "go")
	require.Len(t, e.asked, 1)
	assert.Equal(t, "touch a &&<U+000A> touch b", *e.asked[0].ToolCall.Title)
	require.NoError(t, e.hang())
}

// TestCancel: a tool that runs is ended, and the prompt says so.
func TestCancel(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("run_shell_command", map[string]any{"command": "echo began > began; sleep 600"}), says("Never."))
	id := e.session()
	_, err := e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: id, ModeId: "yolo"})
	require.NoError(t, err)
	ended := make(chan acp.StopReason)
	go func() { ended <- e.prompt(id, "wait") }()
	waittest.Until(t, func() bool { return e.file("began") != "(none)" }, "the command runs")
	require.NoError(t, e.conn.Cancel(waittest.Context(t), acp.CancelNotification{SessionId: id}))
	assert.Equal(t, acp.StopReasonCancelled, <-ended)
	e.waitFor("update failed [Operation Cancelled]")
	assert.NotContains(t, e.all(), "Never.")
	require.NoError(t, e.hang())
}

// TestCancelOfAWaitingPrompt: a prompt that waits for another one is cancelled as well.
func TestCancelOfAWaitingPrompt(t *testing.T) {
	t.Parallel()
	c := &conversation{server: &server{ctx: t.Context()}, prompts: map[*context.CancelCauseFunc]bool{}}
	c.running.Lock() // as a prompt that runs does
	ended := make(chan acp.PromptResponse)
	go func() {
		res, _ := c.prompt(t.Context(), []acp.ContentBlock{acp.TextBlock("Wait.")})
		ended <- res
	}()
	waittest.Until(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.prompts) == 1
	}, "it waits")
	c.stop()
	c.running.Unlock()
	assert.Equal(t, acp.StopReasonCancelled, (<-ended).StopReason)
	assert.Empty(t, c.prompts)
}

// TestHangUp: the end of the editor ends what runs, and the sessions.
func TestHangUp(t *testing.T) {
	t.Parallel()
	e := startEditor(t, noting(`"AfterModel": []`), calls("run_shell_command", map[string]any{"command": "echo began > began; sleep 600"}))
	id := e.session()
	_, err := e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: id, ModeId: "yolo"})
	require.NoError(t, err)
	go func() {
		_, _ = e.conn.Prompt(waittest.Context(t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("wait")}})
	}()
	waittest.Until(t, func() bool { return e.file("began") != "(none)" }, "the command runs")
	require.NoError(t, e.hang())
	events, err := os.ReadFile(filepath.Join(e.home, "events"))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(events), "SessionEnd\n"))
}

// TestWhatEditorsSend: nothing ends the program, and every request has an answer.
func TestWhatEditorsSend(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Still here."))
	init, err := e.conn.Initialize(waittest.Context(t), acp.InitializeRequest{ProtocolVersion: 1})
	require.NoError(t, err)
	assert.True(t, init.AgentCapabilities.LoadSession)
	assert.EqualValues(t, 1, init.ProtocolVersion)
	id := e.session()
	ctx := waittest.Lifetime(t)
	many := make([]acp.ContentBlock, mostBlocks+1)
	for i := range many {
		many[i] = acp.TextBlock("x")
	}
	for name, blocks := range map[string][]acp.ContentBlock{
		"empty": {acp.TextBlock(" ")}, "too many": many, "no base64": {acp.ImageBlock("%%%", "image/png")}, "misspelled command": {acp.TextBlock("/hel")},
	} {
		_, err := e.conn.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: blocks})
		var said *acp.RequestError
		require.ErrorAs(t, err, &said, name)
		assert.Equal(t, -32602, said.Code, name)
	}
	_, err = e.conn.Prompt(ctx, acp.PromptRequest{SessionId: "other", Prompt: []acp.ContentBlock{acp.TextBlock("x")}})
	require.ErrorContains(t, err, "there is no session")
	for _, dir := range []string{"relative", filepath.Join(e.dir, "none"), "\x00"} {
		_, err = e.conn.NewSession(ctx, acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
		require.ErrorContains(t, err, "absolute path of a folder", dir)
	}
	_, err = e.conn.NewSession(ctx, acp.NewSessionRequest{Cwd: e.dir, McpServers: []acp.McpServer{{Stdio: &acp.McpServerStdio{Args: []string{}, Env: []acp.EnvVariable{}}}}})
	require.ErrorContains(t, err, "neither command nor url")
	for _, line := range []string{"", "{", "[]", "null", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":{},"method":"session/prompt"}`, `{"id":1e999,"method":"x"}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":[]}`, `{"jsonrpc":"2.0","id":"\u0000","method":"session/new","params":{"cwd":7}}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}`, `{"jsonrpc":"2.0","id":99,"result":{}}`} {
		_, err := e.in.Write([]byte(line + "\n"))
		require.NoError(t, err)
	}
	e.prompt(id, "Are you there?")
	assert.Contains(t, e.all(), "says Still here.")
	require.NoError(t, e.hang())
}

// TestWhatIsPutIn: words, what the editor put in, and a file that it links to all
// reach the model; a file outside does not.
func TestWhatIsPutIn(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Seen."))
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "own file.txt"), []byte("in the file"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(e.home, "outside.txt"), []byte("not for you"), 0o600))
	id := e.session()
	_, err := e.conn.Prompt(waittest.Context(t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{
		acp.TextBlock("Look at this"),
		acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: "mem://x", Text: "inside it"}}),
		acp.ResourceLinkBlock("f", "file://"+filepath.ToSlash(e.dir)+"/own%20file.txt"), acp.ResourceLinkBlock("o", "file://"+filepath.ToSlash(e.home)+"/outside.txt"),
	}})
	require.NoError(t, err)
	require.NoError(t, e.hang())
	files, err := filepath.Glob(filepath.Join(e.home, ".gemini", "tmp", "*", "chats", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	kept, err := os.ReadFile(files[0])
	require.NoError(t, err)
	for _, want := range []string{"Look at this", "inside it", "in the file"} {
		assert.Contains(t, string(kept), want)
	}
	assert.NotContains(t, string(kept), "not for you")
}

// TestWordsBesideAnImage: they are not lost where no file is named.
func TestWordsBesideAnImage(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Seen."))
	id := e.session()
	_, err := e.conn.Prompt(waittest.Context(t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("What is it?"), acp.ImageBlock("AAAA", "image/png")}})
	require.NoError(t, err)
	require.NoError(t, e.hang())
	e.serve()
	_, err = e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: id, Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	e.waitFor("user What is it?")
	require.NoError(t, e.hang())
}

// TestOpenSessions: there is an end to them.
func TestOpenSessions(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`)
	for range mostSessions {
		e.session()
	}
	_, err := e.conn.NewSession(waittest.Context(t), acp.NewSessionRequest{Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.ErrorContains(t, err, "as many as there may be")
	require.NoError(t, e.hang())
}

// TestUntrusted: a folder that brings hooks is not opened before somebody trusts it.
func TestUntrusted(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`)
	require.NoError(t, os.MkdirAll(filepath.Join(e.dir, ".gemini"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, ".gemini", "settings.json"), []byte(`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ~/pwn"}]}]}}`), 0o600))
	_, err := e.conn.NewSession(waittest.Context(t), acp.NewSessionRequest{Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.ErrorContains(t, err, "trust")
	require.NoError(t, e.hang())
	assert.NoFileExists(t, filepath.Join(e.home, "pwn"))
}
