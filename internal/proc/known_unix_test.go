//go:build unix

package proc

import (
	"os/exec"
	"testing"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An exit that does not wait ends the known groups without the guard's help, and
// nothing can be started after it.
func TestKillAllNeedsNoGuard(t *testing.T) {
	t.Parallel()
	g := groups{known: map[int]*group{}, guarded: true} // and there is no guard
	cmd := exec.Command("bash", "-c", "trap '' TERM; sleep 3600 & wait")
	cmd.SysProcAttr = ownGroup()
	begin := func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	}
	require.NoError(t, g.start(Command{}, begin))
	t.Cleanup(func() { kill(cmd.Process.Pid, nil) })
	g.killAll(true)
	waittest.Until(t, func() bool { return !alive(cmd.Process.Pid, nil) })
	assert.ErrorContains(t, cmd.Wait(), "killed")
	assert.ErrorIs(t, g.start(Command{}, begin), errEnding)
}
