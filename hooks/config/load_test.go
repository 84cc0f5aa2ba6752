package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/condition"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

const settingsFile = "/p/.gemini/settings.json"

// load loads settings that must be valid.
func load(t *testing.T, data string) config.Section {
	t.Helper()
	s, err := config.LoadSettings(hooks.LayerProject, settingsFile, []byte(data))
	require.NoError(t, err)
	return s
}

// lines returns the problems as "line: text".
func lines(problems []config.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, fmt.Sprintf("%d: %s", p.Line, p.Text))
	}
	return all
}

func TestLoadSettings(t *testing.T) {
	t.Parallel()
	s := load(t, `// of the project
{
  "theme": "dark",
  "hooksConfig": { "enabled": true, "notifications": false, "maxRetries": 3,
    "disabled": ["slow",
                 "./x.sh"] },
  "hooks": {
    "BeforeTool": [
      {
        "matcher": "write_file|replace", "sequential": true,
        "hooks": [
          { "type": "command", "command": "./guard.sh", "name": "guard", "description": "no secrets", // why
            "timeout": 5000, "env": {"LEVEL": "2"}, "onError": "block", "dialect": "claude",
            "args": ["-x", "a b"], "once": true, "statusMessage": "Guarding" },
          { "type": "command", "command": "./x.sh" },
        ]
      }
    ],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "bye"}]}]
  }
}`)
	source := func(line int) hooks.Source {
		return hooks.Source{Layer: hooks.LayerProject, File: settingsFile, Line: line}
	}
	assert.Equal(t, []string{"15: a comma after the last of a list: Gemini CLI cannot read the file"}, lines(s.Notes))
	s.Notes = nil
	assert.Equal(t, config.Section{
		Layer: hooks.LayerProject, File: settingsFile,
		Hooks: []hooks.Hook{
			{
				Event: protocol.BeforeTool, Name: "guard", Description: "no secrets", Command: "./guard.sh", Matcher: "write_file|replace",
				Sequential: true, Timeout: 5 * time.Second, Env: map[string]string{"LEVEL": "2"}, OnError: "block", Dialect: "claude", Source: source(12),
				Handler: hooks.Handler{Args: []string{"-x", "a b"}, Once: true, StatusMessage: "Guarding"},
			},
			{Event: protocol.BeforeTool, Command: "./x.sh", Matcher: "write_file|replace", Sequential: true, Source: source(15)},
			{Event: protocol.SessionEnd, Command: "bye", Source: source(19)},
		},
		Enabled:       &config.Switch{On: true, Name: "hooksConfig.enabled", Line: 4},
		Notifications: &config.Switch{On: false, Name: "hooksConfig.notifications", Line: 4},
		MaxRetries:    3,
		Disabled:      []config.Disabled{{ID: "slow", Line: 5}, {ID: "./x.sh", Line: 6}},
	}, s)
}

func TestFaultsAreNamedWithTheirLine(t *testing.T) {
	t.Parallel()
	const ok = `{"type": "command", "command": "ok"}`
	entry := func(fields string) string {
		return "{\"hooks\": {\"BeforeTool\": [{\"hooks\": [\n{" + fields + "}, " + ok + "]}]}}"
	}
	group := func(text string) string {
		return "{\"hooks\": {\"BeforeTool\": [\n" + text + ", {\"hooks\": [" + ok + "]}]}}"
	}
	for _, c := range []struct {
		name, data string
		kept       int    // number of hooks, including the valid one
		want       string // one line per problem
	}{
		// entries
		{"no type", entry(`"command": "x"`), 1, `2: a hook of BeforeTool has no "type": write "type": "command"; skipped`},
		{"type in capitals", entry(`"type": "Command", "command": "x"`), 1, `2: a hook of BeforeTool has the type "Command": it is written "command"; skipped`},
		{"plugin", entry(`"type": "plugin", "command": "x"`), 1, `2: a hook of BeforeTool has the type "plugin", which cannot be run here; there are command, http, prompt, mcp_tool: skipped`},
		{"unknown type", entry(`"type": "shell", "command": "x"`), 1, `2: a hook of BeforeTool has the unknown type "shell"; there are command, http, prompt, mcp_tool: skipped`},
		{"no command", entry(`"type": "command"`), 1, `2: a hook of BeforeTool needs "command", a string: skipped`},
		{"command misspelled", entry(`"type": "command", "comand": "x"`), 1, `2: a hook of BeforeTool has no field "comand", it is ignored; did you mean "command"?
2: a hook of BeforeTool needs "command", a string: skipped`},
		{"command of another type", entry(`"type": "command", "command": ["x"]`), 1, `2: a hook of BeforeTool needs "command", a string: skipped`},
		{"empty command", entry(`"type": "command", "command": "  "`), 1, `2: a hook of BeforeTool has an empty command: skipped`},
		{"NUL", entry(`"type": "command", "command": "a\u0000b"`), 1, `2: a hook of BeforeTool has a command with a NUL character, which no shell takes: skipped`},
		{"args are a text", entry(`"type": "command", "command": "x", "args": "y"`), 1, `2: a hook of BeforeTool has "args" that are not an array of strings: skipped`},
		{"args hold a number", entry(`"type": "command", "command": "x", "args": [1]`), 1, `2: a hook of BeforeTool has "args" that are not an array of strings: skipped`},
		{"NUL in args", entry(`"type": "command", "command": "x", "args": ["\u0000"]`), 1, `2: a hook of BeforeTool has a command with a NUL character, which no shell takes: skipped`},
		{"a variable without braces in args", entry(`"type": "command", "command": "x", "args": ["$GEMINI_CWD/y"]`), 2, `2: with "args" there is no shell, so $GEMINI_CWD stays as it is: write ${GEMINI_CWD}`},
		{"once", entry(`"type": "command", "command": "x", "once": "yes"`), 2, `2: once must be true or false, not a string: ignored`},
		{"async that should block", entry(`"type": "command", "command": "x", "async": true, "onError": "block"`), 2, `2: onError "block" has no effect with async: the hook is not waited for, and cannot block`},
		{"statusMessage", entry(`"type": "command", "command": "x", "statusMessage": 1`), 2, `2: statusMessage must be a string, not a number: ignored`},
		{"no url", entry(`"type": "http"`), 1, `2: a hook of BeforeTool needs "url", a string: skipped`},
		{"no prompt", entry(`"type": "prompt", "prompt": " "`), 1, `2: a hook of BeforeTool needs "prompt", a text: skipped`},
		{"no tool", entry(`"type": "mcp_tool", "server": "s"`), 1, `2: a hook of BeforeTool needs "server" and "tool", the names of an MCP server and of its tool: skipped`},
		{"input", entry(`"type": "mcp_tool", "server": "s", "tool": "t", "input": []`), 1, `2: a hook of BeforeTool has an "input" that is not an object: skipped`},
		{"no host", entry(`"type": "http", "url": "https:///x"`), 1, `2: a hook of BeforeTool has a "url" that is not one: it begins with https:// and a host, or with http://127.0.0.1: skipped`},
		{"another scheme", entry(`"type": "http", "url": "file:///etc/passwd"`), 1, `2: a hook of BeforeTool has a "url" that is not one: it begins with https:// and a host, or with http://127.0.0.1: skipped`},
		{"a password", entry(`"type": "http", "url": "https://a:b@c"`), 1, `2: a hook of BeforeTool has a password in its "url": write a header with a variable of "allowedEnvVars": skipped`},
		{"allowedEnvVars", entry(`"type": "http", "url": "https://a", "allowedEnvVars": "A"`), 1, `2: a hook of BeforeTool has "allowedEnvVars" that are not an array of strings: skipped`},
		{"a header's name", entry(`"type": "http", "url": "https://a", "headers": {"A B": "c"}`), 2, `2: headers: "A B" cannot be the name of a header: ignored`},
		{"a header's value", entry(`"type": "http", "url": "https://a", "headers": {"A": []}`), 2, `2: headers: A must be a string, not an array: ignored`},
		{"a field of another type", entry(`"type": "http", "url": "https://a", "args": []`), 2, `2: a hook of BeforeTool has no field "args", it is ignored`},
		{"hosts of a project", `{"hooksConfig": {"allowedHttpHosts": ["*"]}, "hooks": {"BeforeTool": [{"hooks": [` + ok + `]}]}}`, 1, `1: hooksConfig.allowedHttpHosts counts only in your own settings and the system's: ignored`},
		{"entry is not an object", "{\"hooks\": {\"BeforeTool\": [{\"hooks\": [\n\"x.sh\", " + ok + "]}]}}", 1, `2: a hook of BeforeTool must be an object, not a string: skipped`},
		// fields
		{"timeout negative", entry(`"type": "command", "command": "x", "timeout": -1`), 2, `2: timeout must be a positive number of milliseconds, not -1: 60000 is used`},
		{"timeout zero", entry(`"type": "command", "command": "x", "timeout": 0`), 2, `2: timeout must be a positive number of milliseconds, not 0: 60000 is used`},
		{"timeout is text", entry(`"type": "command", "command": "x", "timeout": "5s"`), 2, `2: timeout must be a positive number of milliseconds, not "5s": 60000 is used`},
		{"timeout beyond time", entry(`"type": "command", "command": "x", "timeout": 1e300`), 2, `2: timeout must be a positive number of milliseconds, not 1e300: 60000 is used`},
		{"unknown field", entry(`"type": "command", "command": "x", "timout": 5`), 2, `2: a hook of BeforeTool has no field "timout", it is ignored; did you mean "timeout"?`},
		{"field twice", entry(`"type": "command", "command": "y", "command": "x"`), 2, `2: "command" occurs twice in a hook of BeforeTool; only the last one counts`},
		{"name", entry(`"type": "command", "command": "x", "name": 7`), 2, `2: name must be a string, not a number: ignored`},
		{"env is not an object", entry(`"type": "command", "command": "x", "env": ["A=1"]`), 2, `2: env must be an object, not an array`},
		{"env value", entry(`"type": "command", "command": "x", "env": {"A": null}`), 2, `2: env: A must be a string, not null: ignored`},
		{"env name", entry(`"type": "command", "command": "x", "env": {"A=B": "x"}`), 2, `2: env: "A=B" cannot be the name of a variable: ignored`},
		{"onError", entry(`"type": "command", "command": "x", "onError": "deny"`), 2, `2: onError must be "allow" or "block", not "deny": taken as "block"`},
		{"dialect", entry(`"type": "command", "command": "x", "dialect": "codex"`), 2, `2: dialect must be "gemini" or "claude", not "codex": taken as "gemini"`},
		// groups
		{"hook without group", group(`{"type": "command", "command": "x"}`), 1, `2: a hook of BeforeTool is where its group should be: write {"hooks": [{...}]} around it; skipped`},
		{"group is text", group(`"x.sh"`), 1, `2: a group of BeforeTool must be an object with "hooks", not a string: skipped`},
		{"group without hooks", group(`{"matcher": "x"}`), 1, `2: a group of BeforeTool needs "hooks", an array: skipped`},
		{"matcher is a list", group(`{"matcher": ["a"], "hooks": [` + ok + `]}`), 1, `2: matcher must be a string, not an array: the group is skipped`},
		{"sequential", group(`{"sequential": "yes", "hooks": [` + ok + `]}`), 2, `2: sequential must be true or false, not a string: ignored`},
		{"group field", group(`{"matchers": "x", "hooks": [` + ok + `]}`), 2, `2: a group of BeforeTool has no field "matchers", it is ignored; did you mean "matcher"?`},
		// names of tools and triggers
		{"tool misspelled", group(`{"matcher": "write_flie", "hooks": [` + ok + `]}`), 2, `2: matcher: no built-in tool is called "write_flie"; did you mean "write_file"?`},
		{"tool of Claude Code", group(`{"matcher": "Bash|glob", "hooks": [` + ok + `]}`), 2, `2: matcher: no built-in tool is called "Bash"; did you mean "run_shell_command"?`},
		{"class name for Claude Code", group(`{"matcher": "EditTool", "hooks": [{"type": "command", "command": "x", "dialect": "claude"}]}`), 2, `2: matcher: no built-in tool is called "EditTool"; did you mean "replace"?`},
		{"trigger", "{\"hooks\": {\n\"SessionStart\": [{\"matcher\": \"start\", \"hooks\": [" + ok + "]}]}}", 1, `2: matcher: SessionStart never has "start", only startup, resume, clear, compact; did you mean "startup"?`},
		// events
		{"event misspelled", "{\"hooks\": {\n\"BeforeTools\": [{\"hooks\": [" + ok + "]}]}}", 0, `2: there is no event "BeforeTools", its hooks never run; did you mean "BeforeTool"?`},
		{"event of Claude Code", "{\"hooks\": {\n\"PreToolUse\": []}}", 0, `2: there is no event "PreToolUse", its hooks never run; did you mean "BeforeTool"?`},
		{"event in small letters", "{\"hooks\": {\n\"sessionstart\": []}}", 0, `2: there is no event "sessionstart", its hooks never run; did you mean "SessionStart"?`},
		{"event like none", "{\"hooks\": {\n\"OnSave\": []}}", 0, `2: there is no event "OnSave", its hooks never run`},
		{"event is not an array", "{\"hooks\": {\n\"BeforeTool\": {}}}", 0, `2: hooks.BeforeTool must be an array of groups, not an object`},
		{"event twice", "{\"hooks\": {\n\"BeforeTool\": [], \"BeforeTool\": [{\"hooks\": [" + ok + "]}]}}", 1, `2: "BeforeTool" occurs twice in hooks; only the last one counts`},
		{"hooks is a list", "{\n\"hooks\": []}", 0, `2: hooks must be an object, not an array`},
		{"hooks twice", "{\n\"hooks\": {}, \"hooks\": {}}", 0, `2: "hooks" occurs twice; only the last one counts`},
		// switches
		{"enabled", "{\"hooksConfig\": {\n\"enabled\": \"true\"}}", 0, `2: hooksConfig.enabled must be true or false, not a string: ignored`},
		{"disabled", "{\"hooksConfig\": {\n\"disabled\": \"x\"}}", 0, `2: hooksConfig.disabled must be an array of names, not a string: ignored`},
		{"disabled holds a number", "{\"hooksConfig\": {\n\"disabled\": [1, \"x\"]}}", 0, `2: hooksConfig.disabled holds a number where a name should be: ignored`},
		{"maxRetries", "{\"hooksConfig\": {\n\"maxRetries\": 2.5}}", 0, `2: hooksConfig.maxRetries must be a whole number from 1 to 1000, not 2.5: ignored`},
		{"blockedExitCode", "{\"hooksConfig\": {\n\"blockedExitCode\": 256}}", 0, `2: hooksConfig.blockedExitCode must be a whole number from 1 to 255, not 256: ignored`},
		{"switch misspelled", "{\"hooksConfig\": {\n\"enable\": false}}", 0, `2: hooksConfig has no field "enable", it is ignored; did you mean "enabled"?`},
		// the file
		{"not UTF-8", "{\n\"a\": \"\xff\"}", 0, `2: a byte that is not UTF-8; it reads as U+FFFD`},
	} {
		s := load(t, c.data)
		assert.Equal(t, strings.Split(c.want, "\n"), lines(s.Problems), c.name)
		assert.Len(t, s.Hooks, c.kept, c.name)
		for _, p := range s.Problems {
			assert.Equal(t, settingsFile, p.File)
		}
	}
}

func TestNotesForTheLinter(t *testing.T) {
	t.Parallel()
	s := load(t, `{"hooks": {"BeforeTool": [
{"matcher": "deploy", "hooks": [{"type": "command", "command": "x",
"timeout": 30, "env": {"DEBUG": 1}}, {"type": "command", "command": "y", "timeout": "5000"}]},
{"matcher": "EditTool|glob", "hooks": [{"type": "command", "command": "z"}]}]}}`)
	assert.Empty(t, s.Problems)
	assert.Equal(t, []string{
		`3: timeout is in milliseconds: 30 is less than a second; if it was meant in seconds, write 30000`,
		`3: env: DEBUG should be a string, not a number`,
		`2: matcher: no built-in tool is called "deploy"; is it one of an extension?`,
		`3: timeout should be a number, not a string`,
		`4: matcher: "EditTool" is what early documents call replace; Gemini CLI does not find it by that name`,
	}, lines(s.Notes))
	assert.Equal(t, 30*time.Millisecond, s.Hooks[0].Timeout)
	assert.Equal(t, map[string]string{"DEBUG": "1"}, s.Hooks[0].Env)
	assert.Equal(t, 5*time.Second, s.Hooks[1].Timeout)
}

func TestWhatGeminiCLICannotRead(t *testing.T) {
	t.Parallel()
	s := load(t, "\xef\xbb\xbf{ // fine here\n\"hooks\": {},\n}")
	assert.Equal(t, []string{
		"1: a byte order mark: Gemini CLI cannot read the file",
		"2: a comma after the last of a list: Gemini CLI cannot read the file",
	}, lines(s.Notes))
	assert.Empty(t, s.Problems)
}

func TestWhatIsFine(t *testing.T) {
	t.Parallel()
	for _, matcher := range []string{"", "*", "write", "search_file_content", "delegate_to_agent", "mcp_github_create", "mcp__github__.*", "^(a|b)$", "[", "read_file | glob"} {
		s := load(t, `{"hooks": {"BeforeTool": [{"matcher": "`+matcher+`", "hooks": [{"type": "command", "command": "x"}]}]}}`)
		assert.Empty(t, s.Problems, matcher)
		assert.Empty(t, s.Notes, matcher)
	}
	for _, data := range []string{"", " \n", "{}", `{"hooks": {"$schema": "x", "_comment": 1, "// also": 2}}`, `{"hooks": {"BeforeTool": [{"hooks": []}]}} // end`} {
		s := load(t, data)
		assert.Empty(t, s.Problems, data)
	}
	claude := load(t, `{"hooks": {"BeforeTool": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "x", "dialect": "claude"}]}]}}`)
	assert.Empty(t, claude.Problems, "its own names are right in its dialect")
}

func TestUnreadableSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{"{\n  \"a\": nope\n}", settingsFile + ":2:8: "},
		{"[]", settingsFile + ":1:1: the file must hold an object, not an array"},
		{"\n\"text\"", settingsFile + ":2:1: the file must hold an object, not a string"},
	} {
		_, err := config.LoadSettings(hooks.LayerUser, settingsFile, []byte(c.data))
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), err)
	}
}

func TestOlderNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data     string
		off      string
		disabled []config.Disabled
		problems []string
	}{
		{`{"tools": {"enableHooks": false}}`, "tools.enableHooks is false in " + settingsFile + ":1", nil,
			[]string{"1: tools.enableHooks is an older name: write hooksConfig.enabled"}},
		{`{"tools": {"enableHooks": true}, "hooks": {"enabled": false}}`, "hooks.enabled is false in " + settingsFile + ":1", nil,
			[]string{"1: tools.enableHooks is an older name: write hooksConfig.enabled", "1: hooks.enabled is an older name: write hooksConfig.enabled"}},
		{`{"tools": {"enableHooks": false}, "hooks": {"enabled": true}}`, "tools.enableHooks is false in " + settingsFile + ":1", nil,
			[]string{"1: tools.enableHooks is an older name: write hooksConfig.enabled", "1: hooks.enabled is an older name: write hooksConfig.enabled"}},
		{`{"hooksConfig": {"enabled": true}, "hooks": {"enabled": false}}`, "", nil,
			[]string{"1: hooks.enabled is an older name: write hooksConfig.enabled"}},
		{`{"hooksConfig": {"disabled": ["a"]}, "hooks": {"disabled": ["b"]}}`, "", []config.Disabled{{ID: "a", Line: 1}, {ID: "b", Line: 1}},
			[]string{"1: hooks.disabled is an older name: write hooksConfig.disabled"}},
	} {
		s := load(t, c.data)
		assert.Equal(t, c.off, config.Merge(s).Off, c.data)
		assert.Equal(t, c.disabled, s.Disabled, c.data)
		assert.Equal(t, c.problems, lines(s.Problems), c.data)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	section := func(layer hooks.Layer, data string) config.Section {
		s, err := config.LoadSettings(layer, "/"+string(layer), []byte(data))
		require.NoError(t, err)
		return s
	}
	one := func(command string) string {
		return `"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}`
	}
	user := section(hooks.LayerUser, `{`+one("u")+`, "hooksConfig": {"disabled": ["x"], "maxRetries": 2, "enabled": false}}`)
	project := section(hooks.LayerProject, "{"+one("p")+", \"hooksConfig\": {\"enabled\": true,\n\"disabled\": [\"u\"]}}")
	system := section(hooks.LayerSystem, `{`+one("s")+`, "hooksConfig": {"notifications": false}, "hooks2": {}}`)
	defaults := section(hooks.LayerSystemDefaults, `{`+one("d")+`, "hooksConfig": {"maxRetries": 9, "notifications": true}}`)
	ext := section(hooks.LayerExtension, `{`+one("e")+`}`)

	c := config.Merge(ext, system, user, defaults, project)
	var order []string
	for _, h := range c.Hooks {
		order = append(order, h.Command+" "+h.Disabled)
	}
	assert.Equal(t, []string{"p ", "u disabled in /project:2", "d ", "s ", "e "}, order)
	assert.Empty(t, c.Off, "the project's switch is above the user's")
	assert.Equal(t, 2, c.MaxRetries)
	assert.False(t, config.Notifications(ext, system, user, defaults, project))
	assert.True(t, config.Notifications(user))

	forced := section(hooks.LayerSystem, "{\"hooksConfig\":\n{\"enabled\": false}}")
	assert.Equal(t, "hooksConfig.enabled is false in /system:2", config.Merge(forced, project).Off)
	assert.Equal(t, hooks.Config{Conditions: condition.Rules{}, Speaker: agents.Speaker{}}, config.Merge().Config)
}

func write(t *testing.T, path, data string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
}

func FuzzLoadSettings(f *testing.F) {
	f.Add([]byte(`{"hooks": {"BeforeTool": [{"matcher": "a|b", "hooks": [{"type": "command", "command": "x", "timeout": 1}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := config.LoadSettings(hooks.LayerUser, "/s", data)
		if err != nil {
			return
		}
		last := strings.Count(string(data), "\n") + 1
		for _, h := range s.Hooks {
			if strings.TrimSpace(h.Command) == "" || h.Timeout < 0 || h.Source.Line < 1 || h.Source.Line > last {
				t.Errorf("a hook that cannot be: %+v", h)
			}
		}
		for _, p := range append(s.Problems, s.Notes...) {
			if p.Line < 1 || p.Line > last || p.Text == "" {
				t.Errorf("a problem nowhere: %+v", p)
			}
		}
		if got := config.Merge(s); len(got.Hooks) != len(s.Hooks) {
			t.Errorf("Merge has %d of %d hooks", len(got.Hooks), len(s.Hooks))
		}
	})
}

// Unencrypted requests go only where the user or the system allows it.
func TestHTTPHosts(t *testing.T) {
	t.Parallel()
	sends := func(url string) string {
		return `{"hooks": {"BeforeTool": [{"hooks": [{"type": "http", "url": "` + url + `"}]}]}, "hooksConfig": {"allowedHttpHosts": ["*.PROJECT", "*"]}}`
	}
	mine, err := config.LoadSettings(hooks.LayerUser, "/u", []byte(`{"hooksConfig": {"allowedHttpHosts": ["10.0.0.1", "*.Lan"]}}`))
	require.NoError(t, err)
	require.Empty(t, mine.Problems)
	for url, fails := range map[string]bool{
		"https://anywhere.example": false, "http://localhost:1/x": false, "http://127.0.0.9": false, "http://[::1]:80/": false,
		"http://10.0.0.1:8080/": false, "http://hooks.lan/": false, "http://10.0.0.2/": true, "http://lan/": true, "http://127.0.0.1.example/": true,
	} {
		c := config.Merge(mine, load(t, sends(url)))
		assert.Equal(t, fails, strings.Contains(fmt.Sprint(c.Problems), "without encryption"), url)
		assert.Equal(t, []string{"10.0.0.1", "*.Lan"}, c.HTTPHosts)
	}
}
