package cases

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents"
	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
)

// generated is a case whose hooks come from elsewhere.
const generated = `prompt Make f.txt.
fired before-tool *
! exists f.txt
-- hooks --
before-tool * its-own.sh
-- its-own.sh --
-- model --
shell echo made > f.txt

text Done.
`

// generator imitates rulesync: it copies a matcher unchanged into each agent's format,
// and prints a warning.
const generator = `#!/bin/sh
for target in "$@"; do :; done
echo "left something out for $target" >&2
case $target in
claudecode) mkdir .claude; echo '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"sh guard.sh"}]}]}}' > .claude/settings.json ;;
copilotcli) mkdir -p .github/hooks; echo '{"version":1,"hooks":{"preToolUse":[{"type":"command","matcher":"Bash","command":"sh guard.sh"}]}}' > .github/hooks/x.json ;;
--global) mkdir "$HOME/.kimi-code"; printf '[[hooks]]\nevent = "PreToolUse"\nmatcher = "Bash"\ncommand = "sh guard.sh"\n' > "$HOME/.kimi-code/config.toml" ;;
*) exit 3 ;;
esac
`

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
}

// from runs the case on played agents, with hooks from a folder.
func from(t *testing.T, f agents.From, bin string, names ...string) (m *agents.Matrix, text, log string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "guard.txtar")
	require.NoError(t, os.WriteFile(file, []byte(generated), 0o644))
	as, err := played.Find(names)
	require.NoError(t, err)
	var told, out bytes.Buffer
	o := testbed.Options{Driver: Open}
	tester := agents.Tester{Search: agents.Search{From: []string{bin}, Path: os.Getenv("PATH")}, Log: &told}
	m, err = tester.Run(t.Context(), agents.Order{Files: []string{file}, Options: o, More: played.Columns(as, o, As), From: f})
	if m != nil {
		require.NoError(t, m.Write(&out, "text"))
	}
	return m, out.String(), told.String(), err
}

func states(m *agents.Matrix) map[string]agents.State {
	all := map[string]agents.State{}
	for name, cell := range m.Cells[m.Cases[0]] {
		all[name] = cell.State
	}
	return all
}

// TestFromRulesync checks that each agent gets the files generated for it, unchanged,
// and none of the case's own hooks. A guard that never fires fails the case, with the
// reason.
func TestFromRulesync(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	writeFiles(t, dir, map[string]string{".rulesync/hooks.json": "{}", "guard.sh": "echo no >&2; exit 2\n", ".git/config": ""})
	writeFiles(t, bin, map[string]string{"node_modules/.bin/rulesync": generator})
	m, text, log, err := from(t, agents.From{Kind: "rulesync", Dir: dir}, bin, "claude", "copilot", "kimi", "gemini")
	require.NoError(t, err)
	assert.Equal(t, map[string]agents.State{
		"minigem": agents.Cannot, "claude (played)": agents.Pass, "copilot (played)": agents.Fail, "kimi (played)": agents.Pass, "gemini (played)": agents.Cannot,
	}, states(m), text)
	assert.Contains(t, text, `the matcher "Bash" fires for none of its tools, which are called bash`)
	assert.Contains(t, text, "rulesync writes no hooks for gemini")
	assert.Contains(t, log, "rulesync for claude: left something out for claudecode")

	_, _, _, err = from(t, agents.From{Kind: "rulesync", Dir: dir}, bin, "codex")
	assert.ErrorContains(t, err, "running rulesync for codex: it exited with 3 and said left something out for codexcli")
	_, _, _, err = from(t, agents.From{Kind: "rulesync", Dir: bin}, bin, "claude")
	assert.ErrorContains(t, err, "has no folder .rulesync")
	_, _, _, err = from(t, agents.From{Kind: "rulesync", Dir: dir}, t.TempDir(), "claude")
	if err != nil { // unless one is in PATH
		assert.ErrorContains(t, err, "rulesync is not here")
	}
}

// TestFromNative tests a project's own files. For Copilot CLI these include Claude
// Code's.
func TestFromNative(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		".claude/settings.json": `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"sh guard.sh"}]}]}}`, "guard.sh": "echo no >&2; exit 2\n",
	})
	m, text, _, err := from(t, agents.From{Kind: "native", Dir: dir}, "", "claude", "copilot", "codex")
	require.NoError(t, err)
	assert.Equal(t, map[string]agents.State{
		"minigem": agents.Cannot, "claude (played)": agents.Pass, "copilot (played)": agents.Pass, "codex (played)": agents.Cannot,
	}, states(m), text)

	writeFiles(t, dir, map[string]string{".gemini/settings.json": `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"sh guard.sh"}]}]}}`})
	m, text, _, err = from(t, agents.From{Kind: "native", Dir: dir}, "", "gemini")
	require.NoError(t, err)
	assert.Equal(t, map[string]agents.State{"minigem": agents.Pass, "gemini (played)": agents.Pass}, states(m), text)

	_, _, _, err = from(t, agents.From{Kind: "guess", Dir: dir}, "", "claude")
	assert.ErrorContains(t, err, "--from is")
	_, _, _, err = from(t, agents.From{Kind: "native", Dir: filepath.Join(dir, "guard.sh")}, "", "claude")
	assert.ErrorContains(t, err, "is not a folder")
}
