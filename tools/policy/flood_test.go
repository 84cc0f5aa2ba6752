//go:build unix

package policy

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/confine"
)

// mostTasks is how many processes the lines of a test may be at once, so that a line
// which multiplies does not exhaust the machine.
const mostTasks = 1000

// group is the list of a control group of mostTasks tasks, to which root may add itself.
// It is nil where control groups cannot be written.
var group = sync.OnceValue(func() *os.File {
	const dir = "/sys/fs/cgroup/pids/minigem-fuzzing"
	_ = os.Mkdir(dir, 0o755)
	if os.WriteFile(dir+"/pids.max", []byte(strconv.Itoa(mostTasks)), 0) != nil {
		return nil
	}
	list, _ := os.OpenFile(dir+"/tasks", os.O_WRONLY, 0)
	return list
})

// tasks is the limit for an ordinary user, whom no control group holds: mostTasks more
// than the machine has now. It is empty where that is not known.
func tasks() string {
	load, _ := os.ReadFile("/proc/loadavg") // 0.71 1.57 13.35 1/139 25641
	_, after, _ := strings.Cut(string(load), "/")
	now, _, _ := strings.Cut(after, " ")
	n, err := strconv.Atoi(now)
	if err != nil {
		return ""
	}
	return strconv.Itoa(n + mostTasks)
}

// limited starts c in the control group. The calling thread stays in it, so it must end.
func limited(c *exec.Cmd) func() error {
	list := group()
	return func() error {
		if list != nil {
			if _, err := list.WriteString("0"); err != nil {
				return err
			}
		}
		return c.Start()
	}
}

// onItsOwnThread calls do on a thread that ends afterwards.
func onItsOwnThread(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- do()
	}()
	return <-done
}

// TestFloodsOfLinesAreLimited checks that lines of tests, confined or not, run with a limit
// on how many processes they may be.
func TestFloodsOfLinesAreLimited(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	held := `[ "$(ulimit -u)" -lt $((` + tasks() + ` + 500)) ]`
	if os.Getuid() == 0 {
		if held = "grep -q minigem-fuzzing /proc/self/cgroup"; group() == nil {
			t.Skip("no control group holds root here")
		}
	}
	for _, s.rules = range []*confine.Rules{nil, {}} {
		log, _ := s.ran(t, held+" && echo "+secret)
		assert.Contains(t, log, "printed", held)
	}
}
