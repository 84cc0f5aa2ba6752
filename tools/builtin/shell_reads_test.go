//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/tools"
)

// runReading runs a line like one that the policy believes to only read.
func runReading(t *testing.T, tool tools.Tool, a args) tools.Result {
	t.Helper()
	inv, err := tool.Prepare(a)
	require.NoError(t, err)
	inv.(tools.Confinable).Confine(true, false)
	res, err := inv.Run(t.Context())
	require.NoError(t, err)
	return res
}

// TestWhatOnlyReadsCannotWrite checks that a line that was mistaken for one that only
// reads changes nothing, and that its result says why it failed.
func TestWhatOnlyReadsCannotWrite(t *testing.T) {
	t.Parallel()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	tool, dir := shellTool(t, ShellOptions{
		Env: func() []string {
			return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MY_TOKEN=hush-hush-hush", "K=hush-hush-hush"}
		},
		Unasked: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MY_TOKEN=hush-hush-hush"},
		Reading: func(_, dir string) Reading { return Reading{Hidden: []string{filepath.Join(dir, ".env")}} },
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=hush-hush-hush\n"), 0o600))
	for _, c := range []struct {
		line, shows string
		fails       bool
	}{
		{"cat notes.txt", "goodbye world", false},
		{"grep -c nothing notes.txt", "Output: 0\nExit Code: 1\n", false},
		{"echo x >new", "", true},
		{"echo x >notes.txt", "", true},
		{"echo x >~/new", "", true},
		{"rm notes.txt; exit 2", "", true},
		{"chmod 777 notes.txt", "", true},
		{"sed -i s/g/h/ notes.txt", "", true},
		{"echo x >$TMPDIR/new && cat $TMPDIR/new", "Output: x\n", false},
		{"echo ${MY_TOKEN-none}", "Output: none\n", false},
		{"echo ${K-none}", "Output: none\n", false}, // from a .env file
		{"awk 'BEGIN { if ((getline line < \".\" \"env\") < 0) exit 3; print line }'", "Exit Code: ", false},
		{"ls -a", ".env\n", false}, {"ls nope", "Exit Code: 2", false},
		{"kill -CONT $PPID", "", true},
		{"exec 3<>/dev/tcp/127.0.0.1/9", "", true},
		{": >/dev/null", "Output: (empty)\n", false},
	} {
		res := runReading(t, tool, args{"command": c.line})
		says := text(res)
		assert.Contains(t, says, c.shows, c.line)
		assert.Equal(t, c.fails, strings.HasSuffix(says, withoutPermission+"\n</untrusted_context>") &&
			strings.HasSuffix(res.Display.(string), withoutPermission), "%s: %s", c.line, says)
	}
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, left)
	notes, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
	require.NoError(t, err)
	assert.Equal(t, "goodbye world\nsecond line\n", string(notes))
	assert.NoFileExists(t, filepath.Join(dir, "new"))

	res := runReading(t, tool, args{"command": "sleep 0.01; echo x >new; exit 3", "is_background": true,
		"delay_ms": 10_000})
	assert.Contains(t, text(res), withoutPermission)
	assert.NoFileExists(t, filepath.Join(dir, "new"))
}
