package proc_test

import (
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/internal/proc"
)

// TestGitGivesUp checks that git ends if a server accepts a connection and never
// answers.
func TestGitGivesUp(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	_, err = proc.Git(t.Context(), proc.Command{
		Dir: t.TempDir(), Env: append(os.Environ(), "GIT_HTTP_LOW_SPEED_TIME=1"),
	}, "ls-remote", "http://"+silent.Addr().String()+"/x.git")
	require.ErrorContains(t, err, "too slow")
}
