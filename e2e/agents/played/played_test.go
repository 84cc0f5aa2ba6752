package played

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

func setup(t testing.TB) testbed.Setup {
	t.Helper()
	return testbed.Setup{Workspace: t.TempDir(), Home: t.TempDir(), Mode: "yolo", Notice: func(string) {}}
}

// FuzzFind: whatever the files of an agent contain, its hooks are found or the reason is
// reported, without a panic.
func FuzzFind(f *testing.F) {
	f.Add([]byte(`{"hooks": {"PreToolUse": [{"matcher": 3, "hooks": [{"type": "command", "command": "x", "timeout": "5"}, 1, null]}, null, "x"], "Nonsense": {}}}`), []byte("[[hooks]]\nevent = 'Stop'\ncommand = 'x'\ntimeout = '1'\n"))
	f.Add([]byte(`{"version": 1, "hooks": {"preToolUse": [{"bash": "x", "env": {"A": 1}, "async": true}]}} // c`), []byte("hooks = 1"))
	f.Fuzz(func(t *testing.T, object, table []byte) {
		all, err := Find([]string{"all"})
		require.NoError(t, err)
		for _, a := range all {
			s := setup(t)
			for name, data := range map[string][]byte{
				".claude/settings.json": object, ".codex/hooks.json": object, ".github/hooks/h.json": object, ".qwen/settings.json": object, ".gemini/settings.json": object,
				"home/.kimi-code/config.toml": table, ".clinerules/hooks/PreToolUse": object,
			} {
				p := &scene{setup: s}
				path := p.place(name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, data, 0o600))
			}
			p, err := New(a, s)
			if err != nil {
				require.ErrorAs(t, err, new(*testbed.CannotError))
				continue
			}
			for _, h := range p.Hooks() {
				if h.Event == "" || h.Dialect == "" {
					t.Errorf("%s: a hook of no event: %+v", a.ID, h)
				}
			}
		}
	})
}
