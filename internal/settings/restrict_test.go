package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nested returns a settings file that sets key to value.
func nested(key, value string) string {
	names := strings.Split(key, ".")
	for i := len(names) - 1; i >= 0; i-- {
		value = fmt.Sprintf(`{%q: %s}`, names[i], value)
	}
	return value
}

// TestAProjectOnlyNarrows checks that a project cannot lift the user's restrictions but
// can add its own, and that the system may lift both.
func TestAProjectOnlyNarrows(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, c := range []struct{ key, user, project, want string }{
		{"security.disableYoloMode", "true", "false", "true"},
		{"security.disableYoloMode", "false", "true", "true"},
		{"security.disableAlwaysAllow", "true", "false", "true"},
		{"security.blockGitExtensions", "true", "false", "true"},
		{"security.environmentVariableRedaction.enabled", "true", "false", "true"},
		{"security.environmentVariableRedaction.blocked", `["A"]`, `["B"]`, `["A","B"]`},
		{"security.allowedExtensions", `["^a$"]`, `["."]`, `["^a$"]`},
		{"security.allowedExtensions", `["^a$"]`, `[]`, `["^a$"]`},
		{"security.allowedExtensions", `[]`, `["^a$"]`, `["^a$"]`},
		{"security.auth.enforcedType", `"vertex-ai"`, `"gemini-api-key"`, `"vertex-ai"`},
		{"security.auth.enforcedType", `"vertex-ai"`, `""`, `"vertex-ai"`},
		{"skills.enabled", "false", "true", "false"},
		{"skills.enabled", "true", "false", "false"},
		{"admin.skills.enabled", "false", "true", "false"},
		{"tools.core", `["read_file","glob"]`, `["write_file","glob"]`, `["glob"]`},
		{"tools.core", `["read_file"]`, `["write_file"]`, `[]`},
		{"tools.core", `["read_file"]`, `[]`, `[]`},
		{"tools.confirmationRequired", `["write_file","glob"]`, `[]`, `["write_file","glob"]`},
		{"tools.confirmationRequired", `["write_file","glob"]`, `["glob","replace"]`, `["replace","write_file","glob"]`},
		{"context.fileFiltering.customIgnoreFilePaths", `["a"]`, `[]`, `["a"]`},
		{"tools.exclude", `["write_file"]`, `[]`, `["write_file"]`},
		{"mcp.allowed", `["a"]`, `["b"]`, `[]`},
		{"mcp.excluded", `["a"]`, `[]`, `["a"]`},
		{"skills.disabled", `["a"]`, `[]`, `["a"]`},
		{"extensions.disabled", `["a"]`, `[]`, `["a"]`},
		{"policyPaths", `["a"]`, `[]`, `["a"]`},
		{"adminPolicyPaths", `["a"]`, `[]`, `["a"]`},
		{"advanced.excludedEnvVars", `["DEBUG"]`, `[]`, `["DEBUG","DEBUG_MODE"]`},
	} {
		tried[c.key] = true
		m := newMachine(t)
		m.write(t, LayerUser, nested(c.key, c.user))
		m.write(t, LayerWorkspace, nested(c.key, c.project))
		e, ok := m.load(t).Lookup(c.key)
		require.True(t, ok, c.key)
		assert.JSONEq(t, c.want, string(e.Value), "%+v", c)
		if c.project != "false" && c.project != "true" {
			continue
		}
		m.write(t, LayerSystem, nested(c.key, c.project))
		e, _ = m.load(t).Lookup(c.key)
		assert.JSONEq(t, c.project, string(e.Value), "the system's outranks both: %+v", c)
	}
	for key := range restricting {
		above := key == "security" || key == "admin" || strings.HasPrefix(key, "mcpServers.") || key == "tools.sandbox" // sections; a project's server is its own; see Holding
		assert.True(t, tried[key] || above || key == "security.environmentVariableRedaction.allowed", "%s was not tried", key)
	}

	m := newMachine(t)
	m.write(t, LayerUser, `{"security": {"environmentVariableRedaction": {"enabled": true, "allowed": ["MINE"]}}}`)
	m.write(t, LayerWorkspace, `{"security": {"environmentVariableRedaction": {"allowed": ["AWS_SECRET"]}}}`)
	l := m.load(t)
	assert.Equal(t, []string{"MINE"}, l.Settings.Security.EnvironmentVariableRedaction.Allowed)
	require.Len(t, l.Warnings, 1)
	assert.Contains(t, l.Warnings[0].String(), "a project cannot lift a restriction of user ")
}

// TestRestrictionsThatCannotBeUnderstood checks that a value of the wrong type ends the
// run, for each restricting key.
func TestRestrictionsThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	n := 0
	var each func(typ reflect.Type, path string)
	each = func(typ reflect.Type, path string) {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			key, ft := join(path, name), typ.Field(i).Type
			switch {
			case ft.Kind() == reflect.Struct:
				each(ft, key)
			case ft.Kind() == reflect.Map && ft.Elem().Kind() == reflect.Struct:
				each(ft.Elem(), key+".x")
			case restricts(key) && ft != rawType:
				n++
				value := `"true"`
				if ft.Kind() == reflect.String {
					value = "1"
				}
				m := newMachine(t)
				m.write(t, LayerUser, nested(key, value))
				held := m.load(t).Restrictions()
				if assert.Len(t, held, 1, "%s: %s", key, value) {
					assert.Contains(t, held[0].Fault, "must be ", key)
				}
			}
		}
	}
	each(reflect.TypeFor[Settings](), "")
	assert.Greater(t, n, 18)
}

// TestNamesThatMayRestrict checks that a key spelled like a restriction has no effect,
// and ends the run unless its value restricts nothing.
func TestNamesThatMayRestrict(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		`{"tools": {"exlude": ["write_file"]}}`:      "write tools.exclude",
		`{"tools": {"exlude": []}}`:                  "",
		`{"tools.exclude": ["write_file"]}`:          `write {"tools": {"exclude": ...}}`,
		`{"tools.sandbox": true}`:                    `write {"tools": {"sandbox": ...}}`,
		`{"mcp": {"alowed": ["x"]}}`:                 "write mcp.allowed",
		`{"mcpServers": {"a": {"excludeTool": []}}}`: "",
		`{"permissions": {"deny": ["Bash"]}}`:        "write tools.exclude, or rules in a policy file",
		`{"general": {"vimModee": true}}`:            "",
		`{"somebodyElses": {"deny": true}}`:          "",
	}
	for name, to := range olderNames {
		cases[nested(name, `["x"]`)] = "write " + to
		cases[nested(name, `false`)] = ""
	}
	for file, want := range cases {
		m := newMachine(t)
		m.write(t, LayerUser, file)
		held := m.load(t).Restrictions()
		if want == "" {
			assert.Empty(t, held, file)
		} else if assert.Len(t, held, 1, file) {
			assert.Contains(t, held[0].Fault, want, file)
		}
	}
}

// notHeldBecause explains, by key prefix, why keys that work and sound like
// restrictions are not among restricting.
var notHeldBecause = map[string]string{
	"advanced.ignoreLocalEnv":                  "which .env counts; the folder is trusted",
	"agents.overrides":                         "which agents are offered; the policy says what they may do",
	"context.fileFiltering.enable":             "how files are found",
	"context.fileFiltering.respect":            "true unless it is said, and the ignored files are the project's own",
	"context.include":                          "what the model reads at the start",
	"context.loadMemoryFromIncludeDirectories": "what the model reads at the start",
	"experimental.enableAgents":                "whether agents are offered; the policy says what they may do",
	"general.":                                 "comfort; the approval mode is default unless it is said, which asks before everything",
	"hooksConfig.":                             "package hooks reads them, and reports each fault",
	"model.":                                   "how long a session may get",
	"modelConfigs.":                            "which model is asked, and how",
	"telemetry":                                "off unless it is said",
	"tools.allowed":                            "it permits: what cannot be understood permits nothing",
	"tools.sandboxAllowedPaths":                "it permits: see Holding",
	"tools.sandboxNetworkAccess":               "it permits: see Holding",
}

// sounds matches keys that sound like restrictions.
var sounds = regexp.MustCompile(`(?i)enable|disable|allow|block|deny|exclude|include|confirm|permission|approv|trust|secur|restrict|limit|max|only|auth|policy|sandbox|skip|privacy|ignore|telemetry|override|required`)

// TestRestrictingKeysAreKnown checks that each key that works and sounds like a
// restriction is one, or has a reason not to be.
func TestRestrictingKeysAreKnown(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, k := range KnownKeys() {
		if k.Effect != EffectWorks || !sounds.MatchString(k.Key) {
			continue
		}
		reason := ""
		for prefix, because := range notHeldBecause {
			if strings.HasPrefix(k.Key, prefix) && !restricts(k.Key) {
				reason, used[prefix] = because, true
			}
		}
		assert.True(t, restricts(k.Key) || reason != "", "%s has an effect, and sounds as if it held something back", k.Key)
	}
	for prefix := range notHeldBecause {
		assert.True(t, used[prefix], "%s: no key needs this reason", prefix)
	}
}

// harmlessBecause explains, by key prefix, why keys without effect that sound like
// restrictions are harmless. rooms names the packages that would implement them:
// whoever adds one must look at its keys.
var harmlessBecause = map[string]struct{ why, rooms string }{
	"agents.":                              {"no agent drives a browser", "internal/browser"},
	"context.":                             {"how the file picker looks for files", ""},
	"contextManagement.":                   {"what is kept of a conversation", ""},
	"experimental.":                        {"there is nothing of the kind, and what is off is off", "internal/gemma internal/voice"},
	"general.":                             {"there is no update and no RAG", "internal/update internal/plan"},
	"ide.":                                 {"no IDE is connected", "internal/ide"},
	"mcpServers.*.oauth":                   {"a sign-in begins when the user asks for it, at what the server names", ""},
	"mcpServers.*.authProviderType":        {"a server that wants Google's sign-in is not reached", ""},
	"model.":                               {"comfort", ""},
	"privacy.":                             {"nothing is sent to anybody", ""},
	"security.autoAddToPolicyByDefault":    {"answers are kept for a session alone", "internal/chat/savedrules"},
	"security.enablePermanentToolApproval": {"answers are kept for a session alone", "internal/chat/savedrules"},
	"security.auth.useExternal":            {"which sign-in is offered", ""},
	"telemetry.":                           {"by which way it is sent, where it is", ""},
	"tools.":                               {"how a command looks", ""},
	"ui.":                                  {"looks", ""},
}

// TestKeysWithoutEffectRestrictNothing checks that each key without effect that sounds
// like a restriction has a reason, and that the reason is dropped once its package
// exists.
func TestKeysWithoutEffectRestrictNothing(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, k := range KnownKeys() {
		if k.Effect != EffectNone || !sounds.MatchString(k.Key) {
			continue
		}
		reason := ""
		for prefix, because := range harmlessBecause {
			if !strings.HasPrefix(k.Key, prefix) {
				continue
			}
			reason, used[prefix] = because.why, true
			for room := range strings.FieldsSeq(because.rooms) {
				_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(room)))
				assert.Error(t, err, "%s has no effect because of: %s; but there is %s", k.Key, because.why, room)
			}
		}
		assert.NotEmpty(t, reason, "%s has no effect, and sounds as if it held something back", k.Key)
	}
	for prefix := range harmlessBecause {
		assert.True(t, used[prefix], "%s: no key needs this reason", prefix)
	}
}
