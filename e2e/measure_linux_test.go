package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// measurePeak runs the program of the command line and writes the peak of its
// memory, in KiB, to file. A child of this small process is measured rightly:
// one of the tests' own process would inherit the peak of that.
func measurePeak(file string) int {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Env = append(os.Environ(), measureEnv+"=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run() // the exit code says how it ended
	if cmd.ProcessState == nil {
		return 1
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(file, []byte(strconv.FormatInt(peak, 10)), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}
