package hooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
)

// echo returns a hook that prints its input with a change.
type echo struct{ from, to string }

func (e echo) Run(_ context.Context, _ hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	return hooks.Exit{Stdout: []byte(strings.Replace(stdin.String(), e.from, e.to, 1))}
}

// If something in a run is ignored, the user reads one line. The report has everything.
func TestWarningsAreOneLineARun(t *testing.T) {
	t.Parallel()
	odd := `{"a":1,"b":2,"c":3,"descision":"deny","d":4}`
	e, _, rep := engine(protocol.BeforeTool, map[string]hookstest.Script{"guard": {Stdout: odd}}, "guard")
	e.BeforeTool(t.Context(), writeFile())
	r := rep.last()
	assert.Len(t, r.Runs[0].Warnings, 5)
	require.Len(t, r.Messages, 1)
	assert.Equal(t, `hook "guard" for BeforeTool: unknown field descision: did you mean "decision"?; unknown field a; `+
		`and 3 more (--hook-trace FILE has them all)`, r.Messages[0].Text)
}

// A script that is configured at many events gets one warning about a field.
func TestOneScriptAtManyEventsWarnsOnce(t *testing.T) {
	t.Parallel()
	e, _, rep := engine(protocol.SessionStart, map[string]hookstest.Script{"a": {Stdout: `{"x":1}`}}, "a")
	var lines int
	for i, ev := range protocol.Events {
		e.Config.Hooks[0].Event, e.Config.Hooks[0].Source = ev, hooks.Source{File: "/settings.json", Line: i + 1}
		hookstest.Stimulus{Event: ev}.Fire(e)
		lines += len(rep.last().Messages)
	}
	assert.Equal(t, 1, lines)
}

// A hook that prints its payload says nothing by that, at any event. A change in it has
// no effect there, and a warning says so.
func TestAnEchoSaysNothing(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		for _, d := range []string{"", "claude"} {
			t.Run(string(ev)+d, func(t *testing.T) {
				t.Parallel()
				for _, change := range []echo{{}, {`"cwd":"/"`, `"cwd":"/else"`}} {
					rep := &reports{}
					e := &hooks.Engine{Runner: change, Origin: hookstest.Origin, Report: rep.add}
					e.Config.Hooks = []hooks.Hook{{Event: ev, Name: "echo", Command: "cat", Dialect: d}}
					hookstest.Stimulus{Event: ev}.Fire(e)
					r := rep.last()
					require.True(t, strings.HasPrefix(string(r.Runs[0].Exit.Stdout), "{"), r.Runs[0])
					if change.from == "" {
						assert.Empty(t, r.Runs[0].Warnings)
						assert.Empty(t, r.Messages)
					} else {
						assert.Equal(t, []string{"unknown field cwd"}, r.Runs[0].Warnings)
					}
				}
			})
		}
	}
}

func TestALongCommandIsNamedByItsScript(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 61)
	for _, c := range []struct{ name, command, want string }{
		{"guard", long, "guard"},
		{"", "./guard.sh --strict", "./guard.sh --strict"},
		{"", `bash -c 'set -e; exec python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.py" --mode strict'`, "guard.py"},
		{"", "a.sh\nb", "a.sh"},
		{"", "echo one\necho two", "echo one..."},
		{"", long, long[:60] + "..."},
		{"", strings.Repeat("ä", 60), strings.Repeat("ä", 60)},
	} {
		assert.Equal(t, c.want, hooks.Hook{Name: c.name, Command: c.command}.Label())
	}
}
