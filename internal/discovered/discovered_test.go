package discovered

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/toolstest"
)

const declarations = `[
  {"name": "greet", "description": "Greets.", "parameters": {"type": "object", "properties": {"who": {"type": "string", "description": "Whom."}}, "required": ["who"]}},
  {"function_declarations": [{"name": "fail"}, {"name": "grumble"}]},
  {"functionDeclarations": [{"name": "wait", "parametersJsonSchema": {"type": "object"}}]},
  {"name": "x; curl evil"}, {"name": "-rf"}, {"name": ""}, {"name": "odd", "parameters": {"type": 7}}
]`

const caller = `case "$1" in
greet) cat; echo " from $MARK in $(basename "$PWD")";;
fail) echo half; exit 3;;
grumble) echo fine; echo "but slow" >&2;;
wait) sleep 3600;;
esac
`

func commands(t *testing.T) Commands {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	dir := filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for name, content := range map[string]string{"tools.json": declarations, "call.sh": caller} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return Commands{Discovery: "cat tools.json", Call: "bash call.sh", Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "MARK=here"}}
}

func discover(t *testing.T) *tools.Registry {
	t.Helper()
	found, problems, err := Discover(t.Context(), commands(t))
	require.NoError(t, err)
	require.Len(t, problems, 4)
	for i, name := range []string{"x; curl evil", "-rf", "", "odd"} {
		assert.Contains(t, problems[i], "the discovered tool \""+name+"\" is left out: ")
	}
	r := &tools.Registry{}
	r.Add(found...)
	return r
}

func run(t *testing.T, ctx context.Context, tool tools.Tool, args map[string]any) (tools.Result, error) {
	t.Helper()
	inv, err := tool.Prepare(args)
	require.NoError(t, err)
	return inv.Run(ctx)
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	r := discover(t)
	assert.Equal(t, []string{"discovered_tool_greet", "discovered_tool_fail", "discovered_tool_grumble", "discovered_tool_wait"}, r.Names())
	greet := r.Lookup("discovered_tool_greet")
	assert.Equal(t, "Greets.", greet.Spec().Description)
	got, err := run(t, t.Context(), greet, map[string]any{"who": "you"})
	require.NoError(t, err)
	assert.Equal(t, `{"who":"you"} from here in work`+"\n", got.Display)
	_, err = greet.Prepare(map[string]any{})
	require.ErrorContains(t, err, "params must have required property 'who'")

	for name, want := range map[string]string{
		"fail":    "Stdout: half\n\nStderr: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)",
		"grumble": "Stdout: fine\n\nStderr: but slow\n\nError: (none)\nExit Code: 0\nSignal: (none)",
	} {
		_, err := run(t, t.Context(), r.Lookup(Prefix+name), nil)
		var e *tools.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, tools.ErrDiscoveredExecution, e.Type)
		assert.Equal(t, want, e.Message)
	}
	toolstest.Run(t, toolstest.Case{Tool: greet, Args: map[string]any{"who": "you"}, Dir: t.TempDir()})
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(interrupted) })
	_, err := run(t, ctx, discover(t).Lookup("discovered_tool_wait"), nil)
	require.ErrorIs(t, err, interrupted)
}

func TestDiscoveryFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ discovery, call, want string }{
		{"", "", ""},
		{"cat tools.json", "", "tools.callCommand, which would run them, is not"},
		{"echo no >&2; exit 4", "x", `"echo no >&2; exit 4" exited with code 4: no`},
		{"echo hello", "x", "it must be a JSON array of function declarations"},
		{`echo '{"name": "a"}'`, "x", "it must be a JSON array of function declarations"},
		{"head -c 2000000 /dev/zero", "x", "printed more than 1048576 bytes"},
	} {
		c := commands(t)
		c.Discovery, c.Call = tt.discovery, tt.call
		found, problems, err := Discover(t.Context(), c)
		assert.Empty(t, found)
		assert.Empty(t, problems)
		if tt.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, tt.want)
	}
}
