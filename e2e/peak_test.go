package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// peakProgram is testdata/peak, built without the race detector, with which it would take
// longer to start than most of what it measures.
var peakProgram = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "peak")
	out, err := exec.Command("go", "build", "-o", file, "./testdata/peak").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

// measured makes cmd, whose environment must be complete, run under peakProgram, which is
// only for Linux. mebibytes returns the peak of its memory once it has exited. A memory
// limit, 40 MiB unless cmd sets one, keeps out garbage that the collector of a busy
// machine has not reclaimed yet.
func measured(t *testing.T, cmd *exec.Cmd) (mebibytes func() int) {
	t.Helper()
	program, err := peakProgram()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "peak")
	cmd.Args = append([]string{program, file, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = program
	cmd.Env = append([]string{"GOMEMLIMIT=40MiB"}, cmd.Environ()...)
	return func() int {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		kibibytes, err := strconv.Atoi(string(text))
		require.NoError(t, err)
		return kibibytes >> 10
	}
}
