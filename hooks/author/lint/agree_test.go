package lint_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/lint"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
)

// given is a hooks.Runner that always returns one answer.
type given hooks.Exit

func (g given) Run(context.Context, hooks.Hook, hooks.Payload, []string) hooks.Exit {
	return hooks.Exit(g)
}

var pointEvents = map[agents.Point]protocol.Event{
	agents.BeforeTool: protocol.BeforeTool, agents.BeforePrompt: protocol.BeforeAgent, agents.AgentStop: protocol.AfterAgent, agents.AfterTool: protocol.AfterTool,
}

// TestAllSayTheSame checks, for each answer that was tried on an agent, that the
// report, fire and lint agree with what was observed. If a refusal here lets the call
// pass there, all three say so. If it refuses there too, none does.
func TestAllSayTheSame(t *testing.T) {
	t.Parallel()
	gemini, err := agents.Find("gemini")
	require.NoError(t, err)
	for _, id := range agents.IDs() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			agent, err := agents.Find(id)
			require.NoError(t, err)
			told, linted := 0, 0
			for _, name := range agents.Names() {
				saw, ok := agents.Observed()[id][name]
				c := agents.Corpus()[name]
				ev := pointEvents[c.Event]
				if !ok || ev == "" || c.Matcher != "" || c.Mode != "" || c.Late != "" || saw.Effect == string(agents.Answered) {
					continue
				}
				if event, _ := agent.Event(c.Event); event.Fires == "no" {
					continue // fire reports it, lint does not
				}
				x := c.Answer(agent)
				rep := answered(t, ev, x)
				there := saw.Effect == string(agents.Refused) || saw.Effect == string(agents.PromptBlocked) || saw.Effect == string(agents.Retry) ||
					saw.Effect == string(agents.RunEnded) && !saw.Ran && c.Event != agents.AfterTool
				here := rep.Verdict.Decision == hooks.Deny || rep.Verdict.Decision == hooks.Stop && c.Event != agents.AgentStop || rep.Verdict.Decision == hooks.Ask || rep.Effect.Kind == hooks.EffectRetry
				if c.Event == agents.AfterTool {
					here, there = false, false // the tool has run; the report says who replaces its result
				}
				d, breaks := elsewhere.Elsewhere(rep.Runs[0], ev, agent)
				if here != there {
					told++
					assert.True(t, d != nil && breaks, "%s: here %v, there %s: %+v", name, rep.Verdict.Decision, saw.Effect, d)
				}
				on := elsewhere.On(rep.Runs[0], ev, agent)
				if d != nil {
					assert.True(t, strings.HasPrefix(on, d.There) || strings.Contains(on, strings.Split(d.There, ", because")[0]), "%s: the report says %q, fire %q", name, d.There, on)
				}
				assert.Contains(t, inspect.Elsewhere(rep, []*agents.Agent{agent}), on)
				if c.Event != agents.AfterTool && id != "gemini" {
					found := linting(t, ev, x, agent)
					if name == "stop/exit2-missing-script" {
						continue // its stderr comes from a shell, so no program shows it
					}
					if lets := (x.Exit == 2 || gemini.Read(x).Prevents()) && !there; lets || found != "" {
						linted++
						assert.Equal(t, lets, found != "", "%s: %q exits with %d, prints %q and %q; lint says %q", name, saw.Effect, x.Exit, x.Stdout, x.Stderr, found)
					}
				}
			}
			t.Logf("%d answers mean something else there, %d of them are for lint", told, linted)
		})
	}
}

// answered returns this engine's report of an answer.
func answered(t *testing.T, ev protocol.Event, x agents.Answer) hooks.Report {
	t.Helper()
	cfg := hooks.Config{Hooks: []hooks.Hook{{Event: ev, Command: "h"}}}
	sample, err := inspect.Sample(ev, "")
	require.NoError(t, err)
	r, err := inspect.Fire(t.Context(), &hooks.Engine{Config: cfg, Runner: given{Code: x.Exit, Stdout: []byte(x.Stdout), Stderr: []byte(x.Stderr)}}, sample)
	require.NoError(t, err)
	return r
}

// linting returns lint's message about a script that gives the answer, or "".
func linting(t *testing.T, ev protocol.Event, x agents.Answer, agent *agents.Agent) string {
	t.Helper()
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	text := "#!/bin/sh\ncat >/dev/null\n"
	if x.Stdout != "" {
		text += "printf '%s' " + quote(x.Stdout) + "\n"
	}
	if x.Stderr != "" {
		text += "printf '%s' " + quote(x.Stderr) + " >&2\n"
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), fmt.Appendf(nil, "%sexit %d\n", text, x.Exit), 0o755))
	w := load(t, dir, entry(string(ev), "", `"command": "./x"`), hooks.LayerProject)
	w.input.For = []*agents.Agent{agent}
	all := lint.Run(w.input)
	if i := slices.IndexFunc(all, func(f lint.Finding) bool { return f.Code == "HK070" }); i >= 0 {
		return all[i].Message
	}
	return ""
}
