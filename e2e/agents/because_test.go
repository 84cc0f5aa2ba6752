package agents

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/protocol"
)

// TestUnfired: a matcher that fires for no tool of an agent is named, with the
// names that its tools have; one that could have fired is not.
func TestUnfired(t *testing.T) {
	t.Parallel()
	guard := hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh", Matcher: "Bash"}
	for _, c := range []struct {
		agent string
		hook  hooks.Hook
		ran   bool
		says  string
	}{
		{"copilot", guard, false, `./guard.sh never ran` + "\n" + `      why: copilot: the matcher "Bash" fires for none of its tools, which are called bash, create, edit, view, grep, glob there`},
		{"copilot", guard, true, ""},
		{"claude", guard, false, ""},
		{"opencode", guard, false, "which are called bash, write, edit, read, grep, glob there"}, // of a plugin, whose matchers are expressions of its own
		{"copilot", hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh"}, false, ""},
		{"kimi", hooks.Hook{Event: protocol.BeforeTool, Command: "./guard.sh", Matcher: "bash"}, false, "which are called Bash, Write, Edit, Read, Grep, Glob there"},
	} {
		rec := &testbed.Record{Config: hooks.Config{Hooks: []hooks.Hook{c.hook}}}
		if c.ran {
			rec.Reports = []hooks.Report{{Event: protocol.BeforeTool, Runs: []hooks.Run{{Hook: c.hook}}}}
		}
		cell := &Cell{Agent: c.agent, Result: testbed.Result{Record: rec}}
		got := strings.Join(cell.seen(), "\n")
		if c.says == "" {
			assert.NotContains(t, got, "never ran", c.agent)
		} else {
			assert.Contains(t, got, c.says, c.agent)
		}
	}
}
