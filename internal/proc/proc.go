// Package proc runs other programs so that nothing of them is left behind: in a
// process group of their own, with bounded output, stopped as a group. It is
// the only package of minigem that imports os/exec. What a command may do, what
// its output means and which environment it gets is up to the callers.
package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"minigem/internal/confine"
)

// ErrIdle means that a command was stopped because it printed nothing for Command.Idle.
var ErrIdle = errors.New("no output for too long")

// Command says what to run. It is a value: the same Command may be run many times.
type Command struct {
	// Line is run by the shell, see [Shell]. If it is empty, Path is run with Args
	// (without the program's name). A Path without a slash is looked up.
	Line string
	Path string
	Args []string

	Dir string
	Env []string // the whole environment, "k=v"; nil means an empty one

	// Stdin is written to the command, which need not read it. If nil, the command
	// reads nothing.
	Stdin [][]byte
	// Open leaves standard input and output to the caller, as Process.Stdin and
	// Process.Stdout. Stdin, Out and Merge are then ignored.
	Open bool

	// Merge sends stderr to stdout, in the order of writing.
	Merge bool
	Out   Limit // what to keep of stdout
	Err   Limit // what to keep of stderr
	// Live receives output as it arrives, from one goroutine per stream. It must not
	// block, and is never called after Run has returned. May be nil.
	Live func([]byte)

	// Idle stops the command if it prints nothing for that long. 0 means no limit.
	Idle time.Duration
	// Grace is the time between asking the group to stop (TERM) and killing it.
	Grace time.Duration
	// Guarded means that processes that the command leaves in its group end with the
	// program too, even if the program is killed. Otherwise that applies only while the
	// command runs, or its children hold its streams.
	Guarded bool
	// Outlives means that the command may keep running when the program ends.
	Outlives bool

	// Confine changes how the command is started. It may replace the program's path,
	// its arguments, and Dir, Env and Sys of attr. If it returns an error, the command
	// does not start. If nil, the command is not confined.
	Confine func(argv []string, attr *os.ProcAttr) ([]string, error)

	// Rules restrict the command by the kernel, see [confine.Start]. The command does
	// not start if they cannot be enforced. If nil, there are no restrictions.
	Rules *confine.Rules
	// Within starts the command inside a domain, see [confine.Domain.Start]. It may
	// then write only what Rules allow. If nil, only Rules restrict it.
	Within func(only []string, begin func() error) error

	// Drain is how long to wait for output after the command has exited while its
	// children hold the streams open; 0 means 100 ms. The children keep running, and
	// their later output is dropped.
	Drain time.Duration
}

// Result says how a command ended.
type Result struct {
	PID        int    // id of the command and of its process group
	ExitCode   int    // -1 if a signal ended it, or if unknown
	Signal     int    // the signal that ended it, or 0
	SignalName string // the signal's name, such as "SIGKILL", or empty
	Stopped    error  // why we stopped it: the cause of ctx, or ErrIdle; nil if we did not
	Stdout     Output
	Stderr     Output // empty with Merge
	// Held means that some process, most likely a background child, held the streams
	// open after the exit.
	Held bool
	Took time.Duration
}

// Run runs c and waits for it to exit. It returns an error if c could not be started.
// The [Result] says how it ended. When ctx ends, the whole group is stopped, and Run
// returns at most Grace and a second later.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := context.Cause(ctx); err != nil {
		return Result{ExitCode: -1, Stopped: err}, nil
	}
	p, err := Start(c)
	if err != nil {
		return Result{ExitCode: -1}, err
	}
	return p.Wait(ctx), nil
}

// Start starts c without waiting for it. Idle has no effect before Wait.
func Start(c Command) (*Process, error) {
	path, args := c.Path, c.Args
	if c.Line != "" {
		path, args = Shell(c.Line)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, c.Env...) // not nil, which would inherit ours
	cmd.SysProcAttr = ownGroup()
	if err := c.confine(cmd); err != nil {
		return nil, fmt.Errorf("confining %s: %w", path, err)
	}
	p := &Process{command: c, cmd: cmd, exited: make(chan struct{}), done: make(chan struct{}),
		wrote: make(chan struct{}, 1), drained: make(chan struct{})}
	ends, err := p.connect()
	if err == nil {
		p.began = time.Now()
		err = running.start(c, func() (int, error) {
			if err := c.begin(cmd); err != nil {
				return 0, err
			}
			return cmd.Process.Pid, nil
		})
	}
	for _, f := range ends {
		f.Close() // the child has its own copies
	}
	if err != nil {
		p.disconnect()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	p.pump()
	return p, nil
}

func (c Command) confine(cmd *exec.Cmd) error {
	if c.Confine == nil {
		return nil
	}
	attr := os.ProcAttr{Dir: cmd.Dir, Env: cmd.Env, Sys: cmd.SysProcAttr}
	argv, err := c.Confine(append([]string{cmd.Path}, cmd.Args[1:]...), &attr)
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args, cmd.Dir, cmd.Env, cmd.SysProcAttr = argv[0], argv, attr.Dir, attr.Env, attr.Sys
	return nil
}

// begin starts cmd, confined by c.Rules and c.Within.
func (c Command) begin(cmd *exec.Cmd) error {
	if c.Rules == nil && c.Within == nil {
		return cmd.Start()
	}
	if diesWithThread(cmd.SysProcAttr) {
		return errors.New("a confined command cannot die with the thread that starts it: that ends at once")
	}
	lookForPidfd()
	if c.Within != nil {
		var only []string
		if c.Rules != nil {
			only = append([]string{}, c.Rules.Write...)
		}
		return c.Within(only, cmd.Start)
	}
	return confine.Start(*c.Rules, cmd.Start)
}

// lookForPidfd makes package os find out whether the kernel has process descriptors. It
// does so only once, with a signal that a confined thread must not send.
var lookForPidfd = sync.OnceFunc(func() { _, _ = os.FindProcess(os.Getpid()) })

// Look finds a program the way Command.Path is found.
func Look(name string) (string, error) { return exec.LookPath(name) }

// await waits for the exit and the streams. It stops p when ctx ends or Idle is over.
func (p *Process) await(ctx context.Context) {
	var idle <-chan time.Time
	timer := time.NewTimer(max(p.command.Idle, time.Nanosecond))
	defer timer.Stop()
	if p.command.Idle > 0 {
		idle = timer.C
	}
	for {
		select {
		case <-p.done:
			return
		case <-ctx.Done():
			p.stop(context.Cause(ctx))
			return
		case <-p.wrote:
			timer.Reset(max(p.command.Idle, time.Nanosecond))
		case <-idle:
			p.stop(ErrIdle)
			return
		}
	}
}

// pipe makes a pipe whose parent's end never blocks a thread.
func pipe() (r, w *os.File, err error) {
	r, w, err = os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("making a pipe: %w", err)
	}
	return r, w, nil
}
