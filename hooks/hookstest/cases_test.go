package hookstest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/hookstest"
)

// TestCasesWithProcesses runs the contract with the shell, as users do.
func TestCasesWithProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of processes, and timeouts that are waited for")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the cases are written for bash")
	}
	processes := func(t *testing.T, _ map[string]hookstest.Script) hooks.Runner {
		return ready{command.Runner{Dir: t.TempDir(), Env: os.Environ()}}
	}
	for _, c := range contract() {
		t.Run(string(c.Event)+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.check(t, processes)
		})
	}
}

// ready runs hooks as processes. The timeout of a hook that hangs begins only after it
// has done everything else, however slow the machine is.
type ready struct{ command.Runner }

func (r ready) Run(ctx context.Context, h hooks.Hook, payload hooks.Payload, env []string) hooks.Exit {
	const hang = "sleep 3600"
	if !strings.Contains(h.Command, hang) {
		return r.Runner.Run(ctx, h, payload, env)
	}
	file, err := os.CreateTemp(r.Dir, "ready")
	if err != nil {
		return hooks.Exit{Err: err}
	}
	defer file.Close()
	h.Command = strings.Replace(h.Command, hang, "echo >'"+file.Name()+"'; "+hang, 1)
	late := later{ctx, make(chan struct{})}
	go func() {
		<-ctx.Done()
		for info, err := file.Stat(); err == nil && info.Size() == 0; info, err = file.Stat() {
			time.Sleep(5 * time.Millisecond)
		}
		close(late.done)
	}()
	return r.Runner.Run(late, h, payload, env)
}

// later is a context that is done after another one.
type later struct {
	context.Context
	done chan struct{}
}

func (l later) Done() <-chan struct{} { return l.done }

func (l later) Err() error {
	select {
	case <-l.done:
		return l.Context.Err()
	default:
		return nil
	}
}
