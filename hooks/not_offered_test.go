package hooks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/llm"
)

func TestACallOfAToolThatIsNotOfferedIsReported(t *testing.T) {
	t.Parallel()
	for _, configured := range [][]hooks.Hook{nil, {{Event: protocol.BeforeTool, Name: "guard", Command: "x"}, {Event: protocol.BeforeTool, Name: "other", Command: "y", Matcher: "glob"}}} {
		runner := &hookstest.Runner{}
		var reports []hooks.Report
		e := &hooks.Engine{Config: hooks.Config{Hooks: configured}, Runner: runner, Report: func(r hooks.Report) { reports = append(reports, r) }}
		e.NotOffered(hooks.ToolUse{Call: llm.ToolCall{Name: "write_file"}}, "the tool write_file is not available in this turn")
		require.Len(t, reports, 1)
		r := reports[0]
		assert.Equal(t, []string{"not fired: the tool write_file is not available in this turn"}, r.Warnings)
		assert.Equal(t, "write_file", r.Subject)
		assert.Empty(t, runner.Calls())
		if configured != nil {
			assert.Equal(t, "the tool write_file is not available in this turn", r.Runs[0].Skipped)
			assert.Contains(t, r.Runs[1].Skipped, "matcher")
		}
	}
	(*hooks.Engine)(nil).NotOffered(hooks.ToolUse{}, "")
}
