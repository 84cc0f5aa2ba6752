package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/config"
)

// FuzzMigrate checks that Claude Code's settings become settings that load without
// problems of their own, that remarks name lines of the file, and that a second
// migration changes nothing.
func FuzzMigrate(f *testing.F) {
	for _, text := range []string{
		`{"hooks":{"PreToolUse":[{"matcher":"Bash|Edit","hooks":[{"type":"command","command":"x","timeout":5,"async":true}]}],"Stop":[{"hooks":[{"type":"command","command":"a","args":["b c","\u0000"]}]}]}}`,
		`{"disableAllHooks":true,"hooks":{"PreCompact":[{"hooks":[{"type":"prompt"},{"type":"command","command":" ","shell":"pwsh"}]}],"X":[]}}`, `{"hooks":[]}`, `{"hooks":{"Stop":[5,{"hooks":{}}]}}`, `//c` + "\n{}", `[`, ``,
		`{"hooks":{"PostToolUse":[{"matcher":"mcp__a__.*","hooks":[{"type":"command","command":"y","timeout":1e300}]}]}}`,
	} {
		f.Add([]byte(text), []byte(`{}`))
		f.Add([]byte(text), []byte(`{"hooks":{"BeforeTool":[{"hooks":[]}]}, /* c */ }`))
	}
	f.Fuzz(func(t *testing.T, theirs, ours []byte) {
		target, source := claude.File{Name: "/ours.json", Data: ours}, claude.File{Name: "/theirs.json", Data: theirs}
		r, err := claude.Migrate(target, source)
		if err != nil {
			require.True(t, strings.Contains(err.Error(), "/ours.json") || strings.Contains(err.Error(), "/theirs.json"), "%v", err)
			return
		}
		last := strings.Count(string(theirs), "\n") + 1
		for _, remark := range r.Remarks {
			require.Equal(t, "/theirs.json", remark.File)
			require.Positive(t, remark.Line, "%v", remark)
			require.LessOrEqual(t, remark.Line, last, "%v", remark)
		}
		if r.Added == 0 {
			require.Equal(t, ours, r.Settings)
			return
		}
		before, err := config.LoadSettings(hooks.LayerProject, "/ours.json", ours)
		require.NoError(t, err)
		after, err := config.LoadSettings(hooks.LayerProject, "/ours.json", r.Settings)
		require.NoError(t, err, "%s", r.Settings)
		require.Len(t, after.Hooks, len(before.Hooks)+r.Added, "%s", r.Settings)
		again, err := claude.Migrate(claude.File{Name: "/ours.json", Data: r.Settings}, source)
		require.NoError(t, err)
		require.Zero(t, again.Added, "%s", again.Diff)
	})
}

// FuzzPlugin checks that a manifest cannot name files outside its plugin.
func FuzzPlugin(f *testing.F) {
	for _, text := range []string{`{}`, `{"hooks": "./more.json"}`, `{"hooks": ["../out.json", "/etc/passwd"]}`, `{"hooks": {"Stop": []}}`, `{"hooks": {"hooks": {}}}`, `[`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, manifest []byte) {
		top := t.TempDir()
		dir := filepath.Join(top, "plugin")
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude-plugin"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".claude-plugin", "plugin.json"), manifest, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(top, "out.json"), []byte(`{"hooks": {}}`), 0o644))
		files, err := claude.Plugin(dir, dir)
		if err != nil {
			return
		}
		for _, file := range files {
			require.Equal(t, ".claude-plugin/plugin.json", file.Name, "nothing else is there")
			_, err := claude.Migrate(claude.File{Name: "s"}, file)
			require.NoError(t, err)
		}
	})
}
