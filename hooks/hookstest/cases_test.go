package hookstest_test

import (
	"os"
	"os/exec"
	"testing"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/hookstest"
)

// TestCasesWithProcesses runs the contract with the shell, as users do.
func TestCasesWithProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of processes, and time-outs that are waited for")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the cases are written for bash")
	}
	start := func(t *testing.T, _ map[string]hookstest.Script) hooks.Runner {
		return command.Runner{Dir: t.TempDir(), Env: os.Environ()}
	}
	for _, c := range hookstest.Cases() {
		t.Run(string(c.Event)+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.Check(t, start)
		})
	}
}
