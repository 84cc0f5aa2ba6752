package proc

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

const (
	defaultDrain = 100 * time.Millisecond
	// afterKill limits the wait for a killed process that the kernel does not release,
	// such as one blocked on a dead network drive.
	afterKill = time.Second
	groupPoll = 5 * time.Millisecond
)

// Process is a running command. It is safe for concurrent use.
type Process struct {
	command Command
	cmd     *exec.Cmd
	began   time.Time
	exited  chan struct{} // the command itself has ended
	done    chan struct{} // its output is complete as well
	wrote   chan struct{} // signals that something was printed, for Idle
	drained chan struct{} // no process holds the output streams any more

	stdin          *os.File // our end; may be nil
	outputs        []*stream
	stdout, stderr buffer
	reading        sync.WaitGroup

	mu      sync.Mutex
	stopped error
	held    bool
	took    time.Duration
}

// PID returns the id of the process and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stdin returns the command's standard input. It requires Command.Open. The caller
// closes it, and Stdout as well.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout returns the command's standard output. It requires Command.Open. It ends once
// no process holds the other end.
func (p *Process) Stdout() io.ReadCloser { return p.outputs[0].file }

// Done is closed when the command has exited and its output is complete, or
// Command.Drain has passed without more output.
func (p *Process) Done() <-chan struct{} { return p.done }

// Released is closed once no process holds the output streams of p. If Result.Held,
// that can be long after Done.
func (p *Process) Released() <-chan struct{} { return p.drained }

// Wait waits until p is done. It stops p when ctx ends or Command.Idle is over.
func (p *Process) Wait(ctx context.Context) Result {
	p.await(ctx)
	return p.Result()
}

// Result describes the current state of p. While it runs, ExitCode is -1.
func (p *Process) Result() Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := Result{PID: p.PID(), ExitCode: -1, Stopped: p.stopped, Held: p.held, Took: p.took,
		Stdout: p.stdout.output(), Stderr: p.stderr.output()}
	select {
	case <-p.exited:
		r.ExitCode = p.cmd.ProcessState.ExitCode()
		r.Signal, r.SignalName = endedBy(p.cmd.ProcessState)
	default:
	}
	return r
}

// Members returns the ids of the other running processes of p's group and of its
// descendants. It is empty if the system does not provide them.
func (p *Process) Members() []int {
	if !groupExists(p.PID()) {
		return nil // the usual case, without reading the process table
	}
	return slices.DeleteFunc(family(p.PID()), func(pid int) bool { return pid == p.PID() })
}

// Stop ends p's group and its descendants, with TERM and after Grace with KILL. It
// returns when they are gone, or at once if they already were.
func (p *Process) Stop() { p.stop(nil) }

func (p *Process) stop(why error) {
	p.mu.Lock()
	if p.stopped == nil {
		p.stopped = why
	}
	p.mu.Unlock()
	// Processes that left the group are found by descent, so look before any parent
	// dies.
	pids := family(p.PID())
	terminate(p.PID(), pids)
	if !p.gone(pids, p.command.Grace) {
		kill(p.PID(), append(pids, family(p.PID())...))
	}
	select {
	case <-p.done:
	case <-time.After(afterKill):
	}
}

// gone waits for the processes to end, and reports whether they did within grace.
func (p *Process) gone(pids []int, grace time.Duration) bool {
	limit := time.Now().Add(grace)
	for alive(p.PID(), pids) {
		left := time.Until(limit)
		if left <= 0 {
			return false
		}
		time.Sleep(min(left, groupPoll))
	}
	return true
}

// connect makes the pipes and returns the child's ends.
func (p *Process) connect() (ends []*os.File, err error) {
	output := func() (*os.File, error) {
		r, w, err := pipe()
		if err != nil {
			return nil, err
		}
		p.outputs, ends = append(p.outputs, &stream{file: r}), append(ends, w)
		return w, nil
	}
	if p.command.Stdin != nil || p.command.Open {
		r, w, err := pipe()
		if err != nil {
			return ends, err
		}
		p.cmd.Stdin, p.stdin, ends = r, w, append(ends, r)
	}
	w, err := output()
	if err != nil {
		return ends, err
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if !p.command.Merge || p.command.Open {
		if w, err = output(); err != nil {
			return ends, err
		}
		p.cmd.Stderr = w
	}
	return ends, nil
}

func (p *Process) disconnect() {
	if p.stdin != nil {
		p.stdin.Close()
	}
	for _, s := range p.outputs {
		s.file.Close()
	}
}

// pump starts the goroutines of p: a writer for stdin, a reader for each stream, and
// one that waits.
func (p *Process) pump() {
	p.stdout.limit, p.stderr.limit = p.command.Out, p.command.Err
	if p.stdin != nil && !p.command.Open {
		go func() {
			// EPIPE is not an error: the command need not read.
			for _, piece := range p.command.Stdin {
				if _, err := p.stdin.Write(piece); err != nil {
					break
				}
			}
			p.stdin.Close()
		}()
	}
	for i, s := range p.outputs {
		if i == 0 && p.command.Open {
			continue
		}
		buf := []*buffer{&p.stdout, &p.stderr}[i]
		s.into = func(b []byte) {
			buf.write(b, p.command.Live)
			select {
			case p.wrote <- struct{}{}:
			default:
			}
		}
		p.reading.Go(s.read)
	}
	go p.wait()
}

func (p *Process) wait() {
	_ = p.cmd.Wait() // ProcessState says how it ended
	if p.stdin != nil {
		p.stdin.Close() // unblocks a Write that is not being read
	}
	close(p.exited)
	go func() { p.reading.Wait(); close(p.drained) }()
	drain := p.command.Drain
	if drain == 0 {
		drain = defaultDrain
	}
	held := false
	select {
	case <-p.drained:
	case <-time.After(drain):
		// On a busy machine the readers may not have read everything that was written
		// before the exit. None of it may be lost.
		for i, s := range p.outputs {
			if i == 0 && p.command.Open {
				continue
			}
			held = !s.sweep() || held
		}
	}
	p.stdout.seal()
	p.stderr.seal()
	p.mu.Lock()
	p.held, p.took = held, time.Since(p.began)
	p.mu.Unlock()
	close(p.done)
	if held && !p.command.Guarded {
		<-p.drained // keeps the group known, so that the children end with the program
	}
	running.ended(p.PID(), p.command.Guarded)
}
