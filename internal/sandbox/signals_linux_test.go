package sandbox

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/proc"
)

// TestSignals checks that a command can kill what it started, and nothing outside.
func TestSignals(t *testing.T) {
	t.Parallel()
	if confine.ABI() < confine.ABIOfScopes {
		t.Skip("the kernel's Landlock does not restrict signals")
	}
	dir := t.TempDir()
	victim, err := proc.Start(proc.Command{Line: "while :; do sleep 1; done", Dir: dir})
	require.NoError(t, err)
	t.Cleanup(victim.Stop)
	pid := "PID=" + strconv.Itoa(victim.PID())
	for _, partial := range []bool{false, true} {
		s := open(t, Options{Writable: []string{dir}, Network: true})
		s.partial = s.partial || partial
		require.Empty(t, s.Signals())
		for _, line := range []string{`kill -0 "$PID"`, `kill -9 "$PID"`, `kill -9 -"$PID"`, `kill -9 $PPID`} {
			_, code := run(t, s, false, dir, line, pid)
			assert.NotZero(t, code, "%s, partial %t", line, partial)
		}
		out, code := run(t, s, false, dir, `sleep 60 & kill -9 $!; wait $!; [ $? = 137 ]`)
		assert.Zero(t, code, out)
	}
	_, code := run(t, nil, false, dir, `kill -0 "$PID"`, pid)
	assert.Zero(t, code, "it lives, and nothing else keeps it from being signalled")
}
