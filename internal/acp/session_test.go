package acp

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"minigem/internal/waittest"
)

// noting returns settings with a hook that records each event, and the hooks of more.
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

// TestPermissions checks the questions, the effect of the answers, and that hooks fire.
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

	// The no ended the run. In yolo mode nothing is asked.
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

// TestHooksDecide checks that a denied call fails without any effect, even in yolo
// mode, and that "ask" becomes a question with its reason.
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

// TestLoad checks that a later program replays the conversation of an earlier one and
// continues it, with plans and tasks shown as such.
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

// TestThePermissionOfACommand checks that the command is the question's title.
func TestThePermissionOfACommand(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("run_shell_command", map[string]any{"command": "touch a &&\n touch b"}), says("No."))
	e.answers = []string{"cancel"}
	e.prompt(e.session(), "go")
	require.Len(t, e.asked, 1)
	assert.Equal(t, "touch a &&<U+000A> touch b", *e.asked[0].ToolCall.Title)
	require.NoError(t, e.hang())
}

// TestCancel checks that a cancel ends the running tool and the prompt.
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

// TestCancelRightAfterAPrompt checks that a cancel in the same write as its prompt is never
// lost, and that it does not affect other sessions or later prompts.
func TestCancelRightAfterAPrompt(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "read -r in; case $in in *wait*) sleep 600 ;; esac"}]}]}}`)
	require.NoError(t, e.hang())
	const rounds = 100
	require.NoError(t, os.WriteFile(e.options().Fake, []byte(strings.Repeat(says("Hello.")+"\n", 3*rounds)), 0o600))
	in, out := io.Pipe()
	replies, said := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(waittest.Lifetime(t), e.sys(in, said), e.options())
		_ = said.Close()
	}()
	lines := bufio.NewScanner(replies)
	lines.Buffer(nil, 1<<20)
	// ask sends lines in one write and returns the answers to n requests, by id.
	ask := func(n int, sent string) map[string]string {
		go func() { _, _ = io.WriteString(out, sent) }()
		got := map[string]string{}
		for len(got) < n {
			require.True(t, lines.Scan(), lines.Err())
			if id := gjson.Get(lines.Text(), "id"); id.Exists() {
				result := gjson.Get(lines.Text(), "result")
				got[id.Str] = result.Get("sessionId").Str + result.Get("stopReason").Str
			}
		}
		return got
	}
	open := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", id, e.dir)
	}
	prompt := func(id, session, words string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/prompt","params":{"prompt":[{"type":"text","text":%q}],"sessionId":%q}}`+"\n",
			id, words, session)
	}
	sessions := ask(2, open("one")+open("other"))
	cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", sessions["one"])
	for i := range rounds {
		n := strconv.Itoa(i)
		got := ask(2, prompt("a"+n, sessions["one"], "wait")+cancel+prompt("b"+n, sessions["other"], "go"))
		require.Equal(t, map[string]string{"a" + n: "cancelled", "b" + n: "end_turn"}, got)
		require.Equal(t, map[string]string{"c" + n: "end_turn"}, ask(1, prompt("c"+n, sessions["one"], "go")))
	}
	require.NoError(t, out.Close())
	require.NoError(t, <-done)
}

// TestHangUp checks that a hang-up of the editor ends running tools and sessions.
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
	require.ErrorContains(t, e.hang(), "the editor disconnected while a prompt was running")
	events, err := os.ReadFile(filepath.Join(e.home, "events"))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(events), "SessionEnd\n"))
}

// TestWhatEditorsSend checks that nothing an editor sends ends the program, and that
// every request is answered.
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

// TestAttachedContentReachesTheModel checks that text, embedded content and a linked file all reach the
// model, and that a file outside the workspace does not.
func TestAttachedContentReachesTheModel(t *testing.T) {
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

// TestTextNextToAnImage checks that text next to an image is kept if it names no file.
func TestTextNextToAnImage(t *testing.T) {
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

// TestOpenSessions checks that, at the limit, opening a session ends the least recently
// used one, which can be loaded again, and that sessions running a prompt stay.
func TestOpenSessions(t *testing.T) {
	t.Parallel()
	const wait = "while ! test -e go; do sleep 0.05; done"
	e := startEditor(t, noting(`"AfterModel": []`), says("Hello."), calls("run_shell_command", map[string]any{"command": wait}), says("Done."))
	ended := func() int {
		events, _ := os.ReadFile(filepath.Join(e.home, "events"))
		return strings.Count(string(events), "SessionEnd\n")
	}
	first, second := e.session(), e.session()
	e.prompt(second, "hello") // used earlier than the first
	e.prompt(first, "hello")
	all := []acp.SessionId{first, second}
	for len(all) < mostSessions {
		all = append(all, e.session())
	}
	assert.Zero(t, ended())
	next := e.session()
	waittest.Until(t, func() bool { return ended() == 1 }, "the end of a session")
	_, err := e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: second, ModeId: "yolo"})
	require.ErrorContains(t, err, "session/load opens an earlier one")
	_, err = e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: second, Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.NoError(t, err, "it ends another one")
	waittest.Until(t, func() bool { return ended() == 2 }, "the end of a session")

	_, err = e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: first, ModeId: "yolo"})
	require.ErrorContains(t, err, "there is no session", "it was the next")
	busy := append(all[2:], next, second)
	stops := make(chan acp.StopReason, len(busy))
	for _, id := range busy {
		_, err := e.conn.SetSessionMode(waittest.Context(t), acp.SetSessionModeRequest{SessionId: id, ModeId: "yolo"})
		require.NoError(t, err)
		e.prompt(id, "hello")
		go func() { stops <- e.prompt(id, "wait") }()
	}
	waittest.Until(t, func() bool { return strings.Count(e.all(), "call execute in_progress") == len(busy) }, "all commands run")
	_, err = e.conn.NewSession(waittest.Context(t), acp.NewSessionRequest{Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.ErrorContains(t, err, "32 sessions are running prompts, which is the limit")
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "go"), nil, 0o600))
	for range busy {
		<-stops
	}
	e.session()
	require.NoError(t, e.hang())
	assert.Equal(t, mostSessions+3, ended())
}

// TestUntrusted checks that a folder with hooks is not opened until it is trusted.
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

// TestEndings checks that a stopped or unfinished answer is not reported as the end of
// the turn, and that a broken-off one is an error.
func TestEndings(t *testing.T) {
	t.Parallel()
	finished := func(reason string) string { return strings.Replace(says("Half."), "STOP", reason, 1) }
	hook := func(event, answer string) string {
		return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "echo '` + strings.ReplaceAll(answer, `"`, `\"`) + `'"}]}]}}`
	}
	const deny, stop = `{"decision": "deny", "reason": "not today"}`, `{"continue": false, "stopReason": "enough"}`
	for name, c := range map[string]struct {
		settings, model string
		want            acp.StopReason
		says            string
	}{
		"an answer":                    {`{}`, says("Done."), acp.StopReasonEndTurn, "says Done."},
		"the prompt is refused":        {hook("BeforeAgent", deny), says("Never."), acp.StopReasonRefusal, "not today"},
		"the prompt is stopped":        {hook("BeforeAgent", stop), says("Never."), acp.StopReasonRefusal, "enough"},
		"the request is refused":       {hook("BeforeModel", deny), says("Never."), acp.StopReasonRefusal, "not today"},
		"the answer is refused":        {hook("AfterModel", deny), says("Never."), acp.StopReasonRefusal, "not today"},
		"a tool's hook stops the turn": {hook("BeforeTool", stop), calls("read_file", map[string]any{"file_path": "a"}), acp.StopReasonRefusal, "enough"},
		"too long":                     {`{}`, finished("MAX_TOKENS"), acp.StopReasonMaxTokens, "says Half."},
		"unsafe":                       {`{}`, finished("SAFETY"), acp.StopReasonRefusal, "says Half."},
		"cut off":                      {`{}`, strings.Repeat(strings.Replace(answer(), `"STOP"`, `""`, 1)+"\n", 4), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startEditor(t, c.settings, c.model)
			res, err := e.conn.Prompt(waittest.Context(t), acp.PromptRequest{SessionId: e.session(), Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
			if c.want == "" {
				require.ErrorContains(t, err, "broke off")
			} else {
				require.NoError(t, err)
				assert.Equal(t, c.want, res.StopReason)
			}
			assert.Contains(t, e.all(), c.says)
			assert.NotContains(t, e.all(), "Never.")
			require.NoError(t, e.hang())
		})
	}
}
