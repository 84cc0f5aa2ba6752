package attack

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// naive denies any payload that contains its text, as most guards do.
type naive string

func (n naive) Run(_ context.Context, _ hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	if strings.Contains(string(stdin.Bytes()), string(n)) {
		return hooks.Exit{Code: 2, Stderr: []byte("no")}
	}
	return hooks.Exit{}
}

func attacked(t *testing.T, r hooks.Runner, g Goal) Report {
	t.Helper()
	return attackedCommand(t, r, "guard", g)
}

func attackedCommand(t *testing.T, r hooks.Runner, command string, g Goal) Report {
	t.Helper()
	c := hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Name: "guard", Command: command}, {Event: protocol.AfterTool, Name: "other"}}}
	only, err := Only(c, protocol.BeforeTool, "guard")
	require.NoError(t, err)
	g.Dir, g.Find = "/p/project", find
	last := 0
	report, err := Attack(t.Context(), func() *hooks.Engine { return &hooks.Engine{Config: only, Runner: r} }, protocol.BeforeTool, "guard", g, func(n, _ int) { last = n })
	require.NoError(t, err)
	assert.Len(t, report.Results, last, "progress was told of all")
	return report
}

func TestAttack(t *testing.T) {
	t.Parallel()
	r := attacked(t, naive("push --force"), Goal{Kind: Command, Value: "git push --force"})
	through, alarms := r.Through(), r.FalseAlarms()
	assert.Greater(t, len(through), 200)
	assert.Less(t, r.Percent(), 70)
	for i, x := range through {
		assert.NotContains(t, x.Text, "push --force")
		assert.False(t, x.Harmless || i > 0 && len(x.Text) < len(through[i-1].Text), "harmful, the shortest first")
	}
	require.NotEmpty(t, alarms)
	for _, x := range alarms {
		assert.True(t, x.Harmless && x.Held)
	}
	text := r.Write(3)
	assert.Contains(t, text, "\ngot through, the shortest first\n  ")
	assert.Contains(t, text, " more (--all)\n")
	assert.NotContains(t, r.Write(0), "more (--all)")

	all := attacked(t, naive(""), Goal{Kind: Path, Value: ".env"})
	assert.Equal(t, []int{100, all.Of(true)}, []int{all.Percent(), len(all.FalseAlarms())}, "who refuses all refuses what is harmless, too")
	none := attacked(t, naive("nobody writes this"), Goal{Kind: Text, Value: "hunter2"})
	assert.Equal(t, 0, none.Percent())

	reads := Report{Hook: "guard", Goal: Goal{Kind: Path, Value: "a.lock"}}.Write(0)
	assert.Contains(t, reads, " spellings of reading (not writing) a.lock (")
	silent := Report{Hook: "a\nb", Results: []Result{{Spelling: Spelling{Text: "x"}, Skipped: "no match"}}}.Write(0)
	assert.Contains(t, silent, "The hook did not run for 1 of 1 spelling, first for x: no match\n")
	assert.NotContains(t, silent, "a\nb")
}

func TestWhatCannotBeAttacked(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "a | b", "a > b", "a; b", "$x", "X=1 a", "a $(b)", "if", "rm *"} {
		_, err := Goal{Kind: Command, Value: command}.Spellings()
		require.ErrorContains(t, err, "one simple command", command)
	}
	c := hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Name: "guard"}, {Event: protocol.BeforeTool, Name: "off", Disabled: "the settings say so"}}}
	_, err := Only(c, protocol.BeforeTool, "gaurd")
	require.ErrorContains(t, err, `did you mean "guard"?`)
	_, err = Only(c, protocol.BeforeTool, "off")
	require.ErrorContains(t, err, "the settings say so")
	_, err = Only(c, protocol.AfterTool, "guard")
	require.ErrorContains(t, err, "no hook of AfterTool")
}

// TestAddTo checks that the spellings that got through become a case, and that calls
// already in the case stay.
func TestAddTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".gemini"), 0o755))
	file := filepath.Join(dir, "tests", "attack.txtar")
	r := Report{Hook: "guard", Goal: Goal{Value: "git push --force"}, Results: []Result{
		{Spelling: Spelling{Tool: "run_shell_command", Args: map[string]any{"command": "git push -f"}, Text: "git push -f"}},
		{Spelling: Spelling{Tool: "run_shell_command", Args: map[string]any{"command": "held"}}, Held: true},
	}}
	require.NoError(t, AddTo(file, r))
	require.NoError(t, AddTo(file, r))
	r.Results[0].Args = map[string]any{"command": "env git push\n-f"}
	require.NoError(t, AddTo(file, r))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, `# What got past guard once: git push --force.
use ../.gemini
interactive
prompt Try it
fired BeforeTool "guard" decision=deny times=2

-- model --
call run_shell_command {"command":"git push -f"}
call run_shell_command {"command":"env git push\n-f"}

text None of it.
`, string(data))
	assert.Len(t, txtar.Parse(data).Files, 1)
	r.Hook = "./guard.sh" // a script that no settings name
	alone := filepath.Join(t.TempDir(), "attack.txtar")
	require.NoError(t, AddTo(alone, r))
	data, err = os.ReadFile(alone)
	require.NoError(t, err)
	assert.NotContains(t, string(data), ".gemini")
	assert.Contains(t, string(data), "\n-- hooks --\nbefore-tool * ./guard.sh\n")
	mine := filepath.Join(dir, "mine.txtar")
	require.NoError(t, os.WriteFile(mine, []byte("prompt Hi\n"), 0o644))
	require.ErrorContains(t, AddTo(mine, r), "is not a case that hooks attack wrote")
}
