package agents

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peakBelow calls run and returns the peak memory of all processes below this one
// together, in bytes. Each shared page is divided among the processes that share it.
// Daemons that left their parents count too. It returns 0 if /proc does not have the
// numbers.
func peakBelow(run func()) (peak int64) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		seen := map[int]bool{}
		for {
			peak = max(peak, memoryBelow(os.Getpid(), seen))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	run()
	close(stop)
	<-done
	return peak
}

// memoryBelow returns the memory that the descendants of a process use now. It counts
// those that it finds, which it adds to seen, and those in seen that still run.
func memoryBelow(top int, seen map[int]bool) (sum int64) {
	parents := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		data, err := os.ReadFile(file)
		_, rest, found := strings.Cut(string(data), ") ") // after the name, which may contain anything but this
		fields := strings.Fields(rest)
		if err != nil || !found || len(fields) < 2 {
			continue // it has exited
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	for pid := range parents {
		above := parents[pid]
		for above > 1 && above != top {
			above = parents[above]
		}
		if above == top || seen[pid] {
			seen[pid] = true
			sum += proportional(pid)
		}
	}
	return sum
}

// proportional returns the proportional set size of a process, in bytes.
func proportional(pid int) int64 {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// TestMemoryBelow: the memory of a grandchild counts, even after it is orphaned.
func TestMemoryBelow(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		t.Skip("no /proc that tells the memory of processes")
	}
	const size = 32 << 20
	child := exec.Command("bash", "-c", `exec 3<&0; bash -c 'x=$(head -c `+strconv.Itoa(size)+` /dev/zero | tr "\0" x); echo ready; read line' <&3 & wait`)
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "ready\n", line)
	seen := map[int]bool{}
	assert.GreaterOrEqual(t, memoryBelow(os.Getpid(), seen), int64(size))
	require.NoError(t, child.Process.Kill())
	_, err = child.Process.Wait() // the orphan keeps the pipes open
	require.NoError(t, err)
	assert.GreaterOrEqual(t, memoryBelow(os.Getpid(), seen), int64(size))
	require.NoError(t, in.Close())
}
