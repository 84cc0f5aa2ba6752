package claude_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

var update = flag.Bool("update", false, "write what the migration says into testdata")

// TestGolden runs each archive: its files are the input, and those after "-- want --"
// are the new settings, the diff and the remarks.
func TestGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		files := map[string][]byte{}
		for _, f := range archive.Files {
			files[f.Name] = f.Data
		}
		got := migrate(t, files)
		if *update {
			archive.Files = archive.Files[:len(archive.Files)-len(got)]
			archive.Files = append(archive.Files, got...)
			require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
			continue
		}
		for _, f := range got {
			assert.Equal(t, string(files[f.Name]), string(f.Data), "%s: %s", path, f.Name)
		}
	}
}

func migrate(t *testing.T, files map[string][]byte) []txtar.File {
	t.Helper()
	const target = ".gemini/settings.json"
	var sources []claude.File
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json"} {
		sources = append(sources, claude.File{Name: name, Data: files[name]})
	}
	r, err := claude.Migrate(claude.File{Name: target, Data: files[target]}, sources...)
	require.NoError(t, err)

	loaded, err := config.LoadSettings(hooks.LayerProject, "/"+target, r.Settings)
	require.NoError(t, err)
	assert.Empty(t, loaded.Problems, "what was written must be right")

	again, err := claude.Migrate(claude.File{Name: target, Data: r.Settings}, sources...)
	require.NoError(t, err)
	assert.Equal(t, 0, again.Added, "twice is once")
	assert.Equal(t, string(r.Settings), string(again.Settings))
	assert.Empty(t, again.Diff)

	var remarks strings.Builder
	for _, remark := range r.Remarks {
		kind := "differs: "
		if remark.Lost {
			kind = "lost: "
		}
		remarks.WriteString(kind + remark.String() + "\n")
	}
	return []txtar.File{
		{Name: "want/settings.json", Data: r.Settings},
		{Name: "want/diff", Data: []byte(r.Diff)},
		{Name: "want/remarks", Data: []byte(remarks.String())},
	}
}

// one migrates a single group and returns it after loading it again.
func one(t *testing.T, event, matcher, fields string) ([]hooks.Hook, []claude.Remark) {
	t.Helper()
	r, err := claude.Migrate(claude.File{Name: "/s"}, claude.File{Name: "c", Data: []byte(
		`{"hooks": {"` + event + `": [{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": "x"` + fields + `}]}]}}`)})
	require.NoError(t, err)
	s, err := config.LoadSettings(hooks.LayerProject, "/s", r.Settings)
	require.NoError(t, err)
	return s.Hooks, r.Remarks
}

func TestMatchers(t *testing.T) {
	t.Parallel()
	const none = "not carried over"
	for _, c := range []struct{ event, matcher, want string }{
		// everything
		{"PreToolUse", "", ""}, {"PreToolUse", "*", ""},
		// lists
		{"PreToolUse", "Bash", "run_shell_command"},
		{"PreToolUse", "Edit|MultiEdit|Write", "replace|write_file"},
		{"PreToolUse", "Edit, Write", "replace|write_file"},
		{"PostToolUse", "Read|Glob|Grep|LS", "read_file|glob|grep_search|list_directory"},
		{"PreToolUse", "WebFetch|WebSearch|TodoWrite|Task", "web_fetch|google_web_search|write_todos|invoke_agent"},
		{"PreToolUse", "Edit|NotebookEdit", "replace"},
		{"PreToolUse", "NotebookEdit", none},
		{"PreToolUse", "mcp__memory__create_entities", "mcp_memory_create_entities"},
		{"PreToolUse", "Bash|mcp__git-hub__x__y", "run_shell_command|mcp_git-hub_x__y"},
		// regular expressions, word by word
		{"PreToolUse", "^(Edit|Write)$", "^(replace|write_file)$"},
		{"PreToolUse", "Edit.*", "replace.*"},
		{"PreToolUse", "Notebook.*", "Notebook.*"},
		{"PreToolUse", "mcp__memory__.*", "mcp_memory_.*"},
		{"PreToolUse", "mcp__.*__write.*", "mcp_.*_write.*"},
		{"PreToolUse", "mcp__Read_it__.*|Read.?", "mcp_Read_it_.*|read_file.?"},
		{"PreToolUse", `\\bBash\\b`, `\brun_shell_command\b`},
		// triggers
		{"SessionStart", "startup", "startup"},
		{"SessionStart", "startup|compact", "startup|compact"},
		{"SessionStart", "fork", none},
		{"SessionStart", "start.*|res.*", "resume|startup"},
		{"SessionEnd", "other", "exit|other"},
		{"SessionEnd", "prompt_input_exit|clear", "exit|prompt_input_exit|clear"},
		{"PreCompact", "manual", "manual"},
		{"Notification", "permission_prompt", "ToolPermission"},
		{"Notification", "idle_prompt", "Idle"},
		{"UserPromptSubmit", "ignored", ""},
		{"Stop", "ignored", ""},
		{"SubagentStop", "reviewer", "reviewer"}, {"SubagentStart", "^(code-)?reviewer$", "^(code-)?reviewer$"},
	} {
		got, remarks := one(t, c.event, c.matcher, "")
		if c.want == none {
			assert.Empty(t, got, c.matcher)
			require.NotEmpty(t, remarks, c.matcher)
			assert.True(t, remarks[0].Lost)
			continue
		}
		require.Len(t, got, 1, c.matcher)
		assert.Equal(t, c.want, got[0].Matcher, c.matcher)
		assert.Equal(t, "claude", got[0].Dialect)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for theirs, ours := range map[string]protocol.Event{
		"PreToolUse": protocol.BeforeTool, "PostToolUse": protocol.AfterTool, "UserPromptSubmit": protocol.BeforeAgent,
		"Stop":       protocol.AfterAgent,
		"PreCompact": protocol.PreCompress, "SessionStart": protocol.SessionStart, "SessionEnd": protocol.SessionEnd,
		"Notification": protocol.Notification, "PostToolUseFailure": protocol.PostToolUseFailure,
		"StopFailure": protocol.StopFailure, "PostCompact": protocol.PostCompact,
		"SubagentStart": protocol.SubagentStart, "SubagentStop": protocol.SubagentStop,
	} {
		got, _ := one(t, theirs, "", "")
		require.Len(t, got, 1, theirs)
		assert.Equal(t, ours, got[0].Event)
	}
	for _, theirs := range []string{"TeammateIdle", "Elicitation", "WorktreeCreate"} {
		got, remarks := one(t, theirs, "", "")
		assert.Empty(t, got)
		assert.Equal(t, []claude.Remark{{File: "c", Line: 1, Text: theirs + " has no counterpart", Lost: true}}, remarks)
	}
	for typed, meant := range map[string]string{"PreTolUse": "PreToolUse", "stop": "Stop", "SubagentStopp": "SubagentStop"} {
		_, remarks := one(t, typed, "", "")
		assert.Equal(t, []claude.Remark{{File: "c", Line: 1, Text: fmt.Sprintf("%s has no counterpart; did you mean %q?", typed, meant), Lost: true}}, remarks)
	}
}

func TestTimeoutsAreSeconds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event, fields string
		want          int64
		remarks       int
	}{
		{"Stop", `, "timeout": 30`, 30_000, 0},
		{"Stop", `, "timeout": 1.5`, 1500, 0},
		{"Stop", ``, 600_000, 0},
		{"UserPromptSubmit", ``, 30_000, 0},
		{"Stop", `, "timeout": "30"`, 600_000, 1},
		{"Stop", `, "timeout": -1`, 600_000, 1},
	} {
		got, remarks := one(t, c.event, "", c.fields)
		require.Len(t, got, 1)
		assert.Equal(t, c.want, got[0].Timeout.Milliseconds(), c.fields)
		assert.Len(t, remarks, c.remarks, c.fields)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	good := claude.File{Name: "c", Data: []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`)}
	for _, c := range []struct {
		target, source claude.File
		want           string
	}{
		{claude.File{Name: "t", Data: []byte("{\n?")}, good, "reading settings: t:2:1: "},
		{claude.File{Name: "t"}, claude.File{Name: "c", Data: []byte("{,}")}, "reading Claude Code's settings: c:1:2: "},
		{claude.File{Name: "t", Data: []byte(`{"hooks": []}`)}, good, "adding hooks to t: hooks is an array"},
		{claude.File{Name: "t", Data: []byte("{\"a\": \"\xff\"}")}, good, "t:1: a byte that is not UTF-8"},
	} {
		_, err := claude.Migrate(c.target, c.source)
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), err)
	}
	r, err := claude.Migrate(claude.File{Name: "t", Data: []byte("{} // kept")}, claude.File{Name: "c"})
	require.NoError(t, err)
	assert.Equal(t, claude.Result{Settings: []byte("{} // kept")}, r)
}

// TestArgumentsAsALine checks that a shell would pass the program the same arguments
// that Claude Code passes without one, so that the line shows what runs.
func TestArgumentsAsALine(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	const dir = `/my "own" $project's dir`
	args := []string{"${CLAUDE_PROJECT_DIR}/a b", "`id` $HOME \\ \"q\" !x ${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "it's", "", "a\nb", "${CLAUDE_PROJECT_DIR}${CLAUDE_PLUGIN_ROOT}"}
	text, err := json.Marshal(append([]string{`%s\0`}, args...))
	require.NoError(t, err)
	r, err := claude.Migrate(claude.File{Name: "/s"}, claude.File{Name: "c", Data: []byte(
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "printf", "args": ` + string(text) + `}]}]}}`)})
	require.NoError(t, err)
	s, err := config.LoadSettings(hooks.LayerProject, "/s", r.Settings)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), bash, "-c", s.Hooks[0].Line())
	cmd.Env = []string{"CLAUDE_PROJECT_DIR=" + dir, "CLAUDE_PLUGIN_ROOT=/plug in"}
	out, err := cmd.Output()
	require.NoError(t, err)
	replaced := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", dir, "${CLAUDE_PLUGIN_ROOT}", "/plug in")
	for i, arg := range args {
		args[i] = replaced.Replace(arg)
	}
	assert.Equal(t, args, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
}
