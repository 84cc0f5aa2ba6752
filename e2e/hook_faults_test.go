package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/hooks/protocol"
)

// hookFault is a way in which a hook fails. hooks/command tests all of them. This tests
// how the agent reacts.
type hookFault struct {
	name, line string
	blocks     bool // it denies by itself
	quiet      bool // the run does not fail
	hangs      bool // until its timeout
}

var hookFaults = []hookFault{
	{name: "exit 1", line: "exit 1"},
	{name: "exit 2", line: "exit 2", blocks: true},
	{name: "death by signal", line: "kill -KILL $$"},
	{name: "no such file", line: "./no-such-hook"},
	{name: "TERM ignored", line: `trap "" TERM; while :; do sleep 0.05; done`, hangs: true},
	{name: "a child keeps stdout open", line: "sleep 3600 & exit 0", quiet: true},
	{name: "20 MB of output", line: "yes '' | head -c 20000000; exit 0", blocks: true},
	{name: "stdin closed at once", line: "exec <&-; exit 0", quiet: true},
}

// faultEvent is an event that a one-shot run fires, and what does not happen if its hooks
// deny.
type faultEvent struct {
	event  protocol.Event
	denied faultTraces

	answers  string   // of the model; empty means faultAnswers
	requests int      // of a run without denials; 0 means 2
	mode     string   // empty means --yolo
	beside   []string // events with a user's hook that allows
	files    map[string]string
	code     int
	silent   bool // no answer is printed
}

// The other events are in TestHookFaultsInTheChat.
var hookFaultEvents = []faultEvent{
	{event: protocol.SessionStart, denied: faultTraces{2, true, true}},
	{event: protocol.BeforeAgent, denied: faultTraces{0, false, false}},
	{event: protocol.BeforeModel, denied: faultTraces{0, false, false}},
	{event: protocol.BeforeToolSelection, denied: faultTraces{2, true, true}},
	{event: protocol.AfterModel, denied: faultTraces{1, false, false}},
	{event: protocol.BeforeTool, denied: faultTraces{2, false, true}},
	{event: protocol.PermissionRequest, denied: faultTraces{2, false, true}, mode: "default", beside: []string{"PermissionRequest"}},
	{event: protocol.SubagentStart, denied: faultTraces{4, false, true}, requests: 4, files: faultAgent,
		answers: `call invoke_agent {"agent_name": "helper", "prompt": "x"}` + "\n\n" + `call write_file {"file_path": "a.txt", "content": "x"}` + "\n\n" + faultDone + "\n\nsay Done.\n"},
	{event: protocol.SubagentStop, denied: faultTraces{6, true, true}, requests: 4, files: faultAgent, // it is sent on once
		answers: `call invoke_agent {"agent_name": "helper", "prompt": "x"}` + "\n\n" + `call write_file {"file_path": "a.txt", "content": "x"}` + "\n\n" + faultDone + "\n\nsay Done.\n\n" + faultDone + "\n\nsay Done.\n"},
	{event: protocol.AfterTool, denied: faultTraces{2, true, true}},
	{event: protocol.PostToolUseFailure, denied: faultTraces{2, true, true}, answers: `call run_shell_command {"command": "echo x > a.txt; exit 3"}` + "\n\nsay Done.\n"},
	{event: protocol.AfterAgent, denied: faultTraces{3, true, true}}, // one retry is allowed
	{event: protocol.StopFailure, denied: faultTraces{2, true, false}, answers: `call write_file {"file_path": "a.txt", "content": "x"}` + "\n\nfault {\"status\": 400}\n", code: 1, silent: true},
	{event: protocol.SessionEnd, denied: faultTraces{2, true, true}},
}

// faultAgent is a user's agent, which is the only one that may write.
var faultAgent = map[string]string{
	"../.gemini/agents/helper.md": "---\nname: helper\ndescription: Helps.\n---\nYou help.\n",
	"../.gemini/settings.json":    `{"hooks": {"BeforeTool": [{"matcher": "^write_file$", "hooks": [{"type": "command", "command": "case $(cat) in *agent_id*) ;; *) echo no >&2; exit 2 ;; esac"}]}]}}`,
}

const faultDone = `call complete_task {"result": "done"}`

// TestEveryEventMeetsFaults: no event is missing.
func TestEveryEventMeetsFaults(t *testing.T) {
	t.Parallel()
	met := []protocol.Event{protocol.PreCompress, protocol.PostCompact, protocol.Notification} // in the chat
	for _, e := range hookFaultEvents {
		met = append(met, e.event)
	}
	assert.ElementsMatch(t, protocol.Events, met)
}

// faultTraces is what a run leaves behind.
type faultTraces struct {
	Requests int
	Written  bool // a.txt
	Said     bool // the final answer
}

const (
	faultAnswers = `call write_file {"file_path": "a.txt", "content": "x"}

say Done.

say Done.
`
)

// TestHookFaults runs the built binary with failing hooks, without an answer and after a
// deny. The run ends in time and properly, the deny holds, no process is left, and each
// call in the session file has its result.
func TestHookFaults(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	if testing.Short() {
		t.Skip("many runs")
	}
	for _, e := range hookFaultEvents {
		for _, f := range hookFaults {
			for _, deny := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/deny=%t", e.event, f.name, deny), func(t *testing.T) {
					t.Parallel()
					want := faultTraces{cmp.Or(e.requests, 2), true, !e.silent}
					if deny || f.blocks {
						want = e.denied
					}
					f.meet(t, e, deny, want)
				})
			}
		}
	}
}

// script returns the hook's command, which fails after printing a deny if deny is set.
func (f hookFault) script(deny bool) string {
	if deny {
		return `printf '{"decision": "deny", "reason": "no"}'; ` + f.line
	}
	return f.line
}

// limits returns the timeouts to try. A hook that exits by itself never reaches its
// timeout. One that hangs gets increasing timeouts, until this machine manages to print
// the answer in time.
func (f hookFault) limits() []time.Duration {
	if !f.hangs {
		return []time.Duration{time.Hour}
	}
	return []time.Duration{1200 * time.Millisecond, 5 * time.Second, 20 * time.Second, 80 * time.Second}
}

func (f hookFault) meet(t *testing.T, event faultEvent, deny bool, want faultTraces) {
	for i, limit := range f.limits() {
		h, server, o := f.run(t, event, deny, limit)
		got := faultTraces{Requests: len(server.Log()), Said: strings.Contains(o.Stdout, "Done.")}
		if _, err := os.Stat(filepath.Join(h.workspace, "a.txt")); err == nil {
			got.Written = true
		}
		if got == want || i == len(f.limits())-1 {
			assert.Equal(t, want, got, o.Stderr)
			f.judge(t, event, h, server, o)
			return
		}
	}
}

func (f hookFault) run(t *testing.T, event faultEvent, deny bool, limit time.Duration) (home, *fakemodel.Server, outcome) {
	settings, err := json.Marshal(map[string]any{
		"hooksConfig": map[string]any{"maxRetries": 1},
		"hooks": map[string]any{string(event.event): []any{map[string]any{"hooks": []any{
			map[string]any{"type": "command", "name": "faulty", "command": f.script(deny), "timeout": limit.Milliseconds()},
		}}}},
	})
	require.NoError(t, err)
	entries, err := parseAnswers("answers", cmp.Or(event.answers, faultAnswers))
	require.NoError(t, err)
	server := fakemodel.New(fakemodel.Options{Entries: entries, Strict: true})
	url, stop, err := server.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	allow := map[string]any{}
	for _, e := range event.beside {
		allow[e] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "name": "allows", "command": `echo '{"decision": "allow"}'`}}}}
	}
	own, err := json.Marshal(map[string]any{"hooks": allow})
	require.NoError(t, err)
	files := map[string]string{".gemini/settings.json": string(settings), "../.gemini/settings.json": string(own)}
	maps.Copy(files, event.files)
	h := newHome(t, files)
	o := h.run(t, run{Args: []string{"--approval-mode", cmp.Or(event.mode, "yolo"), "-p", "go"}, Env: []string{
		"GEMINI_API_KEY=test-key-of-the-fake-api", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_MODEL=gemini-2.5-flash", "GEMINI_CLI_TRUST_WORKSPACE=true",
	}})
	return h, server, o
}

func (f hookFault) judge(t *testing.T, e faultEvent, h home, server *fakemodel.Server, o outcome) {
	event := e.event
	assert.Equal(t, e.code, o.Code, o.Stderr)
	if !f.quiet && !(f.blocks && event.CanBlock()) {
		assert.Contains(t, o.Stderr, `hook "faulty" for `+string(event)+" failed: ")
	}
	for _, r := range server.Log() {
		assert.Empty(t, r.Problems)
	}
	for _, file := range transcriptsIn(h.dir) {
		assert.NoError(t, checkTranscript(file))
	}
	if event == protocol.SessionEnd && f.name == "a child keeps stdout open" {
		stopMarked(t, h.dir) // what SessionEnd started may still run
	}
	assertNoOrphans(t, h.dir)
}

// stopMarked ends the one remaining process by its id.
func stopMarked(t *testing.T, mark string) {
	left := marked(mark)
	if runtime.GOOS != "linux" {
		return
	}
	require.Len(t, left, 1)
	pid, err := strconv.Atoi(strings.Fields(left[0])[0])
	require.NoError(t, err)
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Kill())
}
