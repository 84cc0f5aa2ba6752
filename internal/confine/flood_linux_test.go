//go:build amd64 || arm64 || riscv64

package confine_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/waittest"
)

// TestFloodsAreLimited checks that a domain cannot start processes without end: by a control
// group for root, and by the limit that an ordinary user's processes inherit.
func TestFloodsAreLimited(t *testing.T) {
	t.Parallel()
	const most, tried = 200, 700
	d, err := confine.Open(confine.Rules{Tasks: most})
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	run := func(script string) []string {
		var out strings.Builder
		c := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
		c.Stdout = &out
		require.NoError(t, d.Start(nil, c.Start))
		_ = c.Wait() // what cannot fork ends with an error
		return strings.Fields(out.String())
	}
	const group = "/sys/fs/cgroup/pids/minigem-200/"
	waittest.Until(t, func() bool {
		now, err := os.ReadFile(group + "pids.current")
		return err != nil || len(now) < 4 // two digits and the end of the line
	}, "what an earlier run left is gone")
	limit, err := strconv.Atoi(run(`awk '/^Max processes/ { print $3 }' /proc/self/limits`)[0])
	require.NoError(t, err)
	assert.Less(t, limit, 1<<16+most, "what is started inherits the limit")
	if _, err := os.Stat(group + "tasks"); err != nil || os.Getuid() != 0 {
		t.Skip("no control group holds root here")
	}
	started := run("i=0; while [ $i -lt " + strconv.Itoa(tried) + " ]; do sleep 60 >/dev/null 2>&1 & i=$((i+1)); echo $i; done")
	assert.Less(t, len(started), most, "no more than the limit were started")
	assert.NotEmpty(t, started)
}
