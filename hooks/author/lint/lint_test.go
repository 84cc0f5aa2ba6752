package lint_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/lint"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
)

var update = flag.Bool("update", false, "write docs/LINT.md")

// A world is a project with settings, and its lint input.
type world struct {
	dir, settings string
	input         lint.Input
}

func load(t *testing.T, dir, settings string, layer hooks.Layer) world {
	t.Helper()
	path := filepath.Join(dir, "settings.json")
	require.NoError(t, os.WriteFile(path, []byte(settings), 0o600))
	s, err := config.LoadSettings(layer, path, []byte(settings))
	require.NoError(t, err)
	return world{dir, path, lint.Input{
		Sections: []config.Section{s}, Path: os.Getenv("PATH"),
		Setup: &inspect.Setup{
			Config: config.Merge(s), Trusted: true,
			Files: []inspect.File{{Layer: layer, Path: path, State: inspect.FileRead, Data: []byte(settings)}},
			Place: program.Place{Dir: dir, ProjectDir: dir, Home: dir},
		},
	}}
}

// codes returns the codes of errors and warnings, and of notes too if notes is set.
func codes(all []lint.Finding) []string {
	var out []string
	for _, f := range all {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// entry returns a settings file with one hook of an event.
func entry(event, group, hook string) string {
	if group != "" {
		group += ", "
	}
	return `{"hooks": {"` + event + `": [{` + group + `"hooks": [{"type": "command", ` + hook + `}]}]}}`
}

// Each code is found in the faulty settings and not in the correct ones.
func TestSettings(t *testing.T) {
	t.Parallel()
	ok := `"command": "true"`
	before := func(group, hook string) string { return entry("BeforeTool", group, hook) }
	for _, c := range []struct{ code, found, clean string }{
		{"HK001", entry("BeforeTols", "", ok), entry("BeforeTool", "", ok)},
		{"HK002", entry("PreToolUse", "", ok), entry("BeforeTool", "", ok)},
		{"HK002", before(`"matcher": "Bash"`, ok), before(`"matcher": "^run_shell_command$"`, ok)},
		{"HK003", before(`"matcher": "write_fil_"`, ok), before(`"matcher": "^write_file$"`, ok)},
		{"HK004", entry("SessionStart", `"matcher": "begin"`, ok), entry("SessionStart", `"matcher": "startup"`, ok)},
		{"HK005", before("", ok+`, "timeOut": 5000`), before("", ok+`, "timeout": 5000`)},
		{"HK006", `{"hooks": {"BeforeTool": [{"type": "command", "command": "true"}]}}`, before("", ok)}, // T21
		{"HK006", `{"hooks": {"BeforeTool": {}}}`, `{"hooks": {"BeforeTool": []}}`},
		{"HK007", strings.Replace(before("", ok), `"command", `, `"Command", `, 1), before("", ok)}, // T21
		{"HK007", strings.Replace(before("", ok), `"type": "command", `, ``, 1), before("", ok)},
		{"HK008", before("", `"command": " "`), before("", ok)},
		{"HK009", before("", ok+`, "timeout": "soon"`), before("", ok+`, "timeout": 5000`)},
		{"HK010", strings.Replace(before("", ok), `{"hooks": {`, `{"hooks": {"disabled": ["true"], `, 1), before("", ok)}, // T20
		{"HK011", strings.Replace(before("", ok), `"command": "true"`, `"command": "false", "command": "true"`, 1), before("", ok)},
		{"HK012", before("", ok+`, "timeout": 30`), before("", ok+`, "timeout": 30000`)}, // T14
		{"HK013", "\ufeff" + before("", ok), "// a comment\n" + before("", ok)},
		{"HK013", strings.Replace(before("", ok), "}]}]", "}]},]", 1), before("", ok)},
		{"HK014", before("", ok+`, "timeout": "5000"`), before("", ok+`, "timeout": 5000`)},
		{"HK015", before("", ok+`, "onError": "block"`), before("", ok)},
		{"HK015", `{"hooks": {"PostToolUseFailure": [{"hooks": [{"type": "command", ` + ok + `}]}]}}`, `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", ` + ok + `}]}]}}`},
		{"HK015", `{"hooks": {"SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", ` + ok + `}]}]}}`, `{"hooks": {"SessionStart": [{"matcher": "clear", "hooks": [{"type": "command", ` + ok + `}]}]}}`},
		{"HK015", before("", ok+`, "dialect": "claude"`), before("", ok+`, "dialect": "gemini"`)},
		{"HK015", `{"hooksConfig": {"blockedExitCode": 3}}`, `{"hooksConfig": {"enabled": true}}`},
		{"HK015", `{"hooksConfig": {"maxRetries": 3}}`, `{"hooksConfig": {"enabled": true}}`},
		{"HK015", before("", ok+`, "args": []`), before("", ok+`, "statusMessage": "Looking"`)},
		{"HK015", before("", ok+`, "once": true`), before("", ok+`, "once": false`)},
		{"HK015", before("", `"type": "http", "url": "https://a"`), before("", ok)},
		{"HK008", before("", `"type": "http", "url": 7`), before("", `"type": "http", "url": "https://a"`)},
		{"HK008", before("", `"type": "http", "url": "/x"`), before("", `"type": "http", "url": "https://a"`)},
		{"HK008", before("", `"type": "prompt", "prompt": ""`), before("", `"type": "prompt", "prompt": "Fine?"`)},
		{"HK008", before("", `"type": "mcp_tool", "server": "s"`), before("", `"type": "mcp_tool", "server": "s", "tool": "t"`)},
		{"HK068", before("", `"type": "prompt", "prompt": "Fine?", "async": true`), before("", `"type": "mcp_tool", "server": "s", "tool": "t", "async": true`)},
		{"HK069", before("", `"type": "http", "url": "http://a.example"`), before("", `"type": "http", "url": "http://localhost:80"`)},
		{"HK015", before("", ok+`, "async": true`), before("", ok)},
		{"HK068", before("", `"command": "echo no >&2; exit 2", "async": true`), before("", `"command": "echo yes", "async": true`)},
		{"HK068", before("", `"command": "echo no >&2; exit 2", "once": true`), before("", `"command": "echo yes", "once": true`)},
		{"HK016", before("", "\"command\": \"true\", \"name\": \"\xff\""), before("", ok)},
		// matchers
		{"HK020", before(`"matcher": "[write"`, ok), before(`"matcher": "^[w]rite_file$"`, ok)},
		{"HK021", before(`"matcher": "write"`, ok), before(`"matcher": "^(write_file)$"`, ok)},  // T16
		{"HK028", before(`"matcher": "read_file"`, ok), before(`"matcher": "^read_file$"`, ok)}, // T16
		{"HK022", before(`"matcher": "^writefile$"`, ok), before(`"matcher": "^mcp_x_.*$"`, ok)},
		{"HK067", before(`"matcher": "mcp_*"`, ok), before(`"matcher": "mcp_\\w*"`, ok)},
		{"HK067", before(`"matcher": "write_file|*_dir"`, ok), before(`"matcher": "^(write_.*|[a-z]*_dir)$"`, ok)},
		{"HK003", before(`"matcher": "write_fil_"`, ok), before(`"matcher": "exit_plan_mode|enter_plan_mode|update_topic|complete_task|get_internal_docs|tracker_create_task"`, ok)},
		{"HK022", before(`"matcher": "^writefile$"`, ok), before(`"matcher": "^(exit_plan_mode|tracker_.*)$"`, ok)},
		{"HK022", before(`"matcher": "^(replace|write-fi.*)$"`, ok), before(`"matcher": "^(replace|write_fi.*)$"`, ok)},
		{"HK022", before(`"matcher": "glob|Read.*"`, ok), before(`"matcher": "glob|(Read|read).*"`, ok)},
		{"HK023", entry("BeforeAgent", `"matcher": "deploy"`, ok), entry("BeforeAgent", `"matcher": "*"`, ok)},
		{"HK024", before(`"matcher": "^search_file_content$"`, ok), before(`"matcher": "^grep_search$"`, ok)},
		{"HK024", before(`"matcher": "WriteFileTool"`, ok), before(`"matcher": "^write_file$"`, ok)},
		{"HK024", entry("SessionStart", `"matcher": "startup|resume"`, ok), entry("SessionStart", `"matcher": "resume"`, ok)},
		{"HK024", entry("Notification", `"matcher": "ToolPermission"`, ok), entry("Notification", "", ok)},
		{"HK064", before(`"matcher": "write_file||replace"`, ok), before(`"matcher": "^(write_file|replace)$"`, ok)},
		{"HK028", before(`"matcher": "read_file"`, ok), before(`"matcher": "Read", "x": 1`, ok+`, "dialect": "claude"`)},
		{"HK022", before(`"matcher": "^(replace|write-fi.*)$"`, ok), before(`"matcher": "^(replace|write_fi.*)$"`, ok)},
		{"HK022", before(`"matcher": "glob|Read.*"`, ok), before(`"matcher": "glob|(Read|read).*"`, ok)},
		{"HK023", entry("BeforeAgent", `"matcher": "deploy"`, ok), entry("BeforeAgent", `"matcher": ".*"`, ok)},
		{"HK030", before("", `"command": "./no-such.sh"`), before("", `"command": "$DOTFILES/hooks/a.sh"`)},
		{"HK030", before("", `"command": "./no-such.sh", "args": ["x"]`), before("", `"command": "true", "args": ["./no-such.sh"]`)},
		{"HK030", before("", `"command": "X=./no; \"$X/no-such.sh\""`), before("", `"command": "export A=$HOMES/x; \"$A/b.sh\""`)},
		{"HK030", before("", `"command": "no-such-program-x"`), before("", `"command": "export PATH=/opt/x:$PATH; no-such-program-x"`)},
		{"HK035", before("", `"command": "echo ${GEMINI_PROJECT_DIR}/x"`), before("", `"command": "echo ${CLAUDE_PROJECT_DIR}/x", "dialect": "claude"`)},
		// several
		{"HK025", before("", ok+`}, {"type": "command", "timeout": 5000, `+ok), before("", ok+`}, {"type": "command", "name": "other", `+ok)}, // T17
		{"HK026", `{"hooksConfig": {"disabled": ["tru"]}, ` + before("", ok)[1:], `{"hooksConfig": {"disabled": ["true"]}, ` + before("", ok)[1:]},
		{"HK027", before(`"sequential": true`, ok+`}]}, {"hooks": [{"type": "command", "command": "echo"`), before(`"sequential": true`, ok+`}, {"type": "command", "command": "echo"`)}, // T15
		// commands
		{"HK030", before("", `"command": "./no-such.sh"`), before("", ok)}, // T5
		{"HK030", before("", `"command": "no-such-program-x -y"`), before("", `"command": "f() { true; }; f"`)},
		{"HK030", before("", `"command": "bash no-such.sh"`), before("", `"command": "bash -c true"`)},
		{"HK035", before("", `"command": "echo ${GEMINI_PROJECT_DIR}/x"`), before("", `"command": "echo $GEMINI_PROJECT_DIR/x"`)},
		{"HK035", before("", `"command": "echo \"$GEMINI_PROJECT_DIR/x\""`), before("", `"command": "echo \"${GEMINI_PROJECT_DIR}/x\""`)}, // T13
		{"HK036", before("", `"command": "if true; then"`), before("", `"command": "if true; then true; fi"`)},
		{"HK037", before("", `"command": "echo '$HOME'"`), before("", `"command": "echo '$1'"`)},
	} {
		found := lint.Run(load(t, t.TempDir(), c.found, hooks.LayerProject).input)
		clean := lint.Run(load(t, t.TempDir(), c.clean, hooks.LayerProject).input)
		assert.Contains(t, codes(found), c.code, c.found)
		assert.NotContains(t, codes(clean), c.code, c.clean)
		for _, f := range found {
			assert.NotEmpty(t, f.Message, c.found)
			assert.False(t, f.Code == c.code && f.Line < 1, c.found)
		}
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	const sh = "#!/bin/sh\n"
	for _, c := range []struct{ code, event, found, clean string }{
		{"HK032", "BeforeTool", "#!/bin/sh\r\ntrue\r\n", sh + "true\n"},
		{"HK033", "BeforeTool", "\ufeff#!/bin/sh\ntrue\n", sh + "true\n"},
		{"HK036", "BeforeTool", sh + "if true", sh + "true"},
		{"HK040", "BeforeTool", sh + "echo no >&2\nexit 1\n", sh + "[ -f x ] || exit 1\necho no >&2\nexit 2\n"},
		{"HK040", "BeforeTool", "#!/usr/bin/env python3\nimport sys\nprint('no')\nsys.exit(1)\n", "#!/usr/bin/env python3\nimport sys\nsys.exit(2)\n"},
		{"HK040", "BeforeTool", "#!/usr/bin/env node\nconsole.log('no')\nprocess.exit(1)\n", "#!/usr/bin/env node\nprocess.exit(0)\n"},
		{"HK041", "BeforeTool", sh + "echo no >&2; exit 3", sh + "echo no >&2; exit 2"},                   // T4
		{"HK042", "BeforeTool", sh + "grep -q x && exit 2", sh + "grep -q x && { echo no >&2; exit 2; }"}, // T1
		{"HK042", "BeforeTool", sh + "x=$(cat)\nexit 2", sh + "cat >&2\nexit 2"},
		{"HK043", "BeforeTool", sh + "echo '{}'; echo no >&2; exit 2", sh + "echo no >&2; exit 2"},                                           // T2
		{"HK043", "BeforeTool", sh + `echo '{"systemMessage": "x"}'; exit 2`, sh + `echo '{"decision": "deny"}'; exit 2`},                    // T3
		{"HK044", "AfterAgent", sh + "echo again >&2; exit 2", sh + "grep -q '\"stop_hook_active\":true' && exit 0\necho again >&2; exit 2"}, // T19
		{"HK044", "AfterAgent", sh + `echo '{"decision": "block"}'`, sh + "true"},
		{"HK045", "BeforeTool", sh + `echo '{"decision": "deny"}' >&2`, sh + `echo '{"decision": "deny"}'`}, // T8
		{"HK045", "BeforeTool", "#!/usr/bin/env python3\nprint(json.dumps(x), file=sys.stderr)\n", "#!/usr/bin/env python3\nprint(json.dumps(x))\n"},
		{"HK046", "BeforeTool", sh + "echo checking\necho '{\"decision\": \"deny\"}'", sh + "echo checking >&2\necho '{\"decision\": \"deny\"}'"}, // T7
		{"HK046", "BeforeTool", sh + "echo checking\nif true; then\ncat <<E\n{\"decision\": \"deny\"}\nE\nfi", sh + "if true; then echo hello; else echo '{\"decision\": \"deny\"}'; fi"},
		{"HK047", "BeforeTool", sh + `echo '{"decision": "denied"}'`, sh + `echo '{"decision": "deny"}'`}, // T9
		{"HK047", "BeforeTool", sh + `echo '[{"decision": "deny"}]'`, sh + "# {\"decision\": \"denied\"}\ntrue"},
		{"HK048", "BeforeTool", sh + `echo '{"hookSpecificOutput": {"permissionDecision": "deny"}}'`, sh + `echo '{"decision": "deny"}'`}, // T10
		{"HK049", "BeforeTool", sh + "trap '' TERM\ntrue", sh + "trap 'exit 0' TERM\ntrue"},                                               // T11
		{"HK050", "BeforeTool", sh + "sleep 9 &", sh + "sleep 9 >/dev/null 2>&1 &"},                                                       // T12
		{"HK051", "BeforeTool", sh + `echo '{"decision": "ask"}'`, sh + `echo '{"decision": "allow"}'`},                                   // T18
		{"HK052", "BeforeTool", sh + "kill -KILL $$", sh + "kill -KILL $child"},                                                           // T6
		{"HK053", "BeforeAgent", sh + `echo '{"additionalContext": "x"}'`, sh + `echo '{"hookSpecificOutput": {"additionalContext": "x"}}'`},
		{"HK040", "BeforeTool", "#!/usr/bin/env python3\nimport sys\nsys.exit(\"not this file\")\n", "#!/usr/bin/env python3\nimport sys\nprint(\"not this file\", file=sys.stderr)\nsys.exit(2)\n"},
		{"HK054", "SessionStart", sh + "echo no >&2; exit 2", sh + "echo no >&2; exit 0"},
		{"HK054", "BeforeToolSelection", sh + `echo '{"decision": "deny"}'`, sh + `echo '{"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}}'`},
		{"HK060", "BeforeTool", sh + `case "$CLAUDE_TOOL_INPUT_FILE_PATH" in *.env) exit 2;; esac`, sh + "STDIN_JSON=$(cat)\necho \"$STDIN_JSON\" >&2"},
		{"HK060", "BeforeTool", sh + `[ "$TOOL_NAME" = x ]`, sh + "read -r TOOL_NAME\n[ \"$TOOL_NAME\" = x ]"},
		{"HK061", "BeforeTool", sh + `jq -r '.tool_input.path'`, sh + `jq -r '.tool_input.path // .tool_input.file_path'`},
		{"HK061", "BeforeTool", sh + `x=$(jq -r .arguments.command)`, sh + `x=$(jq -r .tool_input.command)`},
		{"HK062", "BeforeTool", sh + `[ "$tool_name" = "Bash" ] && echo no >&2`, sh + `[ "$tool_name" = "Bash" ] || [ "$tool_name" = run_shell_command ]`},
		{"HK062", "BeforeTool", "#!/usr/bin/env python3\nif data['tool_name'] in ('Write', 'Edit'): pass\n", "#!/usr/bin/env python3\nif data['tool_name'] in ('write_file', 'Edit'): pass\n"},
		{"HK063", "BeforeTool", sh + `echo "{\"decision\": \"deny\", \"reason\": \"$why\"}"`, sh + `jq -n --arg why "$why" '{decision: "deny", reason: $why}'`},
		{"HK061", "BeforeModel", sh + `jq -r '.llm_request.contents[0]'`, sh + `jq -r '.llm_request.messages[0].content'`},
		{"HK061", "BeforeModel", "#!/usr/bin/env python3\nx = data['llm_request']['contents']\n", "#!/usr/bin/env python3\nx = data['llm_request']['messages']\n"},
		{"HK061", "BeforeModel", "#!/usr/bin/env node\nconst x = input.llm_request.contents\n", "#!/usr/bin/env node\nconst x = input.llm_request.messages\n"},
		{"HK062", "BeforeTool", sh + `[ "$tool_name" = EditTool ] && echo no >&2`, sh + `[ "$tool_name" = EditTool ] || [ "$tool_name" = replace ]`},
		{"HK062", "BeforeTool", sh + `[ "$tool_name" = WriteFile ] && echo no >&2`, sh + `[ "$tool_name" = deploy ] && echo no >&2`},
		{"HK062", "BeforeTool", sh + `[ "$tool_name" = apply_patch ] && echo no >&2`, sh + `[ "$tool_name" = enter_plan_mode ] && echo no >&2`},
		{"HK066", "BeforeTool", sh + "set -e\ncd sub\n", "#!/usr/bin/env bash\nset -e\ncd sub\n"},
		{"HK066", "BeforeTool", sh + "set -o nounset\n", sh + "set -o pipefail\nset -- a -e\n"},
		{"HK043", "BeforeTool", sh + "echo '{}'; echo no >&2; exit 2", sh + "if [ -f x ]; then echo '{}'; exit; fi\necho no >&2; exit 2"},
		{"HK043", "BeforeTool", sh + "[ -f x ] && echo '{}'\necho no >&2; exit 2", sh + "[ -f x ] && { echo '{}'; exit 0; }\necho no >&2; exit 2"},
		{"HK043", "BeforeTool", sh + "case $x in a) echo '{}';; esac\necho no >&2; exit 2", sh + "case $x in a) echo '{}'; exit 0;; b) echo no >&2; exit 2;; esac"},
		{"HK043", "BeforeTool", sh + "for x in a; do echo '{}'; done\necho no >&2; exit 2", sh + "pass() { echo '{}'; exit 0; }\n[ -f x ] && pass\necho no >&2; exit 2"},
		{"HK043", "BeforeTool", sh + "if a; then b; elif c; then echo '{}'; fi\nexit 2", sh + "if a; then echo '{}'; else\nexit 2; fi"},
		{"HK065", "BeforeTool", sh + `case "$1" in *x*) echo no >&2; exit 2;; esac`, sh + "deny() { echo \"$1\" >&2; exit 2; }\ntrue"},
		{"HK036", "BeforeTool", sh + "if true", "#!/usr/bin/env fish\nif test -f x\n  exit 2\nend\n"},
		{"HK036", "BeforeTool", sh + "if true", "#!/usr/bin/fish\nset -l x (cat)\n"},
		{"HK040", "BeforeTool", sh + "echo no >&2\nexit 1\n", sh + "command -v jq >/dev/null || { echo 'jq is not installed' >&2; exit 1; }\n"},
		{"HK040", "BeforeTool", sh + "echo no >&2\nexit 1\n", "#!/usr/bin/env python3\ntry:\n  x()\nexcept Exception as e:\n  print(e)\n  sys.exit(1)\n"},
		{"HK040", "BeforeTool", sh + "echo no >&2\nexit 1\n", sh + "if [ -z \"$x\" ]; then\n  echo no input >&2\n  exit 1\nfi\necho '{\"decision\": \"deny\", \"reason\": \"no\"}'\n"},
		{"HK054", "SessionStart", sh + "echo no >&2; exit 2", sh + "event=$(jq -r .hook_event_name)\n[ \"$event\" = BeforeTool ] && exit 2\nexit 0"},
		{"HK055", "AfterTool", sh + `echo '{"decision": "ask"}'`, sh + `echo '{"decision": "deny"}'`},
	} {
		run := func(text string) []lint.Finding {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte(text), 0o755))
			return lint.Run(load(t, dir, entry(c.event, "", `"command": "./x"`), hooks.LayerProject).input)
		}
		assert.Contains(t, codes(run(c.found)), c.code, c.found)
		assert.NotContains(t, codes(run(c.clean)), c.code, c.clean)
	}
}

// TestArgumentsThatAreNotPassed checks that HK065 is found however the command starts the
// program, unless the command may pass arguments.
func TestArgumentsThatAreNotPassed(t *testing.T) {
	t.Parallel()
	for command, found := range map[string]bool{
		"./g.sh": true, "sh g.sh": true, "bash -e ./g.sh": true, `sh \"$GEMINI_PROJECT_DIR/g.sh\"`: true, "A=1 sh g.sh ": true,
		"sh g.sh x": false, `./g.sh \"$x\"`: false, "jq -r .tool_name | xargs sh g.sh": false,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "g.sh"), []byte("#!/bin/sh\ncase \"$1\" in x) exit 2;; esac\n"), 0o755))
		w := load(t, dir, entry("BeforeTool", "", `"command": "`+command+`"`), hooks.LayerProject)
		assert.Equal(t, found, slices.Contains(codes(lint.Run(w.input)), "HK065"), command)
	}
}

func TestNotExecutable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.sh")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o644))
	assert.Contains(t, codes(lint.Run(load(t, dir, entry("BeforeTool", "", `"command": "./x.sh"`), hooks.LayerProject).input)), "HK031")
	assert.NotContains(t, codes(lint.Run(load(t, dir, entry("BeforeTool", "", `"command": "sh ./x.sh"`), hooks.LayerProject).input)), "HK031")
	w := load(t, dir, entry("BeforeTool", "", `"command": "./x.sh"`), hooks.LayerProject)
	fixed := lint.Run(w.input)
	require.NoError(t, lint.Fix(fixed, w.input.Setup.Files))
	assert.False(t, lint.Bad(fixed))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
}

// A hook in Claude Code's dialect may answer as Claude Code's hooks do.
func TestClaudesDialect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte("#!/bin/sh\necho '{\"hookSpecificOutput\": {\"permissionDecision\": \"deny\"}}'\n"), 0o755))
	got := lint.Run(load(t, dir, entry("BeforeTool", `"matcher": "Bash"`, `"command": "./x", "dialect": "claude"`), hooks.LayerProject).input)
	assert.Equal(t, []string{"HK015"}, slices.DeleteFunc(codes(got), func(c string) bool { return c == "HK028" || c == "HK024" }))
}

func TestNothingIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("#!/usr/bin/env bash\nset -eu\ninput=$(cat)\nif grep -q '\\.env' <<<\"$input\"; then\n  echo 'not this file' >&2\n  exit 2\nfi\n"), 0o755))
	got := lint.Run(load(t, dir, entry("BeforeTool", `"matcher": "^(write_file|replace)$"`, `"name": "guard", "timeout": 5000, "command": "\"${GEMINI_PROJECT_DIR}/guard.sh\""`), hooks.LayerProject).input)
	assert.Empty(t, got)
}

func TestFix(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.sh"), []byte("\ufeff#!/bin/sh\r\ntrue\r\n"), 0o755))
	w := load(t, dir, `{
  // who may write
  "hooks": {
    "disabled": ["old"], // not now
    "PreToolUse": [ // moved
      {"matcher": "Write|Edit", "hooks": [{"type": "Command", "command": "true"}]}
    ],
    "AfterTool": [
      {"matcher": "Bash|glob", "hooks": [
        {"type": "command", "command": "${GEMINI_PROJECT_DIR}/x.sh a", "timeout": 30 /* seconds */},
        {"type": "command", "name": "old", "command": "\"$GEMINI_PROJECT_DIR/x.sh\" b", "timeout": "5000"}
      ]}
    ]
  }
}
`, hooks.LayerProject)
	found := lint.Run(w.input)
	require.NoError(t, lint.Fix(found, w.input.Setup.Files))
	data, err := os.ReadFile(w.settings)
	require.NoError(t, err)
	assert.Equal(t, `{
  // who may write
  "hooks": {
    "BeforeTool": [ // moved
      {"matcher": "Write|Edit", "hooks": [{"type": "Command", "command": "true"}]}
    ],
    "AfterTool": [
      {"matcher": "run_shell_command|glob", "hooks": [
        {"type": "command", "command": "\"${GEMINI_PROJECT_DIR}\"/x.sh a", "timeout": 30000 /* seconds */},
        {"type": "command", "name": "old", "command": "\"${GEMINI_PROJECT_DIR}/x.sh\" b", "timeout": 5000}
      ]}
    ]
  },
  "hooksConfig": {
    "disabled": [
      "old"
    ]
  }
}
`, string(data))
	script, err := os.ReadFile(filepath.Join(dir, "x.sh"))
	require.NoError(t, err)
	assert.Equal(t, "#!/bin/sh\ntrue\n", string(script))
	// further runs fix what the first fix reveals
	for range 2 {
		again := load(t, dir, string(data), hooks.LayerProject)
		more := lint.Run(again.input)
		require.NoError(t, lint.Fix(more, again.input.Setup.Files))
		data, err = os.ReadFile(w.settings)
		require.NoError(t, err)
	}
	assert.Contains(t, string(data), `{"matcher": "write_file|replace", "hooks": [{"type": "command", "command": "true"}]}`)
	last := lint.Run(load(t, dir, string(data), hooks.LayerProject).input)
	assert.Equal(t, []string{"HK028"}, codes(last))
	assert.False(t, lint.Bad(last))
}

func TestFixLeavesAChangedFileAlone(t *testing.T) {
	t.Parallel()
	w := load(t, t.TempDir(), entry("BeforeTool", "", `"command": "true", "timeout": 30`), hooks.LayerProject)
	found := lint.Run(w.input)
	require.NoError(t, os.WriteFile(w.settings, []byte("{}"), 0o600))
	require.ErrorContains(t, lint.Fix(found, w.input.Setup.Files), "changed in the meantime")
	assert.True(t, lint.Bad(found))
	data, err := os.ReadFile(w.settings)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(data))
}

// An unreadable file, and a folder without hooks, are reported.
func TestNothingToLookAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings string
		problem  config.Problem
		want     []string
	}{
		{`{"hook": {}}`, config.Problem{}, []string{"HK018"}},
		{`{}`, config.Problem{File: "hooks.json", Line: 2, Text: "unexpected end"}, []string{"HK017"}},
		{`{"hooks": {"BeforeTols": []}}`, config.Problem{}, []string{"HK001"}},
	} {
		w := load(t, t.TempDir(), c.settings, hooks.LayerProject)
		if c.problem.Text != "" {
			w.input.Setup.Config.Problems = append(w.input.Setup.Config.Problems, c.problem)
		}
		found := lint.Run(w.input)
		assert.Equal(t, c.want, codes(found), c.settings)
		assert.True(t, lint.Bad(found), c.settings)
	}
}

func TestEveryRuleIsTested(t *testing.T) {
	t.Parallel()
	var data []byte
	for _, name := range []string{"lint_test.go", "elsewhere_test.go", "setups_test.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		data = append(data, text...)
	}
	seen := map[string]bool{}
	for _, r := range lint.Rules {
		assert.False(t, seen[r.Code] || seen[r.Name], r.Code)
		seen[r.Code], seen[r.Name] = true, true
		assert.Contains(t, string(data), `"`+r.Code+`"`)
		assert.True(t, r.Title != "" && r.Why != "" && r.Do != "" && r.Severity != "", r.Code)
	}
	// T22 applies to every BeforeTool hook, so hooks explain reports it; see its tests
	for n := 1; n <= 21; n++ {
		assert.Contains(t, string(data), fmt.Sprintf("// T%d\n", n), "each trap of Gemini CLI's has a row")
	}
}

func TestDocIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "LINT.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(lint.Doc()), 0o644))
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, lint.Doc(), string(data), "go test ./hooks/author/lint -run Fresh -update writes it")
}
