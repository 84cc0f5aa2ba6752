package extensions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/stage"
)

// An update asks about every changed file, because any file may contain a program.
// Without consent nothing changes.
func TestUpdateAsksAboutEveryFile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"run.sh", ".github/run.sh", "README.sh", "LICENSE", ".gitignore", "a/.env", "node_modules/x/y.js"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			hooks := `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "sh ${extensionPath}/` + file + `"}]}]}}`
			source := write(t, t.TempDir(), map[string]string{manifestFile: `{"name": "x", "version": "1"}`, "hooks/hooks.json": hooks, file: "true"})
			u := &someone{yes: true}
			m := newManager(t, u)
			_, err := m.Install(t.Context(), source, Options{})
			require.NoError(t, err)
			write(t, source, map[string]string{manifestFile: `{"name": "x", "version": "2"}`, file: "evil"})
			u.yes = false
			_, err = m.Update(t.Context(), "x", Options{})
			require.ErrorIs(t, err, ErrRefused)
			assert.Contains(t, u.said.String(), "changed: "+file)
			data, err := os.ReadFile(filepath.Join(m.Dir, "x", filepath.FromSlash(file)))
			require.NoError(t, err)
			assert.Equal(t, "true", string(data))
		})
	}
}

// An update cannot take another extension's name, and loses neither extension.
func TestUpdateKeepsItsName(t *testing.T) {
	t.Parallel()
	m := newManager(t, &someone{yes: true})
	var sources []string
	for _, name := range []string{"x", "y"} {
		sources = append(sources, write(t, t.TempDir(), map[string]string{manifestFile: `{"name": "` + name + `", "version": "1"}`, "GEMINI.md": name}))
		_, err := m.Install(t.Context(), sources[len(sources)-1], Options{})
		require.NoError(t, err)
	}
	for _, name := range []string{"y", "Y", "z"} {
		write(t, sources[0], map[string]string{manifestFile: `{"name": "` + name + `", "version": "2"}`})
		_, err := m.Update(t.Context(), "x", Options{Consent: true})
		require.ErrorContains(t, err, "the extension x is called "+name+" now")
	}
	assert.Equal(t, []string{enablementFile, "x", "y"}, left(t, m))
	for _, name := range []string{"x", "y"} {
		data, err := os.ReadFile(filepath.Join(m.Dir, name, "GEMINI.md"))
		require.NoError(t, err)
		assert.Equal(t, name, string(data))
	}
}

// Whatever is in the way of a new extension stays.
func TestPutRemovesNothingOfOthers(t *testing.T) {
	t.Parallel()
	m := newManager(t, &someone{yes: true})
	other := write(t, filepath.Join(m.Dir, "x"), map[string]string{"theirs": "kept"})
	change, err := stage.Begin(m.Dir)
	require.NoError(t, err)
	write(t, change.Made(), map[string]string{manifestFile: `{"name": "x", "version": "1"}`})
	next, err := Open(change.Made())
	require.NoError(t, err)
	_, err = m.put(next, nil, change, nil)
	require.Error(t, err)
	change.End()
	assert.FileExists(t, filepath.Join(other, "theirs"))
}

// Hooks in the front matter of skills and agents are shown before the user agrees, and
// so is a server's exact command.
func TestConsentShowsWhatRuns(t *testing.T) {
	t.Parallel()
	const head = "---\nname: s\ndescription: d\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: sh evil-%s.sh\n---\nDo it.\n"
	source := write(t, t.TempDir(), map[string]string{
		manifestFile:           `{"name": "x", "version": "1", "mcpServers": {"m": {"command": "sh", "args": ["-c", "safe \u202e evil-server"]}}}`,
		"skills/s/SKILL.md":    strings.ReplaceAll(head, "%s", "skill"),
		"agents/s.md":          strings.ReplaceAll(head, "%s", "agent"),
		"hooks/hooks.json":     `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "sh evil-hook.sh"}]}]}}`,
		"commands/deploy.toml": `prompt = "!{sh evil-command.sh}"`,
	})
	u := &someone{}
	m := newManager(t, u)
	_, err := m.Install(t.Context(), source, Options{})
	require.ErrorIs(t, err, ErrRefused)
	for _, want := range []string{"sh evil-skill.sh", "sh evil-agent.sh", "sh evil-hook.sh", "safe <U+202E> evil-server", "runs shell commands", "of the skill s", "of the agent s"} {
		assert.Contains(t, u.said.String(), want)
	}
}
