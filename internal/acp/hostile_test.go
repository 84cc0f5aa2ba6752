package acp

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestTooLong checks that an overlong message gets an answer, ends nothing and uses a
// bounded amount of memory, and that an overlong answer counts as a failed request.
func TestTooLong(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("read_file", map[string]any{"file_path": "a.txt"}), says("It is read."))
	e.shows = map[string]string{"a.txt": strings.Repeat("x", mostMessage)}
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "a.txt"), []byte("on the disk"), 0o600))
	e.offer(acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true})
	id := e.session()
	_, err := e.conn.Prompt(
		waittest.Context(t),
		acp.PromptRequest{
			SessionId: id, Prompt: []acp.ContentBlock{acp.ImageBlock(strings.Repeat("A", 12<<20), "image/png")}})
	require.ErrorContains(t, err, "the message is longer than 10 MiB, and was not read")
	assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "Read it"))
	assert.Contains(t, e.all(), "says It is read.")
	require.NoError(t, e.hang())
	assert.Contains(t, e.steady(t), "on the disk", "what the editor did not give")
}

// TestLinesInPieces checks that all lines that fit are passed on, however they are cut
// into pieces and whatever comes between them.
func TestLinesInPieces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", mostMessage)
	in := "one\n" + `{"jsonrpc":"2.0","id":"a\"b","method":"x","params":{"id":9,"l":"` + long + "\"}}\ntwo\n" +
		`{"id": 7,"result":"` + long + "\"}\n" + `{"method":"x","params":{"id":3},"l":"` + long + "\"}\n" + long[1:] +
		"\nlast"
	var pieces []string
	for _, r := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in)),
		iotest.DataErrReader(strings.NewReader(in))} {
		b, err := io.ReadAll(&wire{in: r})
		require.NoError(t, err)
		var lines []string
		for line := range strings.SplitSeq(string(b), "\n") {
			if !strings.Contains(line, "yyy") || len(line) == mostMessage-1 {
				lines = append(lines, line[:min(len(line), 200)])
			}
			assert.LessOrEqual(t, len(line), mostMessage)
		}
		pieces = append(pieces, strings.Join(lines, "\n"))
	}
	want := "one\n" + `{"jsonrpc":"2.0","id":"a\"b","method":"_minigem/too_long"}` + "\ntwo\n" +
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the message is longer than 10 MiB, and was not read"}}` +
		"\n" + long[:200] + "\nlast"
	assert.Equal(t, []string{want, want, want}, pieces)
}

// TestIDsTwice checks that requests with the same id are all answered, and that
// cancelling an ended or unknown prompt does nothing.
func TestIDsTwice(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, says("Still here."))
	require.NoError(t, e.hang())
	in, out := io.Pipe()
	replies, said := io.Pipe()
	go func() {
		_ = Serve(waittest.Lifetime(t), e.sys(in, said), e.options())
		_ = said.Close()
	}()
	lines := bufio.NewScanner(replies)
	lines.Buffer(nil, 1<<20)
	const ask = `{"jsonrpc":"2.0","id":5,"method":"authenticate","params":{"methodId":"none\u001b[2J"}}` + "\n"
	go func() {
		for range 20 {
			_, _ = io.WriteString(out, ask+`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`+"\n"+
				`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}`+"\n")
		}
		_, _ = io.WriteString(out, strings.Replace(ask, ":5,", `:"last",`, 1))
	}()
	for range 21 {
		require.True(t, lines.Scan(), lines.Err())
		assert.Regexp(t, `^\{"jsonrpc":"2\.0","id":(5|"last"),"error":\{"code":-32602,"message":"there is no sign-in`,
			lines.Text())
		assert.NotContains(t, lines.Text(), `\u001b`)
	}
	require.NoError(t, out.Close())
	assert.False(t, lines.Scan(), lines.Text())
}

// TestLoadedTwice checks that a session is never open in two conversations, even if
// several clients load it at once, and that each one that began also ends.
func TestLoadedTwice(t *testing.T) {
	t.Parallel()
	hook := func(event string) string {
		return fmt.Sprintf(`%q: [{"hooks": [{"type": "command", "command": "echo %s >>~/hooks"}]}]`, event, event)
	}
	e := startEditor(t, `{"hooks": {`+hook("SessionStart")+`, `+hook("SessionEnd")+`}}`, says("Hello."))
	id := e.session()
	e.prompt(id, "Greet me")
	require.NoError(t, e.hang())
	require.NoError(t, os.Remove(filepath.Join(e.home, "hooks")))
	e.serve(says("Here."))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := e.conn.LoadSession(
				waittest.Context(t), acp.LoadSessionRequest{SessionId: id, Cwd: e.dir, McpServers: []acp.McpServer{}})
			assert.NoError(t, err)
		})
	}
	all.Wait()
	for _, other := range []string{string(id)[:8], strings.ToUpper(string(id)), "12345678", "../" + string(id)} {
		_, err := e.conn.LoadSession(waittest.Context(t), acp.LoadSessionRequest{SessionId: acp.SessionId(other), Cwd: e.dir,
			McpServers: []acp.McpServer{}})
		require.Error(t, err, other)
	}
	e.prompt(id, "And again")
	e.waitFor("says Here.")
	require.NoError(t, e.hang())
	b, err := os.ReadFile(filepath.Join(e.home, "hooks"))
	require.NoError(t, err)
	assert.Equal(t, "SessionStart\nSessionEnd\n", string(b))
}

// TestRemovedFolder checks that a session whose folder is gone still answers, and so do
// the others.
func TestRemovedFolder(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, shell("echo in it"), says("Done."))
	id := e.session()
	yolo(e, id)
	require.NoError(t, os.RemoveAll(e.dir))
	assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "go"))
	assert.Contains(t, e.all(), "update failed Directory does not exist: ")
	_, err := e.list(acp.ListSessionsRequest{})
	require.NoError(t, err)
	_, err = e.conn.LoadSession(
		waittest.Context(t), acp.LoadSessionRequest{SessionId: id, Cwd: e.dir, McpServers: []acp.McpServer{}})
	require.NoError(t, err, "it is open")
	require.NoError(t, os.MkdirAll(e.dir, 0o755))
	again := e.session()
	yolo(e, again)
	e.prompt(again, "go")
	assert.Contains(t, e.all(), "update completed in it")
	require.NoError(t, e.hang())
}

var (
	changing = regexp.MustCompile(
		`"(session_id|sessionId|timestamp|transcript_path|cwd|startTime|lastUpdated|id|projectHash|ms|callId|parentId|agentId|messageId|hook_invocation_id|duration_ms|tool_call_id|startedAt|endedAt)":("(\\.|[^"\\])*"|[0-9]+)`)
	numbers = regexp.MustCompile(`(PGID: |PIDs: |command_|session-|PPID=|\.\.\. \[)[-0-9a-f,]+`)
	filler  = regexp.MustCompile(`x{1000,}`) // how much of a long output is kept depends on the digits of its PGID
)

// steady returns the contents of the session's file without what differs between runs.
func (e *editor) steady(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.home, ".gemini", "tmp", "*", "chats", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	var all []string
	for _, f := range append(files, filepath.Join(e.home, "after")) {
		b, err := os.ReadFile(f)
		if err == nil {
			all = append(all, string(b))
		}
	}
	said := strings.ReplaceAll(strings.Join(all, "\n"), e.home, "HOME")
	said = filler.ReplaceAllString(said, "xN")
	return numbers.ReplaceAllString(changing.ReplaceAllString(said, `"$1":N`), "${1}N")
}
