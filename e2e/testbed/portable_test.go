package testbed

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
)

func TestPortableSection(t *testing.T) {
	t.Parallel()
	for _, word := range eventWords() {
		assert.Contains(t, protocol.Events, protocol.Event(CanonicalEvent(word)), "minigem has all events that cases name")
	}
	parse := func(lines string) (*Case, error) {
		return Parse("p.txtar", []byte("prompt x\nfired before-tool guard\n-- hooks --\n"+lines+"-- guard.sh --\nexit 2\n-- model --\ntext hi\n"))
	}
	c, err := parse("# a comment\nbefore-tool shell|write guard.sh timeout=5s name=g\nafter-tool * 'echo a b'\n\nStop \"guard.sh x\"\nUserPromptSubmit log\n")
	require.NoError(t, err)
	assert.Equal(t, []Portable{
		{Event: "BeforeTool", Tools: []string{"shell", "write"}, Name: "g", Command: "./guard.sh", Timeout: 5 * time.Second, Line: 5},
		{Event: "AfterTool", Command: "echo a b", Line: 6},
		{Event: "AfterAgent", Command: "./guard.sh x", Line: 8},
		{Event: "BeforeAgent", Command: "log", Line: 9},
	}, c.portable)
	used, err := Parse("p.txtar", []byte("use ../bin/watch.sh\nuse ../b.sh hooks/c.sh\nprompt x\nfired stop *\n-- hooks --\nstop watch.sh\nstop hooks/c.sh\nstop bin/watch.sh\n-- model --\ntext hi\n"))
	require.NoError(t, err)
	assert.Equal(t, []Portable{{Event: "AfterAgent", Command: "./watch.sh", Line: 6}, {Event: "AfterAgent", Command: "./hooks/c.sh", Line: 7}, {Event: "AfterAgent", Command: "bin/watch.sh", Line: 8}}, used.portable, "files that are brought are found, too")
	data, err := portableSettings(c.portable)
	require.NoError(t, err)
	assert.JSONEq(t, `{"hooks": {
		"BeforeTool": [{"matcher": "^(?:run_shell_command|write_file)$", "hooks": [{"type": "command", "command": "./guard.sh", "name": "g", "timeout": 5000}]}],
		"AfterTool": [{"hooks": [{"type": "command", "command": "echo a b"}]}],
		"AfterAgent": [{"hooks": [{"type": "command", "command": "./guard.sh x"}]}],
		"BeforeAgent": [{"hooks": [{"type": "command", "command": "log"}]}]}}`, string(data))
	for _, tt := range []struct{ line, want string }{
		{"before-tol shell x", `p.txtar:4: "before-tol" is not an event (did you mean "before-tool"?)`},
		{"before-tool", "which tools?"},
		{"before-tool shel x", `"shel" is not one of`},
		{"before-tool shell", "there is no command"},
		{"before-tool shell a b", `"b" is one word too many`},
		{"stop a timeout=x", `timeout is "x"`},
		{"stop a colour=x", `"colour" is not an option`},
	} {
		_, err := parse(tt.line + "\n")
		assert.ErrorContains(t, err, tt.want)
	}
}

// TestForeignHooksAreNotRunHere: a case that only has hooks of another agent does not
// count as passed.
func TestForeignHooksAreNotRunHere(t *testing.T) {
	t.Parallel()
	c, err := Parse("p.txtar", []byte("prompt x\nexit 0\n-- .claude/settings.json --\n{}\n-- model --\ntext hi\n"))
	require.NoError(t, err)
	res := Run(t.Context(), c, Options{Driver: func(context.Context, Setup) (Session, error) { return nil, errors.New("not reached") }})
	assert.Equal(t, "its hooks are those of other agents: run it with --on or --as", res.Skipped)
}
