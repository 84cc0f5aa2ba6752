package policy

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

func mcpCall(server, tool string) Call {
	return Call{Tool: "mcp_" + server + "_" + tool, Info: tools.Info{MCP: &tools.MCPOrigin{Server: server, Tool: tool}}}
}

func editCall(path string) Call {
	return Call{Tool: "write_file", Info: tools.Info{Kind: tools.KindEdit}, Args: map[string]any{"file_path": path, "content": "x"}, Intent: tools.Intent{Paths: []string{path}}}
}

func TestRememberedAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		answered Call
		outcome  Outcome
		then     Call
		want     Decision
		mode     Mode
	}{
		// Edits
		{"edit", editCall("/work/a"), ProceedAlways, editCall("/work/b"), Allow, ModeAutoEdit},
		{"edit elsewhere", editCall("/work/a"), ProceedAlways, editCall("/etc/b"), Ask, ModeAutoEdit},
		{"edit once", editCall("/work/a"), ProceedOnce, editCall("/work/a"), Ask, ModeDefault},
		{"edit modified", editCall("/work/a"), ModifyWithEditor, editCall("/work/a"), Ask, ModeDefault},
		{"edit saved", editCall("/work/a"), ProceedAlwaysAndSave, editCall("/work/a"), Allow, ModeDefault},
		{"another edit", editCall("/work/a"), ProceedAlwaysAndSave, editCall("/work/ab"), Ask, ModeDefault},
		{"cancelled", editCall("/work/a"), Cancel, editCall("/work/a"), Ask, ModeDefault},
		// Commands: the root command
		{"command", shellCall("git commit -m x"), ProceedAlways, shellCall("git commit -am y"), Allow, ModeDefault},
		{"another of its commands", shellCall("git commit -m x"), ProceedAlways, shellCall("git push"), Ask, ModeDefault},
		{"a script, another", shellCall("npm run x"), ProceedAlways, shellCall("npm run y"), Ask, ModeDefault},
		{"make, a variable", shellCall("make x"), ProceedAlways, shellCall("make x CC=evil"), Ask, ModeDefault},
		{"its redirection", shellCall("npm run x"), ProceedAlways, shellCall("npm run x > f"), Ask, ModeDefault},
		{"redirected", shellCall("npm run x > f"), ProceedAlways, shellCall("npm run x > g"), Allow, ModeDefault},
		{"redirected elsewhere", shellCall("npm run x > f"), ProceedAlways, shellCall("npm run x > /etc/f"), Ask, ModeDefault},
		{"both of a list", shellCall("npm i && go vet"), ProceedAlways, shellCall("go vet ./x; npm i y"), Allow, ModeDefault},
		{"another command", shellCall("npm run x"), ProceedAlways, shellCall("npm x; curl y"), Ask, ModeDefault},
		{"inside a wrapper", shellCall("timeout 5 npm run x"), ProceedAlways, shellCall("timeout 5 curl x"), Ask, ModeDefault},
		{"interpreter, the same", shellCall("python3 a.py"), ProceedAlways, shellCall("python3 a.py -v"), Allow, ModeDefault},
		{"interpreter, another", shellCall("python3 a.py"), ProceedAlways, shellCall("python3 b.py"), Ask, ModeDefault},
		{"dangerous", shellCall("rm -rf a"), ProceedAlways, shellCall("rm -rf a"), Ask, ModeDefault},
		{"unknown", shellCall("$X a"), ProceedAlways, shellCall("$X a"), Ask, ModeDefault},
		// MCP: the tool, or its server
		{"tool", mcpCall("s", "t"), ProceedAlwaysTool, mcpCall("s", "t"), Allow, ModeDefault},
		{"another tool", mcpCall("s", "t"), ProceedAlwaysTool, mcpCall("s", "u"), Ask, ModeDefault},
		{"server", mcpCall("s", "t"), ProceedAlwaysServer, mcpCall("s", "u"), Allow, ModeDefault},
		{"another server", mcpCall("s", "t"), ProceedAlwaysServer, mcpCall("s2", "t"), Ask, ModeDefault},
		// Anything else
		{"fetch", Call{Tool: "web_fetch"}, ProceedAlways, Call{Tool: "web_fetch"}, Allow, ModeDefault},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, err := New(Options{Interactive: true, InWorkspace: inside})
			require.NoError(t, err)
			e.Remember(c.answered, c.outcome)
			v := e.Check(c.then)
			assert.Equal(t, c.want, v.Decision, "%+v", v)
			assert.Equal(t, c.mode, e.Mode())
		})
	}
}

func TestRootCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"npm run x", []string{"npm run x"}},
		{"ls; npm i && go vet | npm t", []string{"npm i", "go vet", "npm t"}}, // ls needs no leave
		{"FOO=1 npm i", nil},
		{"env LANG=C timeout 5 npm i", []string{"env LANG=C timeout 5 npm i"}},
		{"bash -c 'npm i; make x'", nil},
		{"python3 -m http.server", []string{"python3 -m http.server"}},
		{"python3 -c 'print(1, 2)'", nil}, // its words cannot be written as a prefix
		{"python3 $X", nil},
		{"rm -rf a", []string{"rm"}}, // which is asked about all the same
		{"npm i; $X", nil},
		{"npm i '", nil},
		{"", nil},
	} {
		assert.Equal(t, c.want, RootCommands(c.command), c.command)
	}
}

func TestRememberedOnlyWhereAsPermissive(t *testing.T) {
	t.Parallel()
	e, err := New(Options{Interactive: true})
	require.NoError(t, err)
	e.Remember(Call{Tool: "web_fetch"}, ProceedAlways)
	e.SetMode(ModePlan)
	assert.Equal(t, Ask, e.Check(Call{Tool: "web_fetch"}).Decision)
	e.SetMode(ModeAutoEdit)
	assert.Equal(t, "allowed in this session", e.Check(Call{Tool: "web_fetch"}).Rule)
}

func TestAlwaysDoesNotOutrankSettings(t *testing.T) {
	t.Parallel()
	e, err := New(Options{Interactive: true, Rules: fromLists(Lists{ConfirmationRequired: []string{"web_fetch"}})})
	require.NoError(t, err)
	e.Remember(Call{Tool: "web_fetch"}, ProceedAlways)
	assert.Equal(t, Ask, e.Check(Call{Tool: "web_fetch"}).Decision)
}

func TestSavedRulesHoldInTheNextSession(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policies", "auto-saved.toml")
	e, err := New(Options{Interactive: true, SavedRules: file, SaveFailed: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	calls := []Call{shellCall("npm run x"), mcpCall("my srv", "t"), editCall(`/work/a "quoted" (file).txt`), {Tool: "web_fetch"}}
	for _, c := range append(calls, calls...) { // twice: nothing is written twice
		e.Remember(c, ProceedAlwaysAndSave)
	}
	e.Remember(shellCall("$X"), ProceedAlwaysAndSave)
	rules, problems := LoadPaths(TierUser, true, file)
	require.Empty(t, problems)
	assert.Len(t, rules, len(calls))
	next, err := New(Options{Interactive: true, Rules: rules})
	require.NoError(t, err)
	for _, c := range calls {
		v := next.Check(c)
		assert.Equal(t, Allow, v.Decision, "%+v", v)
	}
	assert.Equal(t, Ask, next.Check(editCall("/work/other")).Decision)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestFailedSaveIsTold(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	var got error
	e, err := New(Options{Interactive: true, SavedRules: filepath.Join(blocked, "auto-saved.toml"), SaveFailed: func(err error) { got = err }})
	require.NoError(t, err)
	e.Remember(Call{Tool: "web_fetch"}, ProceedAlwaysAndSave)
	assert.ErrorContains(t, got, "it holds for this session only")
	assert.Equal(t, Allow, e.Check(Call{Tool: "web_fetch"}).Decision)
}

func TestEngineIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	e, err := New(Options{Interactive: true})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				e.Check(shellCall("npm test && ls"))
				e.Remember(shellCall("npm test"), ProceedAlways)
				e.SetMode(ModePlan)
				e.Rules()
				e.Offered(fakeTool{name: "write_file"})
			}
		})
	}
	wg.Wait()
	assert.Equal(t, ModePlan, e.Mode())
}
