package chat

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
)

// TestBranch: what is no branch, or a file that is not simply there, is no name.
func TestBranch(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"ref: refs/heads/main\n": "main", "ref: refs/heads/a/b\n": "a/b", "0123456789abcdef\n": "", "": "", "ref: refs/tags/v1\n": "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(head), 0o600))
		assert.Equal(t, want, branch(dir), head)
	}
	assert.Empty(t, branch(t.TempDir()))
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", "HEAD"), 0o700))
	assert.Empty(t, branch(dir), "a folder")
}

// TestHookTrouble: failures and slow events are counted from one prompt to the
// next, those of skipped hooks and of late reports not.
func TestHookTrouble(t *testing.T) {
	t.Parallel()
	var h hookTrouble
	assert.Empty(t, h.String())
	h.note(hooks.Report{Runs: []hooks.Run{{Failed: "no"}, {}, {Skipped: "it does not match", Failed: "no"}}})
	assert.Equal(t, "1 hook failed", h.String())
	h.note(hooks.Report{Duration: slowHook + time.Nanosecond, Runs: []hooks.Run{{Failed: "no"}}})
	h.note(hooks.Report{Duration: time.Hour, Late: true})
	assert.Equal(t, "2 hooks failed, 1 slow hook", h.String())
	h.clear()
	assert.Empty(t, h.String())
}
