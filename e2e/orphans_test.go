package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"minigem/internal/waittest"
)

// orphanMark is an environment variable that marks the processes that a test starts, and
// their descendants.
const orphanMark = "MINIGEM_E2E"

// assertNoOrphans waits until no process with mark runs. What tests start never exits by
// itself. Without /proc it finds nothing.
func assertNoOrphans(t testing.TB, mark string) {
	t.Helper()
	waittest.Until(t, func() bool { return len(marked(mark)) == 0 }, "the end of %q", marked(mark))
}

func marked(mark string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || pid == os.Getpid() || !bytes.Contains(env, []byte(orphanMark+"="+mark+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(line) == 0 {
			continue // a zombie, or already gone
		}
		found = append(found, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return found
}
