package acp

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/internal/proc"
	"minigem/internal/waittest"
)

// withTerminals is an editor that has terminals.
func withTerminals(t *testing.T, settings string, model ...string) *editor {
	t.Helper()
	e := startEditor(t, settings, model...)
	e.terms = &terminals{held: make(chan struct{})}
	e.offer(acp.FileSystemCapabilities{})
	return e
}

func shell(command string) string {
	return calls("run_shell_command", map[string]any{"command": command})
}

// sameShell are commands, each with a word that their result has.
var sameShell = []struct {
	name, command, want string
}{
	{"streams and code", "echo out; echo err >&2; exit 3", `out\nerr\nExit Code: 3`},
	{"nothing", "true", `Output: (empty)`},
	{"killed", "echo before; kill -9 $$", `Signal: 9`},
	{"terminated", "kill $$", `Signal: 15`},
	{"dumped", "ulimit -c 0; kill -SEGV $$", `Signal: 11`},
	{"no such command", "no_such_command_here", `Exit Code: 127`},
	{"no line of bash", "if then", `Exit Code: 2`},
	{"no terminal", "for i in 0 1 2; do test -t $i && echo $i; done; (: </dev/tty) 2>/dev/null && echo tty; echo done",
		`Output: done`},
	{"no input", "cat; echo $?", `Output: 0`},
	{"environment", "env | grep -v '^_=' | sort", `GEMINI_CLI=1`},
	{"exported functions and names", "export -f; declare -x", `GIT_PAGER`},
	{"directory", "pwd; cd etc 2>/dev/null; pwd; umask; ulimit -n", `/project\n`},
	{"escapes and bytes", `printf '\033[31mred\033[0m\377 x\r\n\033]52;c;aGk=\a\n'; printf '\303'; printf '\251'`,
		"red\uFFFD x\\n\\né"},
	{"a lot", "head -c 200000 /dev/zero | tr '\\0' x; echo; echo last", `last`},
	{"a session of its own", `test "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ && echo leads`, `Command injection detected`},
	{"group", `ps -o pgid= -p $$ >g; read g <g; test $g = $$ && echo leads`, `Output: leads`},
	{"left behind", "sleep 300 & echo on", `Background PIDs: N`},
	{"pipes", "yes | head -1", `Output: y`},
	{"too long", ": " + strings.Repeat("x", 200<<10), `argument list too long`},
	{"many lines", "for i in 1 2 3; do\n\techo \"line $i\"\ndone\ncat <<'E'\nlast 'one'\nE", `line 3\nlast 'one'`},
	{"refused", "echo secret-word", `no secrets`}, // and has no terminal
	{"rewritten", "echo rewrite-me", `Output: rewritten`},
	{"result changed", "echo hide-me", `hidden`},
}

const sameHooks = `{"hooks": {
	"BeforeTool": [{"hooks": [{"type": "command", "command": "case $(cat) in *secret-word*) echo 'no secrets' >&2; exit 2 ;; *rewrite-me*) echo '{\"hookSpecificOutput\": {\"tool_input\": {\"command\": \"echo rewritten\"}}}' ;; esac"}]}],
	"AfterTool": [{"hooks": [{"type": "command", "command": "tee -a ~/after | grep -q hide-me && echo '{\"decision\": \"deny\", \"reason\": \"hidden\"}'; echo >> ~/after"}]}]}}`

var (
	changing = regexp.MustCompile(
		`"(session_id|sessionId|timestamp|transcript_path|cwd|startTime|lastUpdated|id|projectHash|ms|callId|parentId|agentId|messageId|hook_invocation_id|duration_ms|tool_call_id|startedAt|endedAt)":("(\\.|[^"\\])*"|[0-9]+)`)
	numbers = regexp.MustCompile(`(PGID: |PIDs: |command_|session-|PPID=|\.\.\. \[)[-0-9a-f,]+`)
	filler  = regexp.MustCompile(`x{1000,}`) // how much of a long output is kept counts the digits of its PGID
)

// steady is what the files of a session say, without what differs from run to run.
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

// released waits until minigem has given a terminal back.
func (e *editor) released(id string) {
	e.t.Helper()
	waittest.Until(e.t, func() bool { return slices.Contains(e.terms.said(), "release "+id) }, "the terminal is released")
}

// TestTheSameInATerminal: what a command is, what it gets, and what hooks, the model and
// the transcript see of it are the same in a terminal of the editor, to the byte.
func TestTheSameInATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range sameShell {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var ways []string
			for _, terminal := range []bool{false, true} {
				e := withTerminals(t, sameHooks, shell(c.command), says("Done."))
				if !terminal {
					e.terms = nil
					e.offer(acp.FileSystemCapabilities{})
				}
				id := e.session()
				yolo(e, id)
				assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "go"))
				if terminal && c.name != "refused" {
					e.released("term-1")
					assert.ElementsMatch(t, []string{"create", "wait term-1", "release term-1"}, e.terms.said())
				}
				require.NoError(t, e.hang())
				ways = append(ways, e.steady(t))
			}
			assert.True(t, strings.Contains(ways[0], c.want), "%.4000s", ways[0])
			one, other := strings.Split(ways[0], "\n"), strings.Split(ways[1], "\n")
			require.Len(t, other, len(one))
			for i := range one {
				if at := 0; one[i] != other[i] {
					for at < min(len(one[i]), len(other[i])) && one[i][at] == other[i][at] {
						at++
					}
					at = max(at-100, 0)
					require.Fail(t, "they differ", "%.1000s\n%.1000s", one[i][at:], other[i][at:])
				}
			}
			assert.NotContains(t, ways[1], "ONLY_IN_THE_EDITOR")
		})
	}
}

// TestTerminalIsShown: the editor shows the terminal while the command runs, cleaned, and
// keeps it; what is not in there is said in words.
func TestTerminalIsShown(t *testing.T) {
	t.Parallel()
	e := withTerminals(t, `{}`, shell("printf 'first\\033[2J line\\n'; until [ -e go ]; do sleep 0.1; done; echo last; "+
		"exit 4"), says("Done."))
	id := e.session()
	yolo(e, id)
	ended := make(chan acp.StopReason)
	go func() { ended <- e.prompt(id, "go") }()
	e.waitFor("update in_progress terminal term-1")
	waittest.Until(t, func() bool { return strings.Contains(e.terms.screen(0), "first line\r\n") }, "it is on the screen")
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "go"), nil, 0o600))
	assert.Equal(t, acp.StopReasonEndTurn, <-ended)
	e.released("term-1")
	require.NoError(t, e.hang())
	assert.Equal(t, "first line\r\nlast\r\n", e.terms.screen(0))
	assert.Equal(t, 4, e.terms.all[0].code)
	_, after, _ := strings.Cut(e.all(), "update in_progress terminal term-1\n")
	assert.Equal(t, "update completed terminal term-1\nsays Done.", after)
}

// TestNoTerminal: what the editor shows no call of, and what runs on, has none.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	e := withTerminals(t, `{}`, calls("invoke_agent", map[string]any{"agent_name": "generalist", "prompt": "Run it"}),
		shell("echo in the agent >agent"),
		calls("complete_task", map[string]any{"result": map[string]any{"response": "It ran."}}),
		calls("run_shell_command", map[string]any{"command": "echo beside >beside", "is_background": true,
			"delay_ms": 60000}), says("Done."))
	id := e.session()
	yolo(e, id)
	assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "go"))
	require.NoError(t, e.hang())
	assert.Equal(t, "in the agent\n", e.file("agent"), e.all())
	assert.Equal(t, "beside\n", e.file("beside"))
	assert.Empty(t, e.terms.said())
}

// TestTwoTerminals: calls of one answer have a terminal each, and what one prints is in
// its own.
func TestTwoTerminals(t *testing.T) {
	t.Parallel()
	call := func(word string) map[string]any {
		return map[string]any{
			"functionCall": map[string]any{"name": "run_shell_command", "args": map[string]any{"command": "echo " + word}}}
	}
	e := withTerminals(t, `{}`, answer(call("one"), call("two")), says("Done."))
	id := e.session()
	yolo(e, id)
	assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "go"))
	e.released("term-1")
	e.released("term-2")
	require.NoError(t, e.hang())
	assert.ElementsMatch(t, []string{"one\r\n", "two\r\n"}, []string{e.terms.screen(0), e.terms.screen(1)})
}

// TestTerminalIsBounded: of what a terminal does not take no more is kept than it may, and
// there it says so.
func TestTerminalIsBounded(t *testing.T) {
	t.Parallel()
	p := &pane{id: "t", more: make(chan struct{}, 1)}
	c := &conversation{panes: panes{of: map[string]*pane{"call": p}}}
	third := strings.Repeat("x", mostDue/3)
	for range 5 {
		c.print(event.ToolOutput{CallID: "call", Text: third})
	}
	assert.LessOrEqual(t, len(p.due), mostDue)
	code := 7
	p.code = &code
	here, there := net.Pipe()
	go p.send(there)
	var m shown
	require.NoError(t, json.NewDecoder(here).Decode(&m))
	assert.Equal(t, strings.Repeat(third, 3)+fmt.Sprintf("\n[... %d bytes are not shown here ...]\n", 2*len(third)),
		m.Show)
	assert.Equal(t, 7, *m.Exit)
	assert.Empty(t, p.due)
}

// TestTerminalFaults: whatever an editor makes of its terminals, each command runs once,
// and the model gets all of what it printed.
func TestTerminalFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"refuses":       "create",
		"other command": "create, wait term-1, kill term-1, release term-1",
		"hangs":         "create",
		"late":          "create, kill term-1, release term-1",
		"wait fails":    "create, wait term-1, release term-1, create, wait term-2, release term-2",
		"release fails": "create, wait term-1, release term-1, create, wait term-2, release term-2",
		"deaf":          "create, wait term-1, kill term-1, release term-1, create, wait term-2, kill term-2, release term-2",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			command := "echo began >>ran; yes | head -c 100000; echo; echo ended"
			e := withTerminals(t, `{}`, shell(command), says("One."), shell(command), says("Two."))
			require.NoError(t, e.hang())
			switch fault {
			case "hangs", "late":
				e.patience.opens = time.Millisecond
			case "deaf":
				e.patience.closes = time.Millisecond
			}
			e.serve(shell(command), says("One."), shell(command), says("Two."))
			e.offer(acp.FileSystemCapabilities{})
			e.terms.fault = fault
			id := e.session()
			yolo(e, id)
			for i, said := range []string{"One.", "Two."} {
				e.prompt(id, "go")
				e.waitFor("says " + said)
				t.Log(e.all(), e.terms.said())
				if i == 0 && fault == "late" {
					close(e.terms.held)
				}
				if n := "term-" + strconv.Itoa(i+1); strings.Contains(want, "release "+n) {
					e.released(n)
				}
			}
			t.Log(e.all(), e.terms.said(), e.steady(t))
			assert.ElementsMatch(t, strings.Split(want, ", "), e.terms.said())
			assert.Equal(t, "began\nbegan\n", e.file("ran"))
			if fault == "hangs" || fault == "deaf" {
				close(e.terms.held)
			}
			require.NoError(t, e.hang())
			assert.Equal(t, 4, strings.Count(e.steady(t), `y\ny\n\nended\nProcess Group`), "in the transcript of two calls")
		})
	}
}

// TestTerminalStops: a command ends with all of its processes, however it is stopped, and
// the model is told so; what it left behind ends with the session, not with the terminal.
func TestTerminalStops(t *testing.T) {
	t.Parallel()
	const wait = "trap '' HUP INT; (sleep 600 & echo $! >pid); echo began; sleep 600; sleep 600"
	for _, c := range []struct {
		name, command, settings string
		stop                    func(e *editor, id acp.SessionId)
		want                    string
		code                    int
	}{
		{"cancelled", wait, `{}`, func(e *editor, id acp.SessionId) {
			require.NoError(e.t, e.conn.Cancel(waittest.Context(e.t), acp.CancelNotification{SessionId: id}))
		}, "update failed terminal term-1 | [Operation Cancelled]", 143},
		{"^C in the terminal", wait, `{}`, func(e *editor, _ acp.SessionId) { e.terms.press(0, "\x03") },
			"update completed terminal term-1 | Command was cancelled by the user before it could complete.\nbegan\n", -1},
		{"killed in the terminal", wait, `{}`, func(e *editor, _ acp.SessionId) { e.terms.all[0].kill() },
			"update completed terminal term-1 | Command was cancelled by the user before it could complete.\nbegan\n", -1},
		{"silent", wait, `{"tools": {"shell": {"inactivityTimeout": 1}}}`, func(*editor, acp.SessionId) {},
			"update completed terminal term-1 | Command was automatically cancelled because it printed nothing", 143},
		{"left behind", "sleep 600 & echo $! >pid; echo began", `{}`, func(*editor, acp.SessionId) {},
			"update completed terminal term-1\n", 0},
		{"hung up", wait, `{}`, func(e *editor, _ acp.SessionId) {
			require.ErrorContains(e.t, e.hang(), "while a prompt ran")
		}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := withTerminals(t, c.settings, shell(c.command), says("Done."))
			id := e.session()
			yolo(e, id)
			ended := make(chan error, 1)
			go func() {
				_, err := e.conn.Prompt(
					waittest.Context(t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
				ended <- err
			}()
			e.waitFor("terminal term-1")
			waittest.Until(t, func() bool {
				return strings.Contains(e.terms.screen(0), "began") || c.name == "silent"
			}, "it runs")
			c.stop(e, id)
			err := waittest.Closed(t, ended, "the prompt ends")
			pid, _ := strconv.Atoi(strings.TrimSpace(e.file("pid")))
			if c.name != "hung up" {
				require.NoError(t, err)
				e.waitFor(c.want)
				e.released("term-1")
				waittest.Closed(t, e.terms.all[0].ended)
				assert.Equal(t, c.code, e.terms.all[0].code)
				if c.name == "left behind" {
					assert.True(t, runs(t, pid), "it runs on without its terminal")
				}
				require.NoError(t, e.hang())
			}
			waittest.Until(t, func() bool { return !runs(t, pid) }, "nothing is left")
			waittest.Closed(t, e.terms.all[0].ended, "the terminal ends")
		})
	}
}

// runs reports whether a process runs. A zombie does not.
func runs(t *testing.T, pid int) bool {
	t.Helper()
	r, err := proc.Run(waittest.Context(t), proc.Command{Line: "ps -o stat= -p " + strconv.Itoa(pid),
		Env: []string{"PATH=" + os.Getenv("PATH")}})
	require.NoError(t, err)
	state := strings.TrimSpace(r.Stdout.String())
	return pid > 0 && state != "" && !strings.HasPrefix(state, "Z")
}
