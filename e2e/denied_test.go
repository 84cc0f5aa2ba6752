package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/cases"
	"minigem/internal/thorough"
)

// A deniedAction is an action that hooks of an event can prevent.
type deniedAction struct {
	script, model string
	happened      string // the assertion that holds without a denial
	helper        string // answers of the agent; may be empty
	summary       bool   // the history is compressed
}

const (
	writes   = "call write_file {\"file_path\": \"a.txt\", \"content\": \"x\\n\"}\n\ntext Done.\nrepeat\n"
	helps    = "call invoke_agent {\"agent_name\": \"helper\", \"prompt\": \"go\"}\n\ntext Done.\nrepeat\n"
	finishes = "call complete_task {\"result\": \"done\"}\nrepeat\n"
	talks    = "prompt one\nprompt two\nprompt three\ncompress\n"
	longTalk = "text An answer that is long enough for a summary of it to be shorter than it is, which is why it goes on like this.\nrepeat\n"
)

// deniedActions has an entry for every event.
var deniedActions = map[protocol.Event]deniedAction{
	protocol.SessionStart:        {script: "prompt go\n", model: writes, happened: "exists a.txt"},
	protocol.BeforeAgent:         {script: "prompt go\n", model: writes, happened: "exists a.txt"},
	protocol.PreCompress:         {script: talks, model: longTalk, happened: "model-saw any ~'state_snapshot'", summary: true},
	protocol.PostCompact:         {script: talks + "prompt four\n", model: longTalk, happened: "model-saw any ~four", summary: true},
	protocol.BeforeModel:         {script: "prompt go\n", model: writes, happened: "exists a.txt"},
	protocol.BeforeToolSelection: {script: "prompt go\n", model: writes, happened: "exists a.txt"},
	protocol.AfterModel:          {script: "prompt go\n", model: writes, happened: "exists a.txt"},
	protocol.BeforeTool:          {script: "prompt go\n", model: writes, happened: "exists a.txt"},
	protocol.PermissionRequest:   {script: "interactive\nanswer once\nprompt go\n", model: writes, happened: "exists a.txt"},
	protocol.Notification:        {script: "interactive\nanswer once\nprompt go\n", model: writes, happened: "exists a.txt"},
	protocol.SubagentStart:       {script: "prompt go\n", model: helps, happened: "exists a.txt", helper: "call write_file {\"file_path\": \"a.txt\", \"content\": \"x\\n\"}\n\n" + finishes},
	protocol.SubagentStop:        {script: "prompt go\n", model: helps, happened: "event SubagentStop times=1", helper: finishes},
	protocol.AfterTool:           {script: "prompt go\n", model: "read f.txt\n\ntext Done.\nrepeat\n", happened: "model-saw last ~'what it holds'"},
	protocol.PostToolUseFailure:  {script: "prompt go\n", model: "shell cat f.txt; exit 3\n\ntext Done.\nrepeat\n", happened: "model-saw last ~'what it holds'"},
	protocol.AfterAgent:          {script: "prompt go\n", model: writes, happened: "event AfterAgent times=1"},
	protocol.StopFailure:         {script: "prompt go\n", model: "error 400 no\n", happened: "event StopFailure times=1"},
	protocol.SessionEnd:          {script: "prompt go\nend\n", model: writes, happened: "exists a.txt"},
}

// A denial is an answer of a hook, and whether it denies.
type denial struct {
	name   string
	answer string // for commands and servers, in bash; for prompt hooks, the model's answer
	denies bool
	fails  bool // a denial only with onError
	hangs  bool
	gone   bool // there is no server or program that answers
}

const (
	sayNo = `{"decision": "deny", "reason": "not that"}`
	flood = `head -c 1500000 /dev/zero | tr '\0' 'x'; echo`
)

// inBash lists the answers of hooks that are programs.
var inBash = []denial{
	{name: "deny", answer: "echo '" + sayNo + "'", denies: true},
	{name: "deny, then a failure", answer: "echo '" + sayNo + "'; exit 1", denies: true, fails: true},
	{name: "deny after words", answer: "echo Well:; echo '" + sayNo + "'", denies: true},
	{name: "deny after a flood", answer: flood + "; echo '" + sayNo + "'", denies: true},
	{name: "a broken deny", answer: `printf '{"decision": "deny", "reason": "not'`, denies: true},
	{name: "failure", answer: "exit 1", fails: true},
	{name: "garbage", answer: "printf '\\377{['", fails: true},
	{name: "no end", answer: "while :; do sleep 0.1; done", fails: true, hangs: true},
	{name: "nobody there", gone: true, fails: true},
}

// byModel lists the answers of hooks that ask a model.
var byModel = []denial{
	{name: "no", answer: `text {"ok": false, "reason": "not that"}`, denies: true},
	{name: "no among words", answer: `text Well: {"ok": false, "reason": "not that"} I say`, denies: true, fails: true},
	{name: "a command's no", answer: "text " + sayNo, denies: true, fails: true},
	{name: "a flood", answer: "text " + strings.Repeat("x", 100_000) + ` {"ok": false, "reason": "not that"}`, denies: true, fails: true},
	{name: "garbage", answer: "text {[", fails: true},
	{name: "failure", answer: "error 500 no", fails: true},
}

// deniedKinds lists the kinds of hooks, including asynchronous ones.
var deniedKinds = map[string]struct {
	denials []denial
	entry   func(d denial) (entry map[string]any, sections string)
}{
	"command": {inBash, func(d denial) (map[string]any, string) {
		if d.gone {
			return map[string]any{"command": "./no-such-hook"}, ""
		}
		return map[string]any{"command": d.answer}, ""
	}},
	"async": {inBash[:1], func(d denial) (map[string]any, string) {
		return map[string]any{"command": d.answer, "async": true}, ""
	}},
	"http": {inBash, func(d denial) (map[string]any, string) {
		entry := map[string]any{"type": "http", "url": "https://hooks.example/guard"}
		if d.gone {
			return entry, ""
		}
		return entry, "-- http https://hooks.example/guard --\ncat >/dev/null\n" + d.answer + "\n"
	}},
	"prompt": {byModel, func(denial) (map[string]any, string) {
		return map[string]any{"type": "prompt", "prompt": "Fine?"}, ""
	}},
	"mcp_tool": {inBash, func(d denial) (map[string]any, string) {
		entry := map[string]any{"type": "mcp_tool", "server": "rules", "tool": "judge"}
		if d.gone {
			entry["server"] = "nobody"
		}
		return entry, "-- answer.sh --\n" + d.answer + "\n-- server.sh --\n" + judging
	}},
}

// judging is an MCP server whose tool returns the output of answer.sh, as an error if that
// fails.
const judging = `while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "rules", "version": "1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools": [{"name": "judge", "inputSchema": {"type": "object"}}]}' ;;
    *'"method":"tools/call"'*)
      failed=false
      text=$(bash ./answer.sh) || failed=true
      text=${text//\"/\\\"}
      text=${text//$'\n'/\\n}
      result='{"isError": '$failed', "content": [{"type": "text", "text": "'$text'"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc": "2.0", "id": %s, "result": %s}\n' "$id" "$result"
done
`

// TestADeniedActionNeverHappens: at every event and with every kind of hook, what is
// refused is not done, whatever form the refusal has. A failure counts as a refusal only
// if the hook says so. Asynchronous hooks refuse nothing. The test fails for an event or a
// kind without a row.
func TestADeniedActionNeverHappens(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	kinds := append(config.Kinds(), "async")
	turn := 0
	for _, ev := range protocol.Events {
		action, ok := deniedActions[ev]
		require.True(t, ok, "no row for %s", ev)
		for _, kind := range kinds {
			require.NotEmpty(t, deniedKinds[kind].denials, "no row for hooks of the type %s", kind)
			for i, d := range deniedKinds[kind].denials {
				if turn++; i > 0 && turn%4 != 0 && !thorough.Asked() {
					continue // the first one is tried at every event, the others take turns
				}
				for _, onError := range []string{"", "block"} {
					if onError != "" && (!d.fails || kind == "async") {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/onError=%s", ev, kind, d.name, onError), func(t *testing.T) {
						t.Parallel()
						denied := ev.CanBlock() && kind != "async" && (d.denies || onError == "block")
						meetDenial(t, action.file(t, ev, kind, d, onError, denied))
					})
				}
			}
		}
	}
}

func meetDenial(t *testing.T, file string) {
	t.Helper()
	c, err := testbed.Parse("denied.txtar", []byte(file))
	require.NoError(t, err, file)
	res := testbed.Run(t.Context(), c, testbed.Options{Driver: cases.Open, Timeout: time.Hour, Keep: t.TempDir()})
	require.NoError(t, res.Broken, file)
	for _, f := range res.Failures {
		if strings.Contains(f.Actual, "it never ran as a guard") || strings.Contains(f.Actual, "a failed hook does not count as having run") {
			continue // the failure is what the case is about
		}
		if f.Expected != "each answer of the model to be asked for" { // those after a refusal are not asked for
			t.Error(f.String())
		}
	}
}

// file returns the case for one hook.
func (a deniedAction) file(t *testing.T, ev protocol.Event, kind string, d denial, onError string, denied bool) string {
	entry, sections := deniedKinds[kind].entry(d)
	entry["name"], entry["timeout"] = "guard", int(time.Hour.Milliseconds())
	if d.hangs {
		entry["timeout"] = 300
	}
	if _, ok := entry["type"]; !ok {
		entry["type"] = "command"
	}
	if onError != "" {
		entry["onError"] = onError
	}
	group := map[string]any{"hooks": []any{entry}}
	settings := map[string]any{"hooks": map[string]any{string(ev): []any{group}}}
	if kind == "mcp_tool" {
		settings["mcpServers"] = map[string]any{"rules": map[string]any{"command": "bash", "args": []string{"./server.sh"}}}
	}
	if ev == protocol.BeforeTool {
		group["matcher"] = "^write_file$"
	}
	data, err := json.Marshal(settings)
	require.NoError(t, err)
	not := map[bool]string{true: "! "}[denied]
	generate := ""
	if kind == "prompt" {
		generate = "generate\n" + d.answer + "\n\n"
	}
	const summary = "generate\ntext <state_snapshot>short</state_snapshot>\n\n"
	switch {
	case ev == protocol.PostCompact: // two requests each: the summary, and the hook after it
		generate = summary + summary + generate
	case a.summary:
		generate += summary + summary
	default:
		generate = strings.Replace(generate, "\n\n", "\nrepeat\n\n", 1)
	}
	file := a.script + not + a.happened + "\nfired " + string(ev) + " guard\n-- settings.json --\n" + string(data) + "\n-- f.txt --\nwhat it holds\n" + sections +
		"-- model --\n" + generate + a.model
	if a.helper != "" {
		file += "-- model agent=helper --\n" + generate + a.helper + "-- .gemini/agents/helper.md --\n---\nname: helper\ndescription: Helps.\n---\nYou help.\n"
	}
	return file
}
