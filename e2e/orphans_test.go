package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// orphanMark is a variable in the environment of what a test starts, by which
// its descendants are found.
const orphanMark = "MINIGEM_E2E"

// orphans are the processes that were started with mark and still run, a
// moment after they should be gone. Where there is no /proc it finds none.
func orphans(mark string) []string {
	var left []string
	for range 50 {
		if left = marked(mark); len(left) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
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
