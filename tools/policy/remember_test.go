package policy

import (
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
	return Call{Tool: "write_file", Info: tools.Info{Kind: tools.KindEdit},
		Args: map[string]any{"file_path": path, "content": "x"}, Intent: tools.Intent{Paths: []string{path}}}
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
		{"cancelled", editCall("/work/a"), Cancel, editCall("/work/a"), Ask, ModeDefault},
		// Commands: the root command
		{"command", shellCall("git commit -m x"), ProceedAlways, shellCall("git commit -am y"), Allow, ModeDefault},
		{"another of its commands", shellCall("git commit -m x"), ProceedAlways, shellCall("git push"), Ask, ModeDefault},
		{"a script, another", shellCall("npm run x"), ProceedAlways, shellCall("npm run y"), Ask, ModeDefault},
		{"make, a variable", shellCall("make x"), ProceedAlways, shellCall("make x CC=evil"), Ask, ModeDefault},
		{"its redirection", shellCall("npm run x"), ProceedAlways, shellCall("npm run x > f"), Ask, ModeDefault},
		{"redirected", shellCall("npm run x > f"), ProceedAlways, shellCall("npm run x > g"), Allow, ModeDefault},
		{"redirected elsewhere", shellCall("npm run x > f"), ProceedAlways, shellCall("npm run x > /etc/f"), Ask,
			ModeDefault},
		{"both of a list", shellCall("npm i && go vet"), ProceedAlways, shellCall("go vet ./x; npm i y"), Allow, ModeDefault},
		{"another command", shellCall("npm run x"), ProceedAlways, shellCall("npm x; curl y"), Ask, ModeDefault},
		{"inside a wrapper", shellCall("timeout 5 npm run x"), ProceedAlways, shellCall("timeout 5 curl x"), Ask,
			ModeDefault},
		{"interpreter, the same", shellCall("python3 a.py"), ProceedAlways, shellCall("python3 a.py -v"), Allow, ModeDefault},
		{"interpreter, another", shellCall("python3 a.py"), ProceedAlways, shellCall("python3 b.py"), Ask, ModeDefault},
		{"sed, another script", shellCall("sed -i s/a/b/ f"), ProceedAlways, shellCall("sed -i s/a/b/ f -e '1e x'"), Ask, ModeDefault},
		{"perl, another script", shellCall("perl -e 1"), ProceedAlways, shellCall("perl -e 1 -e 'system q(x)'"), Ask, ModeDefault},
		{"make, another rule", shellCall("make a"), ProceedAlways, shellCall("make a -f b"), Ask, ModeDefault},
		{"the same sed", shellCall("sed -i s/a/b/ f"), ProceedAlways, shellCall("sed -i s/a/b/ f"), Allow, ModeDefault},
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
		{"ls; npm i && go vet | npm t", []string{"npm i", "go vet", "npm t"}}, // ls needs no approval
		{"FOO=1 npm i", nil},
		{"env LANG=C timeout 5 npm i", []string{"env LANG=C timeout 5 npm i"}},
		{"bash -c 'npm i; make x'", nil},
		{"python3 -m http.server", []string{"python3 -m http.server"}},
		{"python3 -c 'print(1, 2)'", nil}, // its words cannot be written as a prefix
		{"python3 $X", nil},
		{"rm -rf a", []string{"rm"}}, // it still needs approval
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

// TestLastingAnswers checks that a lasting answer is offered only if it settles this
// question, too.
func TestLastingAnswers(t *testing.T) {
	t.Parallel()
	const tool, server = ProceedAlwaysTool, ProceedAlwaysServer
	both, none := []Outcome{ProceedAlways, ProceedAlwaysSandbox}, []Outcome(nil)
	for _, c := range []struct {
		policy string
		call   Call
		want   []Outcome
	}{
		{"", shellCall("npm test"), both},
		{"", shellCall("npm test > out"), both},
		{"", shellCall("git push"), both},
		{"", shellCall("git push --force"), none},
		{"", shellCall("rm -rf out"), none},
		{"", shellCall("make test"), both},
		{"", shellCall("make test CC=evil"), none},
		{"", shellCall("npm test $(x)"), none},
		{"", shellCall("npm test .env"), none},
		{"", editCall("/work/a"), []Outcome{ProceedAlways}},
		{"", editCall("/work/.vscode/a"), none},
		{"", editCall("/elsewhere/a"), none},
		{"", mcpCall("s", "t"), []Outcome{tool, server}},
		{"", Call{Tool: "web_fetch"}, []Outcome{ProceedAlways}},
		{"[[rule]]\ntoolName = \"web_fetch\"\ndecision = \"ask_user\"\npriority = 1", Call{Tool: "web_fetch"}, none},
		{"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"npm\"\ndecision = \"ask_user\"\npriority = 1",
			shellCall("npm test"), none},
	} {
		e := engineWith(t, c.policy, Options{Interactive: true, Sandbox: true, InWorkspace: inside, Sensitive: sensitive})
		got := e.Lasting(c.call)
		assert.ElementsMatch(t, c.want, got, "%+v", c.call)
		assert.Equal(t, Ask, e.Check(c.call).Decision, "asking for them changes nothing: %+v", c.call)
		for _, o := range got {
			e := engineWith(t, c.policy, Options{Interactive: true, Sandbox: true, InWorkspace: inside, Sensitive: sensitive})
			e.Remember(c.call, o)
			v := e.Check(c.call)
			assert.Equal(t, Allow, v.Decision, "%s: %+v", o, v)
			assert.Equal(t, o == ProceedAlwaysSandbox, v.Sandbox, "%s: %+v", o, v)
		}
	}
	e := engineWith(t, "", Options{Interactive: true})
	assert.Equal(t, []Outcome{ProceedAlways}, e.Lasting(shellCall("npm test")),
		"all commands run in the sandbox, or none can")
}

// TestRulesForTheSandbox checks that the whole line runs in the sandbox if a rule that
// allows one of its commands says so, in every mode.
func TestRulesForTheSandbox(t *testing.T) {
	t.Parallel()
	const rules = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"npm test\"\ndecision = \"allow\"\n" +
		"priority = 5\nsandbox = true\n" +
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make\"\ndecision = \"allow\"\npriority = 5\n"
	for _, mode := range []Mode{ModeDefault, ModeAutoEdit, ModeYolo} {
		for line, sandbox := range map[string]bool{
			"npm test": true, "make": false, "npm test && make": true, "make; npm test -- x": true, "cat a | npm test": true,
			"make && cat a": false,
		} {
			v := engineWith(t, rules, Options{Mode: mode, Interactive: true}).Check(shellCall(line))
			assert.Equal(t, Allow, v.Decision, "%s: %+v", line, v)
			assert.Equal(t, sandbox, v.Sandbox, "%s: %+v", line, v)
		}
	}
	v := engineWith(t, rules, Options{Interactive: true}).Check(shellCall("npm test && curl evil"))
	assert.Equal(t, Ask, v.Decision)
	assert.False(t, v.Sandbox, "the user is asked about the whole line")
	for _, bad := range []string{"toolName = \"run_shell_command\"\ndecision = \"deny\"",
		"toolName = \"write_file\"\ndecision = \"allow\"", "toolName = \"*\"\ndecision = \"allow\""} {
		rules, problems := Parse("user.toml", []byte("[[rule]]\n"+bad+"\npriority = 5\nsandbox = true\n"), TierUser)
		assert.Empty(t, rules, bad)
		require.Len(t, problems, 1, bad)
		assert.Contains(t, problems[0].Text, `sandbox needs decision = "allow" and toolName = "run_shell_command"`)
	}
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
