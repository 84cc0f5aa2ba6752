package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
)

func TestSecretsThatGitMayPrint(t *testing.T) {
	t.Parallel()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name, secret string
		commands     [][]string
	}{
		{"nothing", "", nil},
		{"a remote", "", [][]string{{"remote", "add", "origin", "https://h.example/x"}}},
		{"a remote over ssh", "", [][]string{{"remote", "add", "origin", "ssh://git@h.example/x"}}},
		{"a token", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://t0k3n@h.example/x"}}},
		{"a password to push", "a password in the URL of a remote", [][]string{
			{"remote", "add", "origin", "https://h.example/x"},
			{"remote", "set-url", "--push", "origin", "https://u:p@h.example/x"}}},
		{"a file", "sub/.env", [][]string{{"add", "-f", "sub/.env"}}},
	} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", ".env"), []byte("K=v\n"), 0o600))
		for _, args := range append([][]string{{"init", "-q"}}, c.commands...) {
			cmd := exec.CommandContext(t.Context(), "git", args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
		}
		assert.Equal(t, c.secret, Tracked(os.Environ(), filepath.Join(dir, "sub")), c.name)
	}
}
