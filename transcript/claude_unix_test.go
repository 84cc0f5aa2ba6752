//go:build unix

package transcript

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMissingClaudeCopy checks that, whatever is in the copy's place or happens
// to the session file, nothing blocks, nothing else is written to, and the copy is
// whole.
func TestMissingClaudeCopy(t *testing.T) {
	t.Parallel()
	const one, two = `{"id":"a","type":"user","content":"one, which is longer"}` + "\n", `{"id":"b","type":"user","content":"two"}` + "\n"
	for name, c := range map[string]struct {
		odd  func(t *testing.T, from, to, other string)
		want []string
	}{
		"nothing odd": {func(*testing.T, string, string, string) {}, []string{`user "one, which is longer"`, `user "two"`}},
		"deleted":     {func(t *testing.T, _, to, _ string) { require.NoError(t, os.Remove(to)) }, []string{`user "one, which is longer"`, `user "two"`}},
		"a named pipe": {func(t *testing.T, _, to, _ string) {
			require.NoError(t, os.Remove(to))
			require.NoError(t, syscall.Mkfifo(to, 0o600))
		}, []string{`user "one, which is longer"`, `user "two"`}},
		"a link": {func(t *testing.T, _, to, other string) {
			require.NoError(t, os.Remove(to))
			require.NoError(t, os.Symlink(other, to))
		}, []string{`user "one, which is longer"`, `user "two"`}},
		"another session": {func(t *testing.T, from, _, other string) {
			require.NoError(t, os.Rename(other, from))
			require.NoError(t, os.Truncate(from, 0))
			require.NoError(t, os.WriteFile(other, []byte("mine"), 0o600))
		}, []string{`user "two"`}},
		"a shorter one": {func(t *testing.T, from, _, _ string) { require.NoError(t, os.Truncate(from, 0)) }, []string{`user "two"`}},
	} {
		for _, before := range []bool{true, false} {
			dir := t.TempDir()
			from, to, other := filepath.Join(dir, "from"), filepath.Join(dir, "to"), filepath.Join(dir, "other")
			require.NoError(t, os.WriteFile(other, []byte("mine"), 0o600))
			require.NoError(t, os.WriteFile(from, []byte(one), 0o600))
			if !before {
				require.NoError(t, os.WriteFile(to, nil, 0o600))
			}
			copied := ClaudeCopy{From: from, To: to, Session: "s"}
			if before {
				require.NoError(t, copied.Make(), name)
			}
			c.odd(t, from, to, other)
			f, err := os.OpenFile(from, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			require.NoError(t, err)
			_, err = f.WriteString(two)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.NoError(t, copied.Make(), name)
			assert.Equal(t, c.want, saidIn(t, to), name)
			data, err := os.ReadFile(other)
			require.NoError(t, err)
			assert.Equal(t, "mine", string(data), name)
		}
	}
}

// TestClaudeCopyAfterAFailedWrite: what could not be written is in the next copy.
func TestClaudeCopyAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write to any file")
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	lines := `{"id":"a","type":"user","content":"one"}` + "\n"
	require.NoError(t, os.WriteFile(from, []byte(lines), 0o600))
	c := ClaudeCopy{From: from, To: to, Session: "s"}
	require.NoError(t, c.Make())
	require.NoError(t, os.Chmod(dir, 0o500))
	lines += `{"id":"b","type":"user","content":"two"}` + "\n"
	require.NoError(t, os.WriteFile(from, []byte(lines), 0o600))
	require.Error(t, c.Make())
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, c.Make())
	assert.Equal(t, []string{`user "one"`, `user "two"`}, saidIn(t, to))
}
