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

// show is a command that may print what was tracked once.
const show = "git show HEAD"

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
		words        string // of the command, "" if it prints only what is tracked
	}{
		{"nothing", "", nil, show},
		{"a remote", "", [][]string{{"remote", "add", "origin", "https://h.example/x"}}, ""},
		{"a remote over ssh", "", [][]string{{"remote", "add", "origin", "ssh://git@h.example/x"}}, show},
		{"a token", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://t0k3n@h.example/x"}}, ""},
		{"a password to push", "a password in the URL of a remote", [][]string{
			{"remote", "add", "origin", "https://h.example/x"},
			{"remote", "set-url", "--push", "origin", "https://u:p@h.example/x"}}, ""},
		{"a password of a shortened URL", "a password in the URL of a remote", [][]string{
			{"remote", "add", "origin", "gh:x"}, {"config", "url.https://u:p@h.example/.insteadOf", "gh:"}}, ""},
		{"a password with a slash", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://u:p/w@h.example/x"}}, ""},
		{"ftp", "a password in the URL of a remote", [][]string{{"remote", "add", "origin", "ftp://u:p@h.example/x"}}, ""},
		{"capitals", "a password in the URL of a remote", [][]string{{"remote", "add", "origin", "HTTPS://u@h.example/x"}}, ""},
		{"a token in the query", "a password in the URL of a remote",
			[][]string{{"remote", "add", "origin", "https://h.example/x?private_token=p"}}, ""},
		{"a file", "sub/.env", [][]string{{"add", "-f", "sub/.env"}}, ""},
		{"a file that is about to go", "sub/.env", [][]string{{"add", "-f", "sub/.env"}, commit, {"rm", "-q", "--cached", "sub/.env"}}, ""},
		{"a file that went", "", [][]string{{"add", "-f", "sub/.env"}, commit, {"rm", "-q", "--cached", "sub/.env"}, commit}, ""},
		{"a file that went, in its history", "sub/.env, which was tracked once",
			[][]string{{"add", "-f", "sub/.env"}, commit, {"rm", "-q", "--cached", "sub/.env"}, commit}, show},
		{"on another branch", "sub/.env, which was tracked once", [][]string{commit, {"checkout", "-qb", "b"},
			{"add", "-f", "sub/.env"}, commit, {"checkout", "-q", "-"}}, show},
		{"after a reset", "sub/.env, which was tracked once", [][]string{commit, {"add", "-f", "sub/.env"}, commit,
			{"reset", "-q", "--hard", "HEAD~1"}}, show},
		{"taken back before a commit", "the object 51dfa66e3b860e77b9699f75f49ea380f62ced73, to which no branch leads", [][]string{commit, {"add", "-f", "sub/.env"},
			{"reset", "-q"}}, "git show 51dfa66e3b860e77b9699f75f49ea380f62ced73"},
		{"taken back, by a short name", "the object 51dfa66e, to which no branch leads", [][]string{commit, {"add", "-f", "sub/.env"},
			{"reset", "-q"}}, "git diff 51dfa66e HEAD"},
		{"a word that names no object", "", [][]string{commit}, "git show cafe HEAD"},
		{"stashed", "sub/.env, which was tracked once", [][]string{commit, {"add", "-f", "sub/.env"},
			{"-c", "user.name=n", "-c", "user.email=e", "stash", "-q"}}, show},
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
		var words []string
		if c.words != "" {
			words = []string{c.words}
		}
		assert.Equal(t, c.secret, Tracked(os.Environ)(filepath.Join(dir, "sub"), words), c.name)
	}
}
