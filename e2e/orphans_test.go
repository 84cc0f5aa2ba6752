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

// orphanMark is a variable in the environment of what a test starts, by which
// its descendants are found.
const orphanMark = "MINIGEM_E2E"

// assertNoOrphans waits until nothing runs that was started with mark, and what
// tests start never ends by itself. Where there is no /proc it finds nothing.
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
			continue // a zombie, or gone by now
		}
		found = append(found, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return found
}
