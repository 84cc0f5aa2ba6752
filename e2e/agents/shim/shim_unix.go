//go:build unix

package shim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// drain is how long the shim waits for streams after the hook has exited. Processes that
// the hook left running may keep its output open, and the agent may keep its input open.
const drain = 200 * time.Millisecond

// keep is the first argument, instead of a folder, for a shim that copies what a hook's
// children print after the hook has exited.
const keep = "-keep-"

func init() {
	switch {
	case len(os.Args) != 6 || os.Args[1] != Name:
		return
	case os.Args[2] == keep:
		var copies sync.WaitGroup
		copies.Go(func() {
			_, _ = io.Copy(io.MultiWriter(file(os.Args[3], stdoutFile), os.Stdout), os.NewFile(3, "stdout"))
		})
		_, _ = io.Copy(io.MultiWriter(file(os.Args[3], stderrFile), os.Stderr), os.NewFile(4, "stderr"))
		copies.Wait()
		os.Exit(0)
	}
	os.Exit(run(os.Args[2], os.Args[3], os.Args[4], os.Args[5]))
}

// run runs the hook and returns its exit code. It runs the hook even if nothing can be
// recorded, because the agent must not notice a difference.
func run(dir, hook, shell, command string) int {
	b := begin{Hook: hook, Started: time.Now()}
	b.Dir, _ = os.Getwd()
	at := filepath.Join(dir, strconv.FormatInt(b.Started.UnixNano(), 10)+"-"+strconv.Itoa(os.Getpid()))
	err := os.MkdirAll(at+unfinished, 0o700)
	if err == nil {
		err = writeJSON(filepath.Join(at+unfinished, beginFile), b)
	}
	if err == nil {
		err = os.Rename(at+unfinished, at) // readers must not see a record without its beginning
	}
	if err != nil {
		at = os.DevNull
	}
	e := pass(at, []string{shell, "-c", command})
	e.Ended = time.Now()
	_ = writeJSON(filepath.Join(at, endFile), e) // without it the reader reports that the hook did not end
	if e.number != 0 {
		signal.Reset(e.number)
		_ = syscall.Kill(os.Getpid(), e.number) // the agent sees the same signal
		time.Sleep(time.Second)
	}
	return e.Exit
}

// pass runs argv and copies its streams.
func pass(at string, argv []string) end {
	path, err := look(argv[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return end{Exit: 127, Problem: err.Error()}
	}
	runtime.LockOSThread() // the hook dies with the thread that started it
	stdin, in, err1 := os.Pipe()
	out, stdout, err2 := os.Pipe()
	errs, stderr, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		return end{Exit: 126, Problem: err.Error()}
	}
	read := make(chan struct{}) // closed when all of stdin was read
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{stdin, stdout, stderr},
		Sys: dieTogether()})
	for _, f := range []*os.File{stdin, stdout, stderr} {
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return end{Exit: 126, Problem: err.Error()}
	}
	go func() {
		_, _ = io.Copy(io.MultiWriter(file(at, stdinFile), willing{in}), os.Stdin) // the hook need not read
		in.Close()
		close(read)
	}()
	var copies sync.WaitGroup
	copies.Go(func() { _, _ = io.Copy(io.MultiWriter(file(at, stdoutFile), os.Stdout), out) })
	copies.Go(func() { _, _ = io.Copy(io.MultiWriter(file(at, stderrFile), os.Stderr), errs) })
	stop := forward(signals, p)
	state, err := p.Wait()
	written := make(chan struct{})
	go func() { copies.Wait(); close(written) }()
	select {
	case <-written:
		select {
		case <-read:
		case <-time.After(drain): // the agent may keep it open
		}
	case <-time.After(drain):
		if err := errors.Join(out.SetReadDeadline(time.Now()), errs.SetReadDeadline(time.Now())); err == nil {
			<-written
			handOver(at, out, errs)
		}
	}
	return ending(state, err, stop())
}

// forward forwards signals to p. stop ends that and returns the signals that came.
func forward(signals <-chan os.Signal, p *os.Process) (stop func() []string) {
	done, sent := make(chan struct{}), make(chan []string, 1)
	go func() {
		var names []string
		for {
			select {
			case s := <-signals:
				names = append(names, s.String())
				_ = p.Signal(s)
			case <-done:
				sent <- names
				return
			}
		}
	}()
	return func() []string { close(done); return <-sent }
}

func ending(state *os.ProcessState, err error, signals []string) end {
	if err != nil {
		return end{Exit: 126, Problem: err.Error(), Signals: signals}
	}
	e := end{Exit: state.ExitCode(), Signals: signals}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Exit, e.Signal, e.number = 128+int(ws.Signal()), ws.Signal().String(), ws.Signal()
	}
	return e
}

// handOver starts another process that copies later output, so that the agent's pipes stay
// open as long as the hook's. An agent that waits for their end then waits here too.
func handOver(at string, out, errs *os.File) {
	if self, err := os.Executable(); err == nil {
		_, _ = os.StartProcess(self, []string{self, Name, keep, at, "", ""}, &os.ProcAttr{
			Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr, out, errs},
		})
	}
}

// willing is a writer that ignores errors: a hook need not read its input, which is
// recorded anyway.
type willing struct{ w io.Writer }

// Write implements io.Writer.
func (w willing) Write(p []byte) (int, error) {
	_, _ = w.w.Write(p)
	return len(p), nil
}

// file opens a file of the record. If that fails, the output is discarded.
func file(at, name string) io.Writer {
	f, err := os.OpenFile(filepath.Join(at, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return io.Discard
	}
	return f
}

// look finds a program as a shell does.
func look(name string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	if path := LookIn(filepath.SplitList(os.Getenv("PATH")), name); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("%s: not found", name)
}
