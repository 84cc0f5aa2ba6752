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

// commit is the command that commits what was added.
var commit = []string{"-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m", "--allow-empty"}

func TestSecretsThatGitMayPrint(t *testing.T) {
	t.Parallel()
	if err := confine.Supported(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name, secret string
		commands     [][]string
		earlier      bool
	}{
		{"nothing", "", nil, true},
		{"a remote", "", [][]string{{"remote", "add", "origin", "https://h.example/x"}}, false},
		{"a remote over ssh", "", [][]string{{"remote", "add", "origin", "ssh://git@h.example/x"}}, true},
		{"a token", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://t0k3n@h.example/x"}}, false},
		{"a password to push", "a password in the URL of a remote", [][]string{
			{"remote", "add", "origin", "https://h.example/x"},
			{"remote", "set-url", "--push", "origin", "https://u:p@h.example/x"}}, false},
		{"a password of a shortened URL", "a password in the URL of a remote", [][]string{
			{"remote", "add", "origin", "gh:x"}, {"config", "url.https://u:p@h.example/.insteadOf", "gh:"}}, false},
		{"a password with a slash", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://u:p/w@h.example/x"}}, false},
		{"ftp", "a password in the URL of a remote", [][]string{{"remote", "add", "origin", "ftp://u:p@h.example/x"}}, false},
		{"capitals", "a password in the URL of a remote", [][]string{{"remote", "add", "origin", "HTTPS://u@h.example/x"}}, false},
		{"a token in the query", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://h.example/x?private_token=p"}}, false},
		{"a file", "sub/.env", [][]string{{"add", "-f", "sub/.env"}}, false},
		{"a file that is about to go", "sub/.env", [][]string{{"add", "-f", "sub/.env"}, commit, {"rm", "-q", "--cached", "sub/.env"}}, false},
		{"a file that went", "", [][]string{{"add", "-f", "sub/.env"}, commit, {"rm", "-q", "--cached", "sub/.env"}, commit}, false},
		{"a file that went, in its history", "sub/.env, which was tracked once",
			[][]string{{"add", "-f", "sub/.env"}, commit, {"rm", "-q", "--cached", "sub/.env"}, commit}, true},
		{"on another branch", "sub/.env, which was tracked once", [][]string{commit, {"checkout", "-qb", "b"},
			{"add", "-f", "sub/.env"}, commit, {"checkout", "-q", "-"}}, true},
		{"after a reset", "sub/.env, which was tracked once", [][]string{commit, {"add", "-f", "sub/.env"}, commit,
			{"reset", "-q", "--hard", "HEAD~1"}}, true},
		{"stashed", "sub/.env, which was tracked once", [][]string{commit, {"add", "-f", "sub/.env"},
			{"-c", "user.name=n", "-c", "user.email=e", "stash", "-q"}}, true},
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
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755)) // which git removed
		assert.Equal(t, c.secret, Tracked(os.Environ)(filepath.Join(dir, "sub"), c.earlier), c.name)
	}
}
