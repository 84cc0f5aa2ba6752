package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFaultsNameTheirPlaceAndSpareTheRest(t *testing.T) {
	t.Parallel()
	const good = "\n[[rule]]\ntoolName = \"glob\"\ndecision = \"allow\"\npriority = 1\n"
	for _, c := range []struct {
		name, rule string
		tier       Tier
		kept       int // in addition to the valid one
		problem    string
		loosens    bool
	}{
		{"priority too high", "toolName = \"x\"\ndecision = \"allow\"\npriority = 1000", TierUser, 0, "p.toml:2: rule skipped: priority must be a whole number from 0 to 999, not 1000", false},
		{"no priority", "toolName = \"x\"\ndecision = \"allow\"", TierUser, 0, "p.toml:2: rule skipped: priority is missing", false},
		{"no tool", "decision = \"deny\"\npriority = 1", TierUser, 0, "p.toml:2: toolName is missing", true},
		{"unknown decision", "toolName = \"x\"\ndecision = \"refuse\"\npriority = 1", TierUser, 0, "p.toml:2: decision must be allow, deny or ask_user, not refuse", true},
		{"broken deny", "toolName = \"x\"\ndecision = \"deny\"\npriority = 1\nargsPattern = \"(\"", TierUser, 0, "", true},
		{"broken allow", "toolName = \"x\"\ndecision = \"allow\"\npriority = 1\ncommandRegex = \"a\"", TierUser, 0, `p.toml:2: rule skipped: commandPrefix and commandRegex need toolName = "run_shell_command"`, false},
		{"two conditions", "toolName = \"run_shell_command\"\ndecision = \"ask_user\"\npriority = 1\ncommandRegex = \"a\"\ncommandPrefix = \"b\"", TierUser, 0, "p.toml:2: only one of argsPattern, commandPrefix and commandRegex may be given", true},
		{"misspelt in an allow", "toolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 1\ncommandPrefx = \"ls\"", TierUser, 0, `p.toml:2: rule skipped: unknown field "commandPrefx" may have been meant to narrow it`, false},
		{"misspelt in a deny", "toolName = \"x\"\ndecision = \"deny\"\npriority = 1\nmesage = \"no\"", TierUser, 1, `p.toml:2: unknown field "mesage" ignored`, false},
		{"old name of an MCP tool", "toolName = \"s__t\"\ndecision = \"allow\"\npriority = 1", TierUser, 0, `p.toml:2: rule skipped: toolName "s__t" is the old spelling of an MCP tool: use mcpName with toolName`, false},
		{"wildcard inside", "toolName = \"a*b\"\ndecision = \"allow\"\npriority = 1", TierUser, 0, `p.toml:2: rule skipped: toolName "a*b": a wildcard is allowed only at the end`, false},
		{"empty prefix", "toolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 1\ncommandPrefix = \" \"", TierUser, 0, "p.toml:2: rule skipped: an empty command prefix would match every command: leave it out", false},
		{"unknown mode", "toolName = \"x\"\ndecision = \"allow\"\npriority = 1\nmodes = [\"fast\"]", TierUser, 0, `p.toml:2: rule skipped: modes: unknown approval mode "fast": use default, auto_edit, yolo or plan`, false},
		{"wrong types", "toolName = 5\ndecision = \"allow\"\npriority = 1\ninteractive = \"yes\"", TierUser, 0, "p.toml:2: rule skipped: interactive must be true or false, not yes; toolName must be a string or a list of strings, not 5", false},
		{"empty lists", "toolName = []\ndecision = \"allow\"\npriority = 1\nmodes = [\"\"]", TierUser, 0, "p.toml:2: rule skipped: modes must not be empty; toolName must not be empty", false},
		{"no number", "toolName = \"x\"\ndecision = \"deny\"\npriority = nan", TierUser, 0, "p.toml:2: priority must be a whole number from 0 to 999, not NaN", true},
		{"no word", "toolName = \"x\"\ndecision = 1\npriority = \"high\"", TierUser, 0, "p.toml:2: decision must be a string, not 1; priority must be a whole number from 0 to 999, not high", true},
		{"fields that files do not have", "toolName = \"x\"\ndecision = \"allow\"\npriority = 1\ninside = true\nplace = \"y\"", TierUser, 0, `p.toml:2: rule skipped: unknown field "inside", "place" may have been meant to narrow it`, false},
		{"unknown checker", "toolName = \"x\"\ndecision = \"allow\"\npriority = 1\n[rule.safety_checker]\ntype = \"external\"\nname = \"mine\"", TierUser, 1, "p.toml:2: safety checker mine is not known: the rule asks instead of allowing", false},
		{"extension allows", "toolName = \"x\"\ndecision = \"allow\"\npriority = 1", TierExtension, 0, "p.toml:2: rule skipped: an extension cannot allow anything", false},
		{"extension and yolo", "toolName = \"x\"\ndecision = \"deny\"\npriority = 1\nmodes = [\"yolo\"]", TierExtension, 0, "p.toml:2: an extension cannot make rules for yolo mode: there it is not in force", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rules, problems := Parse("p.toml", []byte("# a comment\n[[rule]]\n"+c.rule+good), c.tier)
			kept := 1 + c.kept
			if c.tier == TierExtension {
				kept, problems = 0, problems[:1] // the valid one allows too
			}
			assert.Len(t, rules, kept)
			require.Len(t, problems, 1)
			assert.Equal(t, c.loosens, problems[0].Loosens)
			assert.Equal(t, Place{"p.toml", 2}, problems[0].Place)
			if c.problem != "" {
				assert.Equal(t, c.problem, problems[0].String())
			}
		})
	}
}

// TestKeysInOtherSpellings: keys are read in any letter case, with underscores or without.
func TestKeysInOtherSpellings(t *testing.T) {
	t.Parallel()
	rules, problems := Parse("p.toml", []byte("[[rule]]\ntool_name = \"x\"\nDecision = \"deny\"\nPRIORITY = 1"), TierUser)
	assert.Empty(t, problems)
	assert.Len(t, rules, 1)
}

func TestFilesThatAreNotPolicies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, problem string
		loosens       bool
	}{
		{"[[rule]]\ntoolName = ", "p.toml:2: not valid TOML: ", true},
		{"[rule]\ntoolName = \"x\"", `p.toml: "rule" must be an array of tables: write [[rule]]`, true},
		{"rules = 1", `p.toml: unknown key "rules"; did you mean "rule"?`, true},
		{"\n[[Rule]]\ntoolName = \"x\"", `p.toml:2: unknown key "Rule"; did you mean "rule"?`, true},
		{"\n[[deny]]\ntoolName = \"x\"", `p.toml:2: unknown key "deny": rules are in [[rule]]`, true},
		{"[meta]\nauthor = \"x\"", `p.toml: unknown key "meta" ignored`, false},
		{"\n[[safety_checker]]\ntoolName = \"x\"", "p.toml:2: a safety checker outside a rule is not supported: give the rule itself a safety_checker", true},
	} {
		rules, problems := Parse("p.toml", []byte(c.text), TierUser)
		assert.Empty(t, rules)
		require.Len(t, problems, 1, c.text)
		assert.Contains(t, problems[0].String(), c.problem)
		assert.Equal(t, c.loosens, problems[0].Loosens)
	}
}

// TestAnExtensionsRuleKeepsItsOtherModes checks that a rule that names yolo holds in
// its other modes.
func TestAnExtensionsRuleKeepsItsOtherModes(t *testing.T) {
	t.Parallel()
	rules, problems := Parse("p.toml", []byte("[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\nmodes = [\"default\", \"yolo\"]"), TierExtension)
	require.Len(t, problems, 1)
	assert.False(t, problems[0].Loosens)
	require.Len(t, rules, 1)
	assert.Equal(t, []Mode{ModeDefault}, rules[0].Modes)

	_, problems = Parse("p.toml", []byte("[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\nmodes = [\"fast\", \"yolo\"]"), TierExtension)
	assert.True(t, problems[len(problems)-1].Loosens, "a mode that is not known may be another one")
}

func TestAByteOrderMarkIsNotAnError(t *testing.T) {
	t.Parallel()
	rules, problems := Parse("p.toml", []byte("\ufeff# mine\n[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1"), TierUser)
	assert.Empty(t, problems)
	require.Len(t, rules, 1)
	assert.Equal(t, Place{"p.toml", 2}, rules[0].Place)
}

func TestOlderSpellingsAndTiers(t *testing.T) {
	t.Parallel()
	rules, problems := Parse("p.toml", []byte(`[[rule]]
name = "n"
toolName = "write_file"
decision = "deny"
priority = 7
args_pattern = "x"
deny_message = "m"
[[rule]]
toolName = "write_file"
decision = "allow"
priority = 8
[rule.safety_checker]
type = "in-process"
name = "allowed-path"
required_context = ["environment"]
`), TierAdmin)
	require.Empty(t, problems)
	require.Len(t, rules, 2)
	assert.Equal(t, []any{5007, "m", "x", Place{"p.toml", 1}}, []any{rules[0].Priority, rules[0].Message, rules[0].Args, rules[0].Place})
	assert.Equal(t, []any{5008, Workspace, Place{"p.toml", 8}}, []any{rules[1].Priority, rules[1].Area, rules[1].Place})
}

func TestHigherTierOutranksPriority(t *testing.T) {
	t.Parallel()
	rule := func(d string, priority, tier string) []Rule {
		rs, ps := Parse(tier, []byte("[[rule]]\ntoolName = \"t\"\ndecision = \""+d+"\"\npriority = "+priority), map[string]Tier{"user": TierUser, "admin": TierAdmin, "extension": TierExtension}[tier])
		require.Empty(t, ps)
		return rs
	}
	rules := append(append(rule("deny", "999", "extension"), rule("allow", "0", "user")...), rule("ask_user", "0", "admin")...)
	for _, c := range []struct {
		rules []Rule
		want  Decision
	}{{rules[:1], Deny}, {rules[:2], Allow}, {rules, Ask}} {
		e, err := New(Options{Interactive: true, Rules: c.rules})
		require.NoError(t, err)
		assert.Equal(t, c.want, e.Check(Call{Tool: "t"}).Decision)
	}
}

func TestLoadPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	write("b.toml", "[[rule]]\ntoolName = \"b\"\ndecision = \"deny\"\npriority = 1")
	write("a.toml", "[[rule]]\ntoolName = \"a\"\ndecision = \"deny\"\npriority = 1")
	write("c.txt", "not read")
	broken := write("d.toml", "?")
	rules, problems := LoadPaths(TierUser, false, dir, filepath.Join(dir, "none"))
	require.Len(t, rules, 2)
	assert.Equal(t, []string{"a", "b"}, []string{rules[0].Tools[0], rules[1].Tools[0]})
	require.Len(t, problems, 1)
	assert.Equal(t, Place{broken, 1}, problems[0].Place)

	_, problems = LoadPaths(TierAdmin, true, filepath.Join(dir, "none"))
	require.Len(t, problems, 1)
	assert.True(t, problems[0].Loosens)
}

func TestBuiltinPolicyIsSound(t *testing.T) {
	t.Parallel()
	rules, problems := Parse("built-in policy", builtinTOML, TierDefault)
	assert.Empty(t, problems)
	assert.NotEmpty(t, rules)
	for _, r := range rules {
		assert.NotEmpty(t, r.Name, r.Place)
	}
}
