package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/proc"
)

// TestAsAnOrdinaryUser checks that this package's tests pass for an ordinary user, too:
// root may do more, and its ids are mapped differently.
func TestAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("this is one")
	}
	if _, err := proc.Look("setpriv"); err != nil {
		t.Skip(err)
	}
	const nobody = 65534
	top, err := os.MkdirTemp("", "minigem-ordinary-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(top)) })
	require.NoError(t, os.Chmod(top, 0o755))
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	copied, home := filepath.Join(top, "test"), filepath.Join(top, "home")
	require.NoError(t, os.WriteFile(copied, program, 0o755))
	require.NoError(t, os.Mkdir(home, 0o755))
	require.NoError(t, os.Chown(home, nobody, nobody))

	r, err := proc.Run(t.Context(), proc.Command{
		Path: "setpriv", Args: []string{"--reuid=65534", "--regid=65534", "--clear-groups", copied, "-test.v", "-test.run=^(TestWaysOfWriting|TestLandlockAlone|TestNetwork|TestUnreadableStaysKept|TestTerminals|TestSharedMemory|TestWhatCannotBeConfinedDoesNotRun)$"},
		Dir: home, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}, Merge: true, Out: proc.Limit{Head: 100_000, Tail: 100_000},
	})
	require.NoError(t, err)
	out := string(r.Stdout.Bytes())
	require.Zero(t, r.ExitCode, out)
	open(t, Options{}) // what skips here may also skip there
	assert.Contains(t, out, "--- PASS: TestWaysOfWriting/redirect ")
	assert.Contains(t, out, "--- PASS: TestNetwork")
}
