package hooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"minigem/hooks/protocol"
)

// Functions is a [Runner] for hooks that are Go functions of this program; no process is
// started. A hook without a command (see [Hook.Target]) runs the function of its Name.
// Every other hook is passed on to Next. It is safe for concurrent use if Next is and
// ByName is not changed.
type Functions struct {
	// ByName holds the functions by [Hook.Name]; make them with [Func]. A hook without
	// its function fails.
	ByName map[string]Function
	// Next runs the other hooks. If it is nil, they fail.
	Next Runner
}

// Function is one hook, made by [Func]. It reads its payload from stdin, writes its
// answer to stdout and returns its exit status, as a program would. It may be called
// concurrently.
type Function func(stdin io.Reader, stdout, stderr io.Writer) (code int)

// Func makes a Function of hook. In is the input type of the hook's event; at any other
// event the run fails. If hook panics, the run fails, which lets the action go on unless
// the hook's OnError is "block".
func Func[In protocol.Input](hook func(In) protocol.Output) Function {
	return func(stdin io.Reader, stdout, stderr io.Writer) int {
		return protocol.Run(stdin, stdout, stderr, hook)
	}
}

// Run implements [Runner]. When ctx ends, Run returns at once. The function cannot be
// stopped: it runs on in its goroutine, and its answer is lost. env is not passed to
// functions.
func (f Functions) Run(ctx context.Context, h Hook, stdin Payload, env []string) Exit {
	began := time.Now()
	function := f.ByName[h.Name]
	switch {
	case h.Target() != "" && f.Next != nil:
		return f.Next.Run(ctx, h, stdin, env)
	case h.Target() != "":
		return Exit{Code: -1, Err: fmt.Errorf("running the hook %q: no Runner is given for commands", h.ID())}
	case function == nil:
		return Exit{Code: -1, Err: fmt.Errorf("running the hook %q: there is no function of that name", h.Name)}
	case ctx.Err() != nil:
		return Exit{Code: -1, Err: ctx.Err()}
	}
	done := make(chan Exit, 1)
	go func() {
		var stdout, stderr bytes.Buffer
		code := function(bytes.NewReader(stdin.Bytes()), &stdout, &stderr)
		done <- Exit{Code: code, Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Duration: time.Since(began)}
	}()
	select {
	case e := <-done:
		return e
	case <-ctx.Done():
		return Exit{Code: -1, Err: ctx.Err(), Duration: time.Since(began)}
	}
}
