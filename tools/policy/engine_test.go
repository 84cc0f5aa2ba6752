package policy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
)

// fakeTool is a tool that never runs.
type fakeTool struct {
	name string
	info tools.Info
}

func (f fakeTool) Spec() llm.ToolSpec { return llm.ToolSpec{Name: f.name} }
func (f fakeTool) Info() tools.Info   { return f.info }
func (f fakeTool) Prepare(map[string]any) (tools.Invocation, error) {
	return nil, fmt.Errorf("%s is never prepared: %w", f.name, context.Canceled)
}

func inside(path string) bool    { return strings.HasPrefix(path, "/work/") }
func sensitive(path string) bool { return strings.Contains(path, "/.vscode/") }
func plans(path string) bool     { return strings.HasPrefix(path, "/plans/") }

// callOf returns a typical call of a tool. The text after a colon is its path or its
// agent.
func callOf(spec string) Call {
	name, arg, _ := strings.Cut(spec, ":")
	c := Call{Tool: name, Args: map[string]any{}}
	switch {
	case name == "write_file" || name == "replace":
		c.Info.Kind = tools.KindEdit
		c.Args["file_path"], c.Intent.Paths = arg, []string{arg}
	case name == "invoke_agent":
		c.Args["agent_name"] = arg
	case name == shellTool:
		c = shellCall("curl evil")
	case strings.HasPrefix(name, "mcp_"):
		c.Info.MCP = &tools.MCPOrigin{Server: "srv", Tool: strings.TrimPrefix(name, "mcp_srv_")}
		c.Info.Annotations = map[string]any{"readOnlyHint": arg == "reads"}
		c.Info.MCP.Trusted = arg == "trusted"
	}
	return c
}

// The combined effect of the built-in rules (core/policy/policies). "no" means that the
// tool is not even offered.
func TestDecisionTable(t *testing.T) {
	t.Parallel()
	settings := []struct {
		mode        Mode
		interactive bool
	}{{ModeDefault, true}, {ModeDefault, false}, {ModeAutoEdit, false}, {ModeYolo, false}, {ModeYolo, true}, {ModePlan, false}, {ModePlan, true}}
	for _, row := range []string{
		// tool                      default-tty default auto_edit yolo yolo-tty plan plan-tty
		"read_file                    run  run  run  run  run  run  run",
		"glob                         run  run  run  run  run  run  run",
		"search_file_content          run  run  run  run  run  run  run",
		"update_topic                 run  run  run  run  run  run  run",
		"google_web_search            run  run  run  run  run  run  run",
		"write_file:/work/a           ask  no   run  run  run  deny deny",
		"replace:/work/a              ask  no   run  run  run  deny deny",
		"write_file:/work/.vscode/a   ask  no   deny run  run  deny deny",
		"write_file:/elsewhere/a      ask  no   deny run  run  deny deny",
		"write_file:/plans/a.md       ask  no   deny run  run  run  run",
		"write_file:/plans/a.sh       ask  no   deny run  run  deny deny",
		"web_fetch                    ask  no   run  run  run  no   ask",
		"run_shell_command            ask  no   no   run  run  no   no",
		"activate_skill               ask  no   no   run  run  no   ask",
		"save_memory                  ask  no   no   run  run  no   no",
		"mcp_srv_tool                 ask  no   no   run  run  no   no",
		"mcp_srv_tool:reads           ask  no   no   run  run  no   ask",
		"mcp_srv_tool:trusted         run  run  run  run  run  no   no",
		"read_mcp_resource            run  run  run  run  run  run  run",
		"list_mcp_resources           run  run  run  run  run  run  run",
		"invoke_agent:generalist      run  run  run  run  run  deny deny",
		"invoke_agent:cli_help        run  run  run  run  run  run  run",
		"delegate_to_agent:x          run  run  run  run  run  deny deny",
		"ask_user                     ask  no   no   no   ask  no   ask",
		"enter_plan_mode              ask  run  run  run  no   no   no",
		"exit_plan_mode               no   no   no   no   no   run  ask",
		"discovered_tool_x            ask  no   no   run  run  no   no",
		"nobody_knows_this            ask  no   no   run  run  no   no",
	} {
		fields := strings.Fields(row)
		require.Len(t, fields, 1+len(settings), row)
		for i, s := range settings {
			e, err := New(Options{Mode: s.mode, Interactive: s.interactive, InWorkspace: inside, InPlans: plans, Sensitive: sensitive})
			require.NoError(t, err)
			c := callOf(fields[0])
			got := map[Decision]string{Allow: "run", Ask: "ask", Deny: "deny"}[e.Check(c).Decision]
			if !e.Offered(fakeTool{c.Tool, c.Info}) {
				assert.Equal(t, "deny", got, "%s in %v: what is not offered is denied too", fields[0], s)
				got = "no"
			}
			assert.Equal(t, fields[i+1], got, "%s in %v: %+v", fields[0], s, e.Check(c))
		}
	}
}

func TestListsAreInOrder(t *testing.T) {
	t.Parallel()
	trusted := tools.Info{MCP: &tools.MCPOrigin{Server: "srv", Tool: "t", Trusted: true}}
	plain := tools.Info{MCP: &tools.MCPOrigin{Server: "srv", Tool: "t"}}
	for _, c := range []struct {
		name  string
		mode  Mode
		lists Lists
		call  Call
		want  Decision
		rule  string
	}{
		// 4.9 before everything
		{"excluded server", "", Lists{ExcludedServers: []string{"srv"}, AllowedServers: []string{"srv"}}, Call{Tool: "mcp_srv_t", Info: trusted}, Deny, "settings: mcp.excluded"},
		{"older name of an MCP tool", "", Lists{Excluded: []string{"srv__t"}}, Call{Tool: "mcp_srv_t", Info: trusted}, Deny, "settings: tools.exclude"},
		{"hooks' name of an MCP tool", "", Lists{Excluded: []string{"mcp__srv__t"}}, Call{Tool: "mcp_srv_t", Info: trusted}, Deny, "settings: tools.exclude"},
		{"another server", "", Lists{ExcludedServers: []string{"other"}}, Call{Tool: "mcp_srv_t", Info: trusted}, Allow, "settings: mcpServers.<name>.trust (trusted server)"},
		// 4.4 before 4.35 before 4.3 before 4.25
		{"exclude", "", Lists{Excluded: []string{"web_fetch"}, ConfirmationRequired: []string{"web_fetch"}, Allowed: []string{"web_fetch"}}, Call{Tool: "web_fetch"}, Deny, "settings: tools.exclude"},
		{"confirm", "", Lists{ConfirmationRequired: []string{"read_file"}, Allowed: []string{"read_file"}}, Call{Tool: "read_file"}, Ask, "settings: tools.confirmationRequired"},
		{"allowed", "", Lists{Allowed: []string{"WebFetchTool"}, Core: []string{}}, Call{Tool: "web_fetch"}, Allow, "settings: tools.allowed"},
		{"prefix", "", Lists{Allowed: []string{"ShellTool(npm test)"}}, shellCall("npm test -v"), Allow, "settings: tools.allowed"},
		{"the rest of a prefix", "", Lists{Allowed: []string{"run_shell_command(npm test)"}}, shellCall("npm run x"), Deny, "settings: tools.allowed"},
		{"prefix and all", "", Lists{Allowed: []string{"run_shell_command(npm test)", "run_shell_command"}}, shellCall("npm run x"), Allow, "settings: tools.allowed"},
		{"excluded prefix", "", Lists{Excluded: []string{"run_shell_command(npm publish)"}, Allowed: []string{"run_shell_command"}}, shellCall("ls && npm publish"), Deny, "settings: tools.exclude"},
		// Plan mode changes nothing, whatever the lists of core and servers contain
		{"core in plan mode", ModePlan, Lists{Core: []string{"write_file"}}, Call{Tool: "write_file"}, Deny, "built-in policy:148 (plans only)"},
		{"server in plan mode", ModePlan, Lists{AllowedServers: []string{"srv"}}, Call{Tool: "mcp_srv_t", Info: trusted}, Deny, "built-in policy:182 (planning changes nothing)"},
		{"allowed in plan mode", ModePlan, Lists{Allowed: []string{"web_fetch"}}, Call{Tool: "web_fetch"}, Allow, "settings: tools.allowed"},
		{"the rest of a prefix in yolo mode", ModeYolo, Lists{Allowed: []string{"run_shell_command(npm test)"}}, shellCall("npm run x"), Deny, "settings: tools.allowed"},
		// 4.25 and its rest
		{"core", "", Lists{Core: []string{"write_file"}}, Call{Tool: "write_file"}, Allow, "settings: tools.core"},
		{"not core", "", Lists{Core: []string{"write_file"}}, Call{Tool: "read_file"}, Deny, "settings: tools.core"},
		{"no core at all", "", Lists{Core: []string{}}, Call{Tool: "read_file"}, Deny, "settings: tools.core"},
		{"core spares MCP", "", Lists{Core: []string{}}, Call{Tool: "mcp_srv_t", Info: plain}, Ask, "no rule: the user is asked"},
		{"core not given", "", Lists{}, Call{Tool: "read_file"}, Allow, "built-in policy:6 (reading)"},
		// 4.2 before 4.1
		{"allowed server", "", Lists{AllowedServers: []string{"srv"}}, Call{Tool: "mcp_srv_t", Info: plain}, Allow, "settings: mcp.allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, err := New(Options{Interactive: true, Mode: c.mode, Rules: fromLists(c.lists)})
			require.NoError(t, err)
			v := e.Check(c.call)
			assert.Equal(t, []any{c.want, c.rule}, []any{v.Decision, v.Rule})
		})
	}
}

func TestRulesMatchTheirConditions(t *testing.T) {
	t.Parallel()
	mcp := func(server, tool string) Call {
		return Call{Tool: "mcp_" + server + "_" + tool, Info: tools.Info{MCP: &tools.MCPOrigin{Server: server, Tool: tool}, Annotations: map[string]any{"readOnlyHint": true}}}
	}
	read := func(path string) Call {
		return Call{Tool: "read_file", Args: map[string]any{"file_path": path, "limit": 5}}
	}
	for _, c := range []struct {
		rule string // a deny with these fields
		call Call
		want bool
	}{
		// Names
		{`toolName = "read_file"`, read("a"), true},
		{`toolName = "ReadFileTool"`, read("a"), true},
		{`toolName = "read_files"`, read("a"), false},
		{`toolName = "read_*"`, read("a"), true},
		{`toolName = ["glob", "read_file"]`, read("a"), true},
		{`toolName = "*"`, mcp("s", "t"), true},
		{`toolName = "mcp_*"`, mcp("s", "t"), true},
		{`toolName = "mcp_*"`, read("a"), false},
		{`toolName = "mcp_s_*"`, mcp("s", "t"), true},
		{`toolName = "mcp_s_*"`, mcp("s_two", "t"), false},
		{`toolName = "mcp_s_t"`, mcp("s", "t"), true},
		{`mcpName = "s"`, mcp("s", "t"), true},
		{`mcpName = "s"`, mcp("other", "t"), false},
		{"mcpName = \"s\"\ntoolName = \"t\"", mcp("s", "t"), true},
		{"mcpName = \"s\"\ntoolName = \"u\"", mcp("s", "t"), false},
		{"mcpName = \"*\"\ntoolName = \"t\"", mcp("s", "t"), true},
		{"mcpName = \"s\"\ntoolName = \"*\"", read("a"), false},
		// Arguments: whole pairs between NUL bytes, keys sorted
		{"toolName = \"read_file\"\nargsPattern = '\"file_path\":\"secret'", read("secrets/a"), true},
		{"toolName = \"read_file\"\nargsPattern = '\"file_path\":\"secret'", read("a/secrets"), false},
		{"toolName = \"read_file\"\nargsPattern = '\\x00\"file_path\":\"a\"\\x00,\\x00\"limit\":5\\x00'", read("a"), true},
		{"toolName = \"read_file\"\nargsPattern = '\\x00\"limit\":6\\x00'", read(`x","limit":6`), false},
		{"toolName = \"read_file\"\nargsPattern = '<&>'", read("<&>"), true},
		{"toolName = \"read_file\"\nargsPattern = '(?=.*a)(?=.*b)'", read("ba"), true},
		// A rule about commands does not apply to other tools
		{"toolName = \"run_shell_command\"\ncommandRegex = 'npm (test|run)'", shellCall("npm run x"), true},
		{"toolName = \"run_shell_command\"\ncommandRegex = 'run'", shellCall("npm run x"), false},
		{"toolName = \"run_shell_command\"\nargsPattern = 'evil'", shellCall(`echo a && echo e"vi"l`), true},
		// Situations
		{"toolName = \"read_file\"\nmodes = [\"yolo\", \"plan\"]", read("a"), false},
		{"toolName = \"read_file\"\nmodes = [\"default\"]", read("a"), true},
		{"toolName = \"read_file\"\ninteractive = true", read("a"), true},
		{"toolName = \"read_file\"\ninteractive = false", read("a"), false},
		{"toolName = \"read_file\"\nsubagent = \"x\"", read("a"), false},
		{"toolName = \"read_file\"\nsubagent = \"x\"", Call{Tool: "read_file", Subagent: "x"}, true},
		{"toolName = \"*\"\ntoolAnnotations = { readOnlyHint = true }", mcp("s", "t"), true},
		{"toolName = \"*\"\ntoolAnnotations = { readOnlyHint = false }", mcp("s", "t"), false},
		{"toolName = \"*\"\ntoolAnnotations = { readOnlyHint = true }", read("a"), false},
	} {
		e := engineWith(t, "[[rule]]\ndecision = \"deny\"\npriority = 999\ndenyMessage = \"because\"\n"+c.rule, Options{Interactive: true})
		v := e.Check(c.call)
		assert.Equal(t, c.want, v.Message == "because" && v.Decision == Deny, "%s: %+v", c.rule, v)
	}
}

func TestRedirectionNeedsLeave(t *testing.T) {
	t.Parallel()
	allow := "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make\"\ndecision = \"allow\"\npriority = 1\n"
	for _, c := range []struct {
		rule    string
		mode    Mode
		command string
		want    Decision
	}{
		{allow, ModeDefault, "make > out", Ask},
		{allow + "allowRedirection = true\n", ModeDefault, "make > out", Allow},
		{allow, ModeAutoEdit, "make > out", Allow},
		{allow, ModeAutoEdit, "make > /etc/out", Ask},
		{allow, ModeAutoEdit, "make > $X", Ask},
		{allow, ModeAutoEdit, "cd /etc; make > out", Ask},
		{allow, ModeYolo, "make > /etc/out", Allow},
	} {
		e := engineWith(t, c.rule, Options{Interactive: true, Mode: c.mode, InWorkspace: inside})
		v := e.Check(shellCall(c.command))
		assert.Equal(t, c.want, v.Decision, "%s %s: %+v", c.mode, c.command, v)
	}
}

func TestGitAsksInUntrustedFolder(t *testing.T) {
	t.Parallel()
	for mode, want := range map[Mode]Decision{ModeDefault: Ask, ModeYolo: Allow} {
		e := engineWith(t, allowPrefixes, Options{Interactive: true, Untrusted: true, Mode: mode})
		assert.Equal(t, want, e.Check(shellCall("git status")).Decision)
		assert.Equal(t, Allow, e.Check(shellCall("npm test")).Decision)
	}
	e := engineWith(t, "", Options{Interactive: true, Untrusted: true})
	trusted := Call{Tool: "mcp_s_t", Info: tools.Info{MCP: &tools.MCPOrigin{Server: "s", Tool: "t", Trusted: true}}}
	assert.Equal(t, Ask, e.Check(trusted).Decision, "trust in a server counts in trusted folders only")
}

func TestExplicitQuestionOutranksReading(t *testing.T) {
	t.Parallel()
	e, err := New(Options{Interactive: true, Rules: fromLists(Lists{ConfirmationRequired: []string{"run_shell_command"}})})
	require.NoError(t, err)
	v := e.Check(shellCall("ls"))
	assert.Equal(t, Ask, v.Decision)
	assert.Equal(t, "the rule in settings: tools.confirmationRequired wants it asked", v.Reason)
	assert.Empty(t, e.Check(Call{Tool: "write_file"}).Reason, "it has not been decided")
}

func TestNotOffered(t *testing.T) {
	t.Parallel()
	excluded := fromLists(Lists{Excluded: []string{"write_file"}})
	for _, tt := range []struct {
		name  string
		o     Options
		tool  string
		rule  string // in the refusing rule; empty if the tool is offered
		modes []Mode
	}{
		{"edits without a user", Options{}, "write_file", "(no changes without a user)", []Mode{ModeAutoEdit, ModeYolo}},
		{"commands without a user", Options{}, "run_shell_command", "(no changes without a user)", []Mode{ModeYolo}},
		{"commands and edits", Options{Mode: ModeAutoEdit}, "run_shell_command", "(no changes without a user)", []Mode{ModeYolo}},
		{"what no rule speaks of", Options{}, "unheard_of", "no rule: denied in a headless session", []Mode{ModeYolo}},
		{"planning", Options{Mode: ModePlan, Interactive: true}, "run_shell_command", "(planning changes nothing)", []Mode{ModeDefault, ModeAutoEdit, ModeYolo}},
		{"nobody to question", Options{Mode: ModeYolo}, "ask_user", "(nobody to question)", nil},
		{"settings, in every mode", Options{Rules: excluded}, "write_file", "settings: tools.exclude", nil},
		{"a user may be asked", Options{Interactive: true}, "write_file", "", nil},
		{"reading", Options{}, "read_file", "", nil},
	} {
		e, err := New(tt.o)
		require.NoError(t, err)
		v, modes := e.NotOffered(fakeTool{name: tt.tool})
		assert.Equal(t, tt.modes, modes, tt.name)
		assert.Equal(t, tt.rule != "", v.Decision == Deny, tt.name)
		assert.Contains(t, v.Rule, tt.rule, tt.name)
		assert.Equal(t, tt.rule == "", e.Offered(fakeTool{name: tt.tool}), tt.name)
	}
}

// TestOfferedTo checks that a subagent's own rules decide which tools it is offered.
func TestOfferedTo(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\npriority = 1\n[[rule]]\ntoolName = \"write_file\"\nsubagent = \"writer\"\ndecision = \"allow\"\npriority = 2\n", Options{Interactive: true})
	tool := fakeTool{name: "write_file"}
	assert.False(t, e.Offered(tool))
	assert.True(t, e.OfferedTo("writer", tool))
	assert.False(t, e.OfferedTo("reader", tool))
	assert.Equal(t, Deny, e.Check(Call{Tool: "write_file", Subagent: "reader"}).Decision)
	assert.Equal(t, Allow, e.Check(Call{Tool: "write_file", Subagent: "writer"}).Decision)
}

func TestOfferedWithPrefixes(t *testing.T) {
	t.Parallel()
	e, err := New(Options{Rules: fromLists(Lists{Allowed: []string{"run_shell_command(ls)"}})})
	require.NoError(t, err)
	assert.True(t, e.Offered(fakeTool{name: shellTool}), "some of its calls may run")
	e, err = New(Options{Interactive: true, Rules: fromLists(Lists{Excluded: []string{"run_shell_command(ls)"}})})
	require.NoError(t, err)
	assert.True(t, e.Offered(fakeTool{name: shellTool}), "only some of its calls are refused")
}

func TestZeroEngineDenies(t *testing.T) {
	t.Parallel()
	var e Engine
	assert.Equal(t, Verdict{Decision: Deny, Rule: "no rule: denied in a headless session"}, e.Check(Call{Tool: "read_file"}))
	assert.False(t, e.Offered(fakeTool{name: "read_file"}))
	assert.Equal(t, ModeDefault, e.Mode())
}

func TestModes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Mode{"": ModeDefault, "default": ModeDefault, "auto_edit": ModeAutoEdit, "autoEdit": ModeAutoEdit, "yolo": ModeYolo, "plan": ModePlan} {
		got, err := ParseMode(in)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseMode("YOLO")
	assert.EqualError(t, err, `unknown approval mode "YOLO"; did you mean "yolo"?`)
	assert.Equal(t, []string{"default", "auto_edit", "yolo"}, []string{Mode("").Flag(), ModeAutoEdit.Flag(), ModeYolo.Flag()})
}

func fromLists(l Lists) []Rule {
	rules, _ := FromLists(l)
	return rules
}

// TestEntriesThatMakeNoRule checks that an entry that cannot be parsed, or that would
// allow more than it says, makes no rule. If the entry would have restricted something,
// the problem has Loosens set.
func TestEntriesThatMakeNoRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lists   Lists
		loosens bool
		want    string
	}{
		{Lists{Excluded: []string{"run_shell_command(rm"}}, true, `settings: tools.exclude: "run_shell_command(rm" has no closing parenthesis`},
		{Lists{ConfirmationRequired: []string{"ShellTool(rm"}}, true, `settings: tools.confirmationRequired: "ShellTool(rm" has no closing parenthesis`},
		{Lists{Allowed: []string{"run_shell_command(git"}}, false, `settings: tools.allowed: "run_shell_command(git" has no closing parenthesis`},
		{Lists{Allowed: []string{"write_file(docs/*)"}}, false, `settings: tools.allowed: "write_file(docs/*)" allows nothing: only commands can be named in parentheses, as in run_shell_command(git)`},
		{Lists{Core: []string{"EditTool(docs)"}}, false, `settings: tools.core: "EditTool(docs)" allows nothing: only commands can be named in parentheses, as in run_shell_command(git)`},
	} {
		rules, problems := FromLists(c.lists)
		require.Len(t, problems, 1, c.want)
		assert.Equal(t, c.want, problems[0].String())
		assert.Equal(t, c.loosens, problems[0].Loosens)
		for _, r := range rules {
			assert.Equal(t, Deny, r.Decision, "what tools.core does not name")
		}
	}
	rules, problems := FromLists(Lists{Excluded: []string{"write_file(docs/*)", "run_shell_command(rm)", "run_shell_command()"}})
	assert.Empty(t, problems, "an exclusion of more than was written holds that back, too")
	assert.Len(t, rules, 3)
}

// TestWanted checks that a call that the user makes is not asked about, with or without
// a user at the terminal, and that the user's deny rules still hold.
func TestWanted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rules string
		options     Options
		want        Decision
	}{
		{"in a chat", "", Options{Interactive: true}, Allow},
		{"without a user", "", Options{}, Allow},
		{"while planning", "", Options{Mode: ModePlan}, Allow},
		{"a rule denies", "[[rule]]\ntoolName = \"activate_skill\"\ndecision = \"deny\"\npriority = 1\n", Options{Interactive: true}, Deny},
		{"a rule denies without a user", "[[rule]]\ntoolName = \"activate_skill\"\ninteractive = false\ndecision = \"deny\"\npriority = 1\n", Options{}, Deny},
		{"a rule asks without a user", "[[rule]]\ntoolName = \"activate_skill\"\ndecision = \"ask_user\"\npriority = 1\n", Options{}, Allow},
	} {
		e := engineWith(t, c.rules, c.options)
		assert.Equal(t, c.want, e.Check(Call{Tool: "activate_skill", Wanted: true}).Decision, c.name)
	}
}
