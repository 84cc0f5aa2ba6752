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

// drain is how long streams are awaited after the hook has ended: what it left
// running may hold its output, and the agent its input.
const drain = 200 * time.Millisecond

// keep is the first argument, in place of a folder, with which the shim copies what a
// hook's children still print, after the hook has ended.
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

// run runs the hook, and returns its exit code. Where nothing can be recorded
// it runs all the same: the agent must not see a difference.
func run(dir, hook, shell, command string) int {
	b := begin{Hook: hook, Started: time.Now()}
	b.Dir, _ = os.Getwd()
	at := filepath.Join(dir, strconv.FormatInt(b.Started.UnixNano(), 10)+"-"+strconv.Itoa(os.Getpid()))
	err := os.MkdirAll(at+unfinished, 0o700)
	if err == nil {
		err = writeJSON(filepath.Join(at+unfinished, beginFile), b)
	}
	if err == nil {
		err = os.Rename(at+unfinished, at) // who reads sees none that has not begun
	}
	if err != nil {
		at = os.DevNull
	}
	e := pass(at, []string{shell, "-c", command})
	e.Ended = time.Now()
	_ = writeJSON(filepath.Join(at, endFile), e) // the reader then says that it did not end
	if e.number != 0 {
		signal.Reset(e.number)
		_ = syscall.Kill(os.Getpid(), e.number) // the agent sees how the hook ended
		time.Sleep(time.Second)
	}
	return e.Exit
}

// pass runs argv with its streams copied.
func pass(at string, argv []string) end {
	path, err := look(argv[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return end{Exit: 127, Problem: err.Error()}
	}
	runtime.LockOSThread() // the thread whose end would end the hook
	stdin, in, err1 := os.Pipe()
	out, stdout, err2 := os.Pipe()
	errs, stderr, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		return end{Exit: 126, Problem: err.Error()}
	}
	read := make(chan struct{}) // all of stdin
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

// forward sends signals on to p; stop ends that and says which ones came.
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

// handOver has another process copy what is still to come, so that the agent's pipes
// stay open as long as the hook's: an agent that waits for their end waits here, too.
func handOver(at string, out, errs *os.File) {
	if self, err := os.Executable(); err == nil {
		_, _ = os.StartProcess(self, []string{self, Name, keep, at, "", ""}, &os.ProcAttr{
			Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr, out, errs},
		})
	}
}

// willing takes everything: a hook that does not read is not an error, and what it
// would have read is still recorded.
type willing struct{ w io.Writer }

// Write implements io.Writer.
func (w willing) Write(p []byte) (int, error) {
	_, _ = w.w.Write(p)
	return len(p), nil
}

// file is a file of the record; where there is none, what is written is lost.
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
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: not found", name)
}
