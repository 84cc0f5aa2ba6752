package elsewhere_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/elsewhere"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
)

// events are the events of points at which other agents' reading of answers is known.
var events = map[agents.Point]protocol.Event{
	agents.BeforeTool: protocol.BeforeTool, agents.AfterTool: protocol.AfterTool, agents.BeforePrompt: protocol.BeforeAgent,
	agents.AgentStop: protocol.AfterAgent, agents.SessionStart: protocol.SessionStart,
}

// gives fires the event with one hook that gives this answer, and returns the outcome
// as an outside observer would see it.
func gives(t *testing.T, x agents.Answer, dialectName string) (effect string, run hooks.Run) {
	t.Helper()
	script := hookstest.Script{Exit: x.Exit, Stdout: x.Stdout, Stderr: x.Stderr}
	e, _, rep := engine(events[x.Point], map[string]hookstest.Script{"a": script}, "a")
	if x.TimedOut {
		script.Delay = time.Hour
		e.Runner = &hookstest.Runner{Scripts: map[string]hookstest.Script{"a": script}}
		e.Config.Hooks[0].Timeout = time.Millisecond
	}
	e.Config.Hooks[0].Dialect = dialectName
	effect = "allowed"
	when := func(is bool, word string) {
		if is {
			effect = word
		}
	}
	switch x.Point {
	case agents.BeforeTool:
		out := e.BeforeTool(t.Context(), writeFile())
		when(out.Context != "", "context")
		when(out.Changed, "rewritten")
		when(out.Decision == hooks.Ask || out.Decision == hooks.Deny, "refused")
		when(out.Decision == hooks.Stop, "run-ended")
	case agents.AfterTool:
		out := e.AfterTool(t.Context(), writeFile(), protocol.ToolResponse{})
		when(out.Context != "", "appended")
		when(out.Decision == hooks.Deny || out.Instead != nil, "result-replaced")
		when(out.Decision == hooks.Stop, "run-ended")
	case agents.BeforePrompt:
		out := e.BeforeAgent(t.Context(), "p")
		when(out.Context != "", "context")
		when(out.Denied(), "prompt-blocked")
	case agents.AgentStop:
		out := e.AfterAgent(t.Context(), "p", "r", false)
		when(out.Decision == hooks.Deny || out.Context != "", "retry")
	case agents.SessionStart:
		when(e.SessionStart(t.Context(), "startup") != "", "context")
	}
	return effect, rep.last().Runs[0]
}

// TestNoFalseGreenIsSilent checks that the report mentions each difference that was
// observed between Claude Code and this engine for hooks of its dialect, and nothing if
// both do the same.
func TestNoFalseGreenIsSilent(t *testing.T) {
	t.Parallel()
	claude, err := agents.Find("claude")
	require.NoError(t, err)
	compared, differ, blockedHereOnly := 0, 0, 0
	for name, o := range agents.Observed()["claude"] {
		c := agents.Corpus()[name]
		if c.Matcher != "" || c.Mode != "" || strings.Contains(c.Stdout, "NEW > f.txt") {
			continue // not about answers; and arguments of another tool
		}
		compared++
		here, run := gives(t, c.Answer(claude), "claude")
		if same := here == o.Effect && !o.Ran; same {
			for _, d := range run.Upstream {
				assert.Contains(t, d.There, "does not read why", name)
			}
			continue
		}
		differ++
		if (here == "refused" || here == "prompt-blocked" || here == "retry" || here == "run-ended") && (o.Effect == "allowed" || o.Ran) {
			blockedHereOnly++
		}
		if assert.Len(t, run.Upstream, 1, "%s: %s here, %s there", name, here, o.Effect) {
			assert.Equal(t, "Claude Code 2.1.330", run.Upstream[0].Agent)
			assert.NotEmpty(t, run.Upstream[0].Here)
		}
	}
	t.Logf("%d compared, %d differ, %d of them are blocked here alone", compared, differ, blockedHereOnly)
	assert.GreaterOrEqual(t, blockedHereOnly, 14)
}

func TestElsewhereSaysWhatToSayInstead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, stdout, want string }{
		{"claude", `{"decision":"deny","reason":"no"}`, `Claude Code 2.1.330 runs the tool, because decision "deny" is not a value (approve, block) there, so the whole answer is void; say "block", or exit 2 with the reason on stderr`},
		{"codex", `{"decision":"block","reason":"no","note":1}`, `Codex CLI 0.169.0 runs the tool, because note is not a key there, so the whole answer is void`},
		{"copilot", `{"decision":"block","reason":"no"}`, `Copilot CLI 1.0.102 runs the tool, because decision is not read before a tool there: say permissionDecision`},
		{"kimi", `{"decision":"block","reason":"no"}`, `Kimi Code 2.1.0 runs the tool, because decision is not read there: say exit 2 with the reason on stderr, or permissionDecision in hookSpecificOutput`},
		{"gemini", `{"decision":"deny","reason":"no"}`, ``},
		{"qwen", `{"decision":"deny","reason":"no"}`, ``},
		{"opencode", `{"decision":"deny","reason":"no"}`, `not measured: what OpenCode 1.18.33 makes of answers at tool.execute.before`},
	} {
		a, err := agents.Find(tt.agent)
		require.NoError(t, err)
		_, run := gives(t, agents.Answer{Point: agents.BeforeTool, Stdout: tt.stdout}, "")
		assert.Equal(t, tt.want, elsewhere.Portable(run, protocol.BeforeTool, a), tt.agent)
	}
}

// TestPortable checks that an answer that holds everywhere holds on each measured
// agent, and that an unmeasured answer holds nowhere.
func TestPortable(t *testing.T) {
	t.Parallel()
	universal := agents.Corpus()["pre/universal"]
	for _, a := range agents.All() {
		if agents.Observed()[a.ID] == nil {
			continue
		}
		_, run := gives(t, universal.Answer(a), "")
		why := elsewhere.Portable(run, protocol.BeforeTool, a)
		if a.ID == "cline" {
			assert.Contains(t, why, "ends the run", "it refuses, and ends the run as well")
			continue
		}
		assert.Empty(t, why, a.ID)
	}
	claude, err := agents.Find("claude")
	require.NoError(t, err)
	_, run := gives(t, agents.Answer{Point: agents.BeforeTool}, "")
	assert.Contains(t, elsewhere.Portable(run, protocol.BeforeModel, claude), "has no event at BeforeModel")
	assert.Empty(t, elsewhere.Portable(run, protocol.SessionEnd, claude), "a hook that says nothing")
	run.Skipped = "trust"
	assert.Empty(t, elsewhere.Portable(run, protocol.BeforeModel, claude), "it did not run")
}

// TestOn checks the description of what each agent does, also if it does the same.
func TestOn(t *testing.T) {
	t.Parallel()
	others, err := agents.List("gemini,qwen,codex,copilot,opencode")
	require.NoError(t, err)
	_, run := gives(t, agents.Answer{Point: agents.BeforeTool, Exit: 2, Stderr: "not yours"}, "")
	var got []string
	for _, a := range others {
		got = append(got, elsewhere.On(run, protocol.BeforeTool, a))
	}
	assert.Equal(t, []string{
		"the same", "the same", "the same",
		"refuses the tool, and the model does not read why, because the reason must be permissionDecisionReason, at the top, at exit 2 or 0",
		"not measured: what OpenCode 1.18.33 makes of answers at tool.execute.before",
	}, got)
	assert.Equal(t, "nothing: the hook did not run", elsewhere.On(hooks.Run{Skipped: "trust"}, protocol.BeforeTool, others[0]))
}
