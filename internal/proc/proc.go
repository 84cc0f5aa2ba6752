// Package proc runs other programs so that nothing of them is left behind: in
// a process group of their own, with bounded output, stopped as a group. It is
// the one place of minigem that imports os/exec. What a command may do, what
// its output means and which environment it gets is for the callers to say.
package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// ErrIdle is why a command was stopped that said nothing for Command.Idle.
var ErrIdle = errors.New("no output for too long")

// Command says what to run. It is a value: one Command may be run many times.
type Command struct {
	// Line is run by the shell: see Shell. When it is empty, Path is run with
	// Args (without the name itself); a Path without a slash is looked up.
	Line string
	Path string
	Args []string

	Dir string
	Env []string // the whole environment, "k=v"; nil: an empty one

	// Stdin is written to the command, which need not read it. nil: it reads
	// nothing.
	Stdin [][]byte
	// Open leaves standard input and output to the caller, as Process.Stdin and
	// Process.Stdout; Stdin, Out and Merge are not used then.
	Open bool

	// Merge sends stderr where stdout goes, in the order written.
	Merge bool
	Out   Limit // kept of stdout
	Err   Limit // kept of stderr
	// Live is given what was written as it comes, from one goroutine per stream.
	// It must not block, and is never called once Run has returned. May be nil.
	Live func([]byte)

	// Idle stops the command when it wrote nothing for so long; 0: never.
	Idle time.Duration
	// Grace is the time between asking the group to stop (TERM) and killing it.
	Grace time.Duration
	// Guarded says that what the command leaves in its group ends with the program,
	// too, even by a kill. Without it that holds while the command itself runs.
	Guarded bool
	// Outlives says that the command may run on when the program ends.
	Outlives bool

	// Confine changes how the command is started so that it can do less: the path
	// of the program with its arguments, and in attr Dir, Env and Sys. Its error
	// starts nothing. nil: the command may do what minigem may.
	Confine func(argv []string, attr *os.ProcAttr) ([]string, error)

	// Drain is how long output is awaited after the command has exited while
	// its children hold the streams open; 0: 100 ms. The children run on, and
	// what they write afterwards is dropped.
	Drain time.Duration
}

// Result is how a command ended.
type Result struct {
	PID        int    // of the command and of its process group
	ExitCode   int    // -1 when a signal ended it, or nothing is known
	Signal     int    // that ended it; 0: none
	SignalName string // "SIGKILL"; empty: none
	Stopped    error  // why we stopped it: the cause of ctx, or ErrIdle; nil: we did not
	Stdout     Output
	Stderr     Output // empty with Merge
	// Held says that someone held the streams open after the exit: most likely
	// a background child.
	Held bool
	Took time.Duration
}

// Run runs c and waits for it to exit. The error says that it could not be
// started; however it ends is in the Result. When ctx ends, the whole group is
// stopped, and Run returns no later than Grace and a second after that.
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

// Start starts c and returns while it runs. Idle is not watched.
func Start(c Command) (*Process, error) {
	path, args := c.Path, c.Args
	if c.Line != "" {
		path, args = Shell(c.Line)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, c.Env...) // never nil: nil would inherit ours
	cmd.SysProcAttr = ownGroup()
	if err := c.confine(cmd); err != nil {
		return nil, fmt.Errorf("confining %s: %w", path, err)
	}
	p := &Process{command: c, cmd: cmd, exited: make(chan struct{}), done: make(chan struct{}), wrote: make(chan struct{}, 1), drained: make(chan struct{})}
	ends, err := p.connect()
	if err == nil {
		p.began = time.Now()
		err = running.start(c, func() (int, error) {
			if err := cmd.Start(); err != nil {
				return 0, err
			}
			return cmd.Process.Pid, nil
		})
	}
	for _, f := range ends {
		f.Close() // the child has its own
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

// Look finds a program as Command.Path would be found.
func Look(name string) (string, error) { return exec.LookPath(name) }

// await waits for the exit and the streams, or stops p when ctx or Idle say so.
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
