package agents

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

// TestUnfired: a matcher that matches no tool of an agent is reported with the names of
// its tools. A matcher that could have matched is not.
func TestUnfired(t *testing.T) {
	t.Parallel()
	guard := hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh", Matcher: "Bash"}
	for _, c := range []struct {
		agent string
		hook  hooks.Hook
		ran   bool
		says  string
	}{
		{"copilot", guard, false, `./guard.sh never ran why: the matcher "Bash" fires for none of its tools, which are called bash, create, edit, view, grep, glob there`},
		{"copilot", guard, true, ""},
		{"claude", guard, false, ""},
		{"opencode", guard, false, "which are called bash, write, edit, read, grep, glob there"}, // for a plugin, whose matchers are its own expressions
		{"copilot", hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh"}, false, ""},
		{"copilot", hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh", Matcher: "Edit|Write", Dialect: Pascal}, false, ""},
		{"copilot", hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh", Matcher: "nothing", Dialect: Pascal}, false, "which are called Bash, Write, Edit, Read there"},
		{"kimi", hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh", Matcher: "bash"}, false, "which are called Bash, Write, Edit, Read, Grep, Glob there"},
	} {
		rec := &testbed.Record{Config: config.Loaded{Config: hooks.Config{Hooks: []hooks.Hook{c.hook}}}}
		if c.ran {
			rec.Reports = []hooks.Report{{Event: protocol.BeforeTool, Runs: []hooks.Run{{Hook: c.hook}}}}
		}
		cell := &Cell{Agent: c.agent, Result: testbed.Result{Record: rec}}
		got := strings.Join(strings.Fields(strings.Join(cell.seen(), "\n")), " ") // as one line, however it is wrapped
		if c.says == "" {
			assert.NotContains(t, got, "never ran", c.agent)
		} else {
			assert.Contains(t, got, c.says, c.agent)
		}
	}
}

// TestBecauseOfPlugin: for an agent without command hooks, a plugin runs the commands of a
// case, and the explanation covers calls that it lets pass.
func TestBecauseOfPlugin(t *testing.T) {
	t.Parallel()
	const instead = "exit 2 refuses, with the reason on stderr"
	for _, c := range []struct {
		event protocol.Event
		exit  hooks.Exit
		says  string
	}{
		{protocol.BeforeTool, hooks.Exit{Stdout: []byte(`{"decision": "deny"}`)}, "what a hook prints is not read there: " + instead},
		{protocol.BeforeTool, hooks.Exit{Code: 1, Stdout: []byte("no")}, "exit 1 does not block there: use exit 2, with the reason on stderr"},
		{protocol.BeforeTool, hooks.Exit{Code: 2, Stderr: []byte("no")}, ""},
		{protocol.BeforeTool, hooks.Exit{}, ""},
		{protocol.BeforeAgent, hooks.Exit{Stdout: []byte(`{"decision": "block"}`)}, "what a hook prints is not read there: " + instead},
		{protocol.BeforeAgent, hooks.Exit{Code: 2}, ""},
		{protocol.AfterAgent, hooks.Exit{Code: 2, Stderr: []byte("go on")}, "no answer has an effect there"},
		{protocol.AfterAgent, hooks.Exit{}, ""},
		{protocol.AfterTool, hooks.Exit{Code: 2}, ""},
		{protocol.SessionStart, hooks.Exit{Stdout: []byte("hello")}, ""},
	} {
		for _, column := range []string{"opencode", "opencode (played)"} {
			assert.Equal(t, c.says, because(column, c.event, hooks.Run{Exit: c.exit}), "%s %s %+v", column, c.event, c.exit)
		}
	}
	assert.Equal(t, "exit 2 with the reason on stderr", of("opencode", "claude").holds(protocol.BeforeTool))
	assert.Equal(t, "no single answer is known", of("opencode", "claude").holds(protocol.AfterAgent))
}

// of returns a matrix of these agents.
func of(agents ...string) *Matrix {
	m := &Matrix{Cases: []string{"a"}, Cells: map[string]map[string]*Cell{"a": {}}}
	for _, name := range agents {
		m.Columns = append(m.Columns, Column{Name: name, Other: true})
	}
	return m
}

// TestSameReasons: what would refuse comes first, and agents with the same explanation have
// it once, whatever they call a tool. With Verbose each has its own.
func TestSameReasons(t *testing.T) {
	t.Parallel()
	m := of("claude", "codex", "copilot", "kimi")
	for agent, in := range map[string][3]string{
		"claude":  {"Bash", `{"tool_input":{"command":"rm"}}`, `{"decision": "deny"}`},
		"codex":   {"Shell", `{"tool_input":{"cmd":"rm"}}`, `{"decision": "deny"}`},
		"copilot": {"create", `{"toolArgs":{"path":"a"}}`, ""},
		"kimi":    {"Write", `{"tool_input":{"path":"a"}}`, ""},
	} {
		run := hooks.Run{Hook: hooks.Hook{Command: "./guard.sh"}, Matched: true, Stdin: hooks.Payload{[]byte(in[1])}, Exit: hooks.Exit{Stdout: []byte(in[2])}}
		cell := &Cell{Case: "a", Agent: agent, State: Fail, Result: testbed.Result{Failures: []testbed.Failure{{Where: "a.txtar:1", Actual: "it ran once"}}}}
		cell.Result.Record = &testbed.Record{Reports: []hooks.Report{{Event: "BeforeTool", Subject: in[0], Runs: []hooks.Run{run}}}}
		m.Cells["a"][agent] = cell
	}
	text := m.reasons()
	assert.True(t, strings.HasPrefix(text, "What refuses at BeforeTool on all of them: exit 2 with the reason on stderr\n\na on claude, codex:\n"), text)
	assert.Contains(t, text, "a on copilot, kimi:\n")
	assert.Contains(t, text, "why: if it looks for file_path: the file's path is in path there\n")
	assert.NotContains(t, text, "a on codex")
	m.Verbose = true
	assert.Contains(t, m.reasons(), "a on codex:\n")
}
