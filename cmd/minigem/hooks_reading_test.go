package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blindCase is a case whose guard reads a field that only some agents send.
const blindCase = `prompt x
fired before-tool guard
! tool-ran write

-- guard.sh --
#!/bin/sh
grep -q '"path":' && { echo '{"decision": "deny", "cancel": true}'; echo no >&2; exit 2; }
exit 0
-- hooks --
# stop comes first here, before-tool in the settings
stop true
before-tool write guard.sh
-- model --
write package.lock {}

text Done.
`

// TestRedCasesShowWhatHooksRead checks that the report of a failed "! tool-ran" shows the
// hook's payload, and that a matrix shows its arguments in the agent's own terms.
func TestRedCasesShowWhatHooksRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, keep := filepath.Join(dir, "blind.txtar"), filepath.Join(dir, "kept", "here")
	require.NoError(t, os.WriteFile(file, []byte(blindCase), 0o600))

	code, stdout, _ := hooksTest(t, file)
	assert.Equal(t, 1, code)
	assert.Regexp(t, `(?s)! tool-ran write\n.*\n +BeforeTool #\d+ write_file: passed\n +\S*guard.sh \(`+regexp.QuoteMeta(file)+
		`:12\)  ran: exit 0, .*stdin  \{..., "tool_name":"write_file","tool_input":\{"content":"\{\}","file_path":"package.lock"\}\}`, stdout)

	code, stdout, stderr := hooksTest(t, "--as", "claude,codex,kimi,copilot", "--keep", keep, file)
	assert.Equal(t, 1, code)
	assert.Empty(t, stderr, "progress is for terminals")
	for _, want := range []string{
		`seen: BeforeTool Write: ./guard.sh exited with 0`, "\n      it read: tool_input {\"content\":\"{}\",\"file_path\":\"$PROJECT/package.lock\"}\n",
		"\n      it read: tool_input {\"command\":\"*** Begin Patch\\n*** Add File: ", "\n2 passed, 3 failed, ", // kimi and copilot send a path
	} {
		assert.Contains(t, stdout, want)
	}
	assert.NotContains(t, stdout, "undecided")
	kept, err := os.ReadDir(keep)
	require.NoError(t, err)
	var names []string
	for _, e := range kept {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"claude", "codex", "copilot", "kimi", "minigem"}, names)
}

// TestMatrixOnGitHub checks that each failed cell is an annotation, and that the table is
// added to the summary of the job.
func TestMatrixOnGitHub(t *testing.T) {
	dir := t.TempDir()
	file, summary := filepath.Join(dir, "blind.txtar"), filepath.Join(dir, "summary")
	require.NoError(t, os.WriteFile(file, []byte(blindCase), 0o600))
	require.NoError(t, os.WriteFile(summary, []byte("before\n"), 0o600))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	t.Setenv("GITHUB_WORKSPACE", dir)
	code, stdout, _ := hooksTest(t, "--as", "claude,kimi,amp", "--format", "github", file)
	assert.Equal(t, 1, code)
	assert.Equal(t, []string{"::error file=blind.txtar,line=3,title=" + strings.TrimSuffix(file, ".txtar") + " on minigem::! tool-ran write: it ran once",
		"::error file=blind.txtar,line=3,title=" + strings.TrimSuffix(file, ".txtar") + " on claude (played)::! tool-ran write: it ran once"},
		regexp.MustCompile("(?m)^::error.*$").FindAllString(stdout, -1))
	assert.Contains(t, stdout, "\n1 passed, 2 failed, 1 undecided, ")
	data, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.Regexp(t, `^before\n\| case \| minigem `, string(data))

	t.Setenv("GITHUB_STEP_SUMMARY", "")
	_, stdout, _ = hooksTest(t, "--as", "claude", "--format", "github", file)
	assert.Contains(t, stdout, "\n| case | minigem ")
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(dir, "none", "summary"))
	code, _, stderr := hooksTest(t, "--as", "claude", "--format", "github", file)
	assert.Equal(t, 42, code)
	assert.Contains(t, stderr, "adding to the summary of the job: ")
}

// TestForeignHooksAreTestedAsProposed checks that the command that hooks list proposes
// works as printed.
func TestForeignHooksAreTestedAsProposed(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}`,
		"guard.sh":              "#!/bin/sh\necho no >&2\nexit 2\n",
		"CASE.txtar":            "prompt x\nfired before-tool guard\n! tool-ran write\n-- model --\nwrite .env A=1\n\ntext Done.\n",
	})
	printed := regexp.MustCompile(`minigem (hooks test .*) \. CASE\n`).FindStringSubmatch(w.run("hooks list").out)
	require.NotNil(t, printed)
	sys, _, _ := w.sys()
	assert.Equal(t, "hooks test --from native --as claude,copilot", printed[1])
	code, stdout, stderr := hooksTest(t, append(strings.Fields(printed[1])[2:], sys.Dir, filepath.Join(sys.Dir, "CASE.txtar"))...)
	assert.Equal(t, 0, code, stdout+stderr)
	assert.Contains(t, stdout, "\n2 passed, 0 failed, 1 undecided, ")
	code, stdout, _ = hooksTest(t, filepath.Join(sys.Dir, "CASE.txtar"))
	assert.Equal(t, 42, code)
	assert.Contains(t, stdout, "CASE.txtar:1: no settings: expected ")
}

// TestHelpOfCasesHasHooks checks that the help for writing cases lists every event and
// tool of the section of hooks.
func TestHelpOfCasesHasHooks(t *testing.T) {
	t.Parallel()
	_, stdout, _ := hooksTest(t, "--help-cases")
	_, section, _ := strings.Cut(stdout, "\nHooks for every agent are in a section -- hooks --")
	section, _, _ = strings.Cut(section, "\nA condition is ")
	for _, want := range strings.Fields("EVENT [TOOL] COMMAND session-start prompt before-model tool-choice after-model before-tool permission " +
		"after-tool tool-failed subagent-start subagent-stop stop compact compacted notification stop-failed session-end shell write edit read search") {
		assert.Contains(t, section, want)
	}
}
