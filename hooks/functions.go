package hooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"minigem/hooks/protocol"
)

// Functions is a [Runner] for hooks that are Go functions of the program that
// holds the engine: no process is started for them. A hook that runs nothing
// else runs the function of its name; every other hook is left to Next. It is safe
// for concurrent use.
type Functions struct {
	ByName map[string]Function // made by [Func]
	Next   Runner              // nil: hooks with a command fail to run
}

// Function is one hook; see [Func]. It reads and writes what a program in its
// place would, and returns its exit status.
type Function func(stdin io.Reader, stdout, stderr io.Writer) (code int)

// Func makes a Function of hook. In names the event: a hook of another event
// fails. A panic is a failure of the hook, which lets the action go on unless
// the hook's OnError is "block".
func Func[In protocol.Input](hook func(In) protocol.Output) Function {
	return func(stdin io.Reader, stdout, stderr io.Writer) int {
		return protocol.Run(stdin, stdout, stderr, hook)
	}
}

// Run implements [Runner]. When ctx ends, a function is waited for no longer; it
// goes on by itself, and what it answers is lost.
func (f Functions) Run(ctx context.Context, h Hook, stdin Payload, env []string) Exit {
	began := time.Now()
	function := f.ByName[h.Name]
	switch {
	case h.Target() != "" && f.Next != nil:
		return f.Next.Run(ctx, h, stdin, env)
	case h.Target() != "":
		return Exit{Code: -1, Err: fmt.Errorf("running the hook %q: there is nobody to run commands", h.ID())}
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
