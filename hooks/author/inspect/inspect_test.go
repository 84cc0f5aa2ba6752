package inspect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
)

// world is a project with hooks in its settings, and scripts.
func world(t testing.TB, settings string, scripts map[string]string) *inspect.Setup {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	s, err := config.LoadSettings(hooks.LayerProject, "/p/settings.json", []byte(settings))
	require.NoError(t, err)
	return &inspect.Setup{
		Config: config.Merge(s), Trusted: true,
		Files: []inspect.File{{Layer: hooks.LayerProject, Path: "/p/settings.json", State: inspect.FileRead, Data: []byte(settings), Hooks: len(s.Hooks)}},
		Place: program.Place{Dir: dir, ProjectDir: dir, Home: "/home"},
	}
}

// hook returns a settings file with one hook.
func hook(event, matcher, more string) string {
	return `{"hooks": {"` + event + `": [{"matcher": "` + matcher + `", "hooks": [{"type": "command", ` + more + `}]}]}}`
}

func ids(ds []inspect.Difference) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.ID)
		if d.Reference == "" || !strings.Contains(d.Text, ": Gemini CLI 0.61 ") {
			out = append(out, "without a reference: "+d.Text)
		}
	}
	return out
}

func TestHookPlans(t *testing.T) {
	t.Parallel()
	type plan struct {
		order   int
		runsFor string
		skipped string
	}
	for _, c := range []struct {
		name, settings string
		event          protocol.Event
		subject        string
		want           []plan
		inTurn         bool
	}{
		{"no matcher", hook("BeforeAgent", "", `"command": "a"`), "BeforeAgent", "", []plan{{1, "", ""}}, false},
		{"tools are tried", hook("BeforeTool", "write", `"command": "a"`), "BeforeTool", "", []plan{{1, "write_file write_todos", ""}}, false},
		{"one tool is asked for", hook("BeforeTool", "^write_file$", `"command": "a"`), "BeforeTool", "glob", []plan{{0, "", `matcher "^write_file$" does not match "glob"`}}, false},
		{"nothing matches", hook("PreCompress", "never", `"command": "a"`), "PreCompress", "", []plan{{0, "", `matcher "never" matches none of manual, auto`}}, false},
		{"no tool matches", hook("BeforeTool", "never", `"command": "a"`), "BeforeTool", "", []plan{{0, "", `matcher "never" matches none of minigem's tools`}}, false},
		{"disabled", `{"hooksConfig": {"disabled": ["a"]}, ` + hook("BeforeAgent", "", `"command": "a"`)[1:], "BeforeAgent", "", []plan{{0, "", "disabled: disabled in /p/settings.json:1"}}, false},
		{"all off", `{"hooksConfig": {"enabled": false}, ` + hook("BeforeAgent", "", `"command": "a"`)[1:], "BeforeAgent", "", []plan{{0, "", "hooks are off: hooksConfig.enabled is false in /p/settings.json:1"}}, false},
		{"shadowed for the tools that both match", `{"hooks": {"BeforeTool": [
			{"matcher": "glob", "hooks": [{"type": "command", "command": "a"}]},
			{"matcher": "glob|replace", "hooks": [{"type": "command", "command": "a"}]}]}}`, "BeforeTool", "",
			[]plan{{1, "glob", ""}, {2, "replace", "not for glob: shadowed by the hook of the same name and command at /p/settings.json:2"}}, false},
		{"one sequential hook makes all of them sequential", `{"hooks": {"BeforeTool": [
			{"sequential": true, "hooks": [{"type": "command", "command": "a"}]}, {"hooks": [{"type": "command", "command": "b"}]}]}}`, "BeforeTool", "glob",
			[]plan{{1, "glob", ""}, {2, "glob", ""}}, true},
		{"a sequential hook alone", `{"hooks": {"BeforeTool": [{"sequential": true, "hooks": [{"type": "command", "command": "a"}]}]}}`, "BeforeTool", "glob",
			[]plan{{1, "glob", ""}}, false},
	} {
		x := world(t, c.settings, nil).Explain([]protocol.Event{c.event}, c.subject, nil)
		require.Len(t, x.Events, 1, c.name)
		var got []plan
		for _, h := range x.Events[0].Hooks {
			got = append(got, plan{h.Order, strings.Join(h.RunsFor, " "), h.Skipped})
			assert.Equal(t, "/p/settings.json", h.File, c.name)
		}
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.inTurn, x.Events[0].Sequential, c.name)
		assert.Equal(t, len(c.want), x.Loaded, c.name)
	}
}

func TestOfHooks(t *testing.T) {
	t.Parallel()
	guard := map[string]string{}
	script := func(text string) map[string]string { return map[string]string{"x": "#!/bin/sh\n" + text} }
	run := `"command": "./x"`
	for _, c := range []struct {
		name, settings string
		scripts        map[string]string
		want           []string
	}{
		// the exits (T1 to T6)
		{"T1 exit 2, nothing printed", hook("BeforeTool", "", run), script("exit 2"), []string{"exit-2-silent"}},
		{"exit 2 with a reason", hook("BeforeTool", "", run), script("echo no >&2; exit 2"), nil},
		{"exit 2 where nothing blocks", hook("SessionStart", "", run), script("exit 2"), nil},
		{"T2 exit 2 with {}", hook("BeforeTool", "", run), script("echo '{}'; echo no >&2; exit 2"), []string{"exit-2-json"}},
		{"T3 exit 2 with a message", hook("BeforeTool", "", run), script(`echo '{"systemMessage":"x"}'; exit 2`), []string{"exit-2-json"}},
		{"exit 2 with a deny", hook("BeforeTool", "", run), script(`echo '{"decision":"deny"}'; exit 2`), nil},
		{"T4 exit 3 with a text", hook("BeforeTool", "", run), script("echo bad >&2; exit 3"), []string{"exit-above-2"}},
		{"exit 3 without one", hook("BeforeTool", "", run), script("exit 3"), nil},
		{"T5 no such program", hook("BeforeTool", "", `"command": "./y"`), guard, []string{"missing-program"}},
		{"T6 a signal", hook("BeforeTool", "", run), script("kill -9 $$"), []string{"signal"}},
		// timeouts (T11, T12)
		{"T11 TERM is ignored", hook("BeforeTool", "", run), script("trap '' TERM\nsleep 9"), []string{"ignores-term"}},
		{"TERM is handled", hook("BeforeTool", "", run), script("trap 'exit 0' TERM\nsleep 9"), nil},
		{"T12 a child stays", hook("BeforeTool", "", run), script("sleep 9 &\n"), []string{"leaves-child"}},
		{"a child without stdout", hook("BeforeTool", "", run), script("sleep 9 >/dev/null 2>&1 &\n"), nil},
		// commands
		{"a value in quotes", hook("BeforeTool", "", `"command": "echo '$HOME'"`), nil, []string{"early-expansion"}},
		{"no value in quotes", hook("BeforeTool", "", `"command": "awk '{print $1}' /dev/null"`), nil, nil},
		// answers (T18)
		{"T18 ask", hook("BeforeTool", "", run), script(`echo '{"decision":"ask"}'`), []string{"ask"}},
		{"ask where nobody can be asked", hook("AfterTool", "", run), script(`echo '{"decision":"ask"}'`), nil},
		// minigem's own fields
		{"onError", hook("BeforeTool", "", `"command": "true", "onError": "block"`), nil, []string{"on-error"}},
		{"args", hook("BeforeTool", "", `"command": "true", "args": []`), nil, []string{"args"}},
		{"http", hook("BeforeTool", "", `"type": "http", "url": "http://127.0.0.1:1/"`), nil, []string{"kind"}},
		{"async", hook("BeforeTool", "", `"command": "true", "async": true`), nil, []string{"async"}},
		{"once", hook("BeforeTool", "", `"command": "true", "once": true`), nil, []string{"once"}},
		{"an event that it lacks", hook("PostToolUseFailure", "", run), script("exit 2"), []string{"event-added"}},
		{"dialect", hook("BeforeTool", "", `"command": "true", "dialect": "claude"`), nil, []string{"dialect"}},
		{"context", hook("BeforeAgent", "", run), script(`echo '{"hookSpecificOutput":{"additionalContext":"x"}}'`), []string{"context-stays"}},
		{"arguments", hook("BeforeTool", "", run), script(`echo '{"hookSpecificOutput":{"tool_input":{}}}'`), []string{"whole-input"}},
		// matchers
		{"an older name", hook("BeforeTool", "search_file_content", `"command": "true"`), nil, []string{"matcher-tool"}},
		{"two triggers", hook("SessionStart", "startup|resume", `"command": "true"`), nil, []string{"matcher-trigger"}},
		{"one trigger", hook("SessionStart", "startup", `"command": "true"`), nil, nil},
		{"a trigger that it lacks", hook("SessionStart", "compact", `"command": "true"`), nil, []string{"trigger-added"}},
		{"a notification", hook("Notification", "ToolPermission", `"command": "true"`), nil, []string{"matcher-notification"}},
		// disabled under the older name (T20)
		{"T20 hooks.disabled", strings.Replace(hook("BeforeTool", "", `"command": "true"`), `{"hooks": {`, `{"hooks": {"disabled": ["true"], `, 1), nil, []string{"older-disabled"}},
	} {
		x := world(t, c.settings, c.scripts).Explain(nil, "", nil)
		require.Len(t, x.Events, 1, c.name)
		assert.Equal(t, c.want, ids(x.Events[0].Hooks[0].Upstream), c.name)
	}
}

func TestOfPlaces(t *testing.T) {
	t.Parallel()
	quoted := hook("BeforeTool", "", `"command": "\"$GEMINI_PROJECT_DIR/x\""`)
	braced := hook("BeforeTool", "", `"command": "\"${GEMINI_PROJECT_DIR}/x\""`)
	for _, c := range []struct {
		name, settings, dir, project string
		untrusted                    bool
		want                         []string
	}{
		{"T13 a space in the path", quoted, "/a b", "/a b", false, []string{"missing-program", "quoted-variable"}},
		{"no space", quoted, "/ab", "/ab", false, []string{"missing-program"}},
		{"braces", braced, "/a b", "/a b", false, []string{"missing-program"}},
		{"below the root", hook("BeforeTool", "", `"command": "echo $GEMINI_PROJECT_DIR"`), "/a/b", "/a", false, []string{"project-dir"}},
		{"not trusted", hook("BeforeTool", "", `"command": "true"`), "/a", "/a", true, []string{"untrusted-folder"}},
	} {
		s := world(t, c.settings, nil)
		s.Place = program.Place{Dir: c.dir, ProjectDir: c.project}
		s.Trusted = !c.untrusted
		assert.Equal(t, c.want, ids(s.Explain(nil, "", nil).Events[0].Hooks[0].Upstream), c.name)
	}
}

func TestOfEvents(t *testing.T) {
	t.Parallel()
	one := func(event string) string { return hook(event, "", `"command": "./x"`) }
	for _, c := range []struct {
		name, settings, script string
		want                   []string
	}{
		{"T19 sends answers back", one("AfterAgent"), "echo again >&2; exit 2", []string{"retries"}},
		{"sends nothing back", one("AfterAgent"), "true", nil},
		{"PreCompress", one("PreCompress"), "true", []string{"compress-each-turn"}},
		{"SessionEnd", one("SessionEnd"), "true", []string{"end-thrice"}},
		{"AfterModel", one("AfterModel"), "true", []string{"chunk-shown", "chunk-denied"}},
		{"BeforeAgent", one("BeforeAgent"), "true", nil},
		{"two of BeforeModel", `{"hooks": {"BeforeModel": [{"hooks": [{"type": "command", "command": "./x"}, {"type": "command", "command": "true"}]}]}}`, "true", []string{"later-allow"}},
	} {
		x := world(t, c.settings, map[string]string{"x": "#!/bin/sh\n" + c.script}).Explain(nil, "", nil)
		require.Len(t, x.Events, 1, c.name)
		assert.Equal(t, c.want, ids(x.Events[0].Upstream), c.name)
	}
	s := world(t, one("BeforeTool"), nil)
	user, err := config.LoadSettings(hooks.LayerUser, "/u", []byte(one("BeforeTool")))
	require.NoError(t, err)
	user.Hooks[0].Command = "true"
	s.Config.Hooks = append(s.Config.Hooks, user.Hooks...)
	assert.Equal(t, []string{"order"}, ids(s.Explain(nil, "", nil).Events[0].Upstream), "yours and the project's")
}

// T15, T17, T22: differences that minigem shares are reported too.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := world(t, `{"hooks": {"BeforeTool": [
		{"sequential": true, "hooks": [{"type": "command", "command": "a"}]},
		{"hooks": [{"type": "command", "command": "b"}, {"type": "command", "command": "a", "timeout": 5000}]}]}}`, nil)
	p := s.Explain(nil, "", nil).Events[0]
	assert.Equal(t, []string{
		"these hooks run before the policy: they also see calls that a policy then refuses",
		"one sequential hook makes all that match run one after the other, including those of other groups",
	}, p.Notes)
	assert.Equal(t, "/p/settings.json:2", p.Because)
	assert.Contains(t, p.Hooks[2].Skipped, "shadowed by the hook of the same name and command at /p/settings.json:2")
	assert.Equal(t, []string{"shadows the hook at /p/settings.json:3, which has another timeout, matcher or environment"}, p.Hooks[0].Warnings)
}

func TestMCPTools(t *testing.T) {
	t.Parallel()
	s := world(t, hook("BeforeTool", "^mcp__files__", `"command": "true"`), nil)
	ev := []protocol.Event{protocol.BeforeTool}
	assert.Equal(t, 0, s.Explain(ev, "read", nil).Events[0].Runs())
	assert.Equal(t, 1, s.Explain(ev, "mcp_files_read", &protocol.MCPContext{ServerName: "files", ToolName: "read"}).Events[0].Runs())
}

func TestWhy(t *testing.T) {
	t.Parallel()
	s := world(t, `{"hooks": {
		"BeforeTool": [{"hooks": [
			{"type": "command", "name": "g", "command": "a"},
			{"type": "command", "command": "b"},
			{"type": "command", "command": "python3 '.gemini/hooks/guard.py' -x"}]}],
		"AfterTool": [{"hooks": [{"type": "command", "name": "g", "command": "sh b.sh"}]}]}}`, nil)
	const guard = "python3 '.gemini/hooks/guard.py' -x"
	for _, c := range []struct {
		name string
		want []string
	}{
		{"g", []string{"BeforeTool g", "AfterTool g"}},
		{"b", []string{"BeforeTool b"}}, // a name goes before a file
		{guard, []string{"BeforeTool " + guard}},
		// without a name, the file's name identifies it
		{"guard", []string{"BeforeTool " + guard}},
		{"guard.py", []string{"BeforeTool " + guard}},
		{"b.sh", []string{"AfterTool g"}},
		{"guar", nil},
		{"", nil},
	} {
		var got []string
		if x := s.Why(c.name); x != nil {
			for _, p := range x.Events {
				for _, h := range p.Hooks {
					got = append(got, string(p.Event)+" "+h.ID)
				}
			}
		}
		assert.Equal(t, c.want, got, c.name)
	}
	assert.Equal(t, []string{"g", "b", guard}, s.Names())
}

// TestTriggersToBeNamed checks that explanations name the triggers for which a hook runs
// only if its matcher names them.
func TestTriggersToBeNamed(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		"SessionStart": "runs always, but for compact only if its matcher names it\n",
		"Notification": "runs always, but for Idle only if its matcher names it\n",
		"PreCompress":  "runs always\n",
		"BeforeTool":   "runs always\n",
	} {
		for _, matcher := range []string{"", "*"} {
			text := inspect.Text{}.Explanation(world(t, hook(event, matcher, `"command": "true"`), nil).Explain(nil, "", nil))
			assert.Contains(t, text, want, "%s %q", event, matcher)
		}
	}
}

// Configured texts never reach the terminal unescaped.
func TestTextIsSafe(t *testing.T) {
	t.Parallel()
	s := world(t, hook("BeforeAgent", "", `"name": "a\u001b[31m\u202eb", "command": "c\nd", "description": ""`), nil)
	s.Config.Hooks[0].Note = "new \x07"
	text := inspect.Text{}.Explanation(s.Explain(nil, "", nil))
	assert.False(t, strings.ContainsAny(text, "\x1b\x07\u202e"), "%q", text)
	assert.Contains(t, text, "a<U+001B>[31m<U+202E>b")
}

// TestEveryDifferenceIsTested checks that every difference that explain shows has a
// case here, and that no other has one.
func TestEveryDifferenceIsTested(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("inspect_test.go")
	require.NoError(t, err)
	for _, d := range elsewhere.Differences() {
		assert.Equal(t, d.Shown&elsewhere.InExplain != 0, strings.Contains(string(data), `"`+d.ID+`"`), d.ID)
	}
}

// The whole explain is much faster than a person notices.
func BenchmarkExplain(b *testing.B) {
	var groups []string
	for _, m := range []string{"write_file|replace", "^read_.*$", "", "grep", "(?!x)y+"} {
		groups = append(groups, `{"matcher": "`+m+`", "hooks": [{"type": "command", "command": "./x"}, {"type": "command", "command": "echo `+m+`"}]}`)
	}
	var events []string
	for _, e := range protocol.Events {
		events = append(events, `"`+string(e)+`": [`+strings.Join(groups, ",")+`]`)
	}
	settings := `{"hooks": {` + strings.Join(events, ",") + `}}`
	s := world(b, settings, map[string]string{"x": "#!/bin/sh\n" + strings.Repeat("if true; then echo x >&2; exit 2; fi\n", 40)})
	b.ResetTimer()
	for b.Loop() {
		s.Explain(nil, "", nil)
	}
}
