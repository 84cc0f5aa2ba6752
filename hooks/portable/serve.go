package portable

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"minigem/hooks/agents"
	"minigem/hooks/protocol"
)

// Serve is the main function of a hook in Go that works on every agent. It reads the
// payload on stdin, calls hook once for each thing that the event is about, answers so
// that this agent obeys, and exits. It does not return.
//
// If the input cannot be read or belongs to another event, or if hook panics, a call or a
// prompt is refused: a guard that does not work lets nothing pass. At other events the
// cause goes to stderr and the exit code is 1.
func Serve[In protocol.Input](hook func(In) protocol.Output) {
	os.Exit(Run(os.Stdin, os.Stdout, os.Stderr, os.Getenv, hook))
}

// Run is [Serve] for tests: it uses the given streams and variables, and returns the exit
// code.
func Run[In protocol.Input](stdin io.Reader, stdout, stderr io.Writer, env func(string) string,
	hook func(In) protocol.Output) int {
	payload, err := io.ReadAll(stdin)
	if err != nil {
		return Print(agents.Refusal("the hook cannot read its input: "+err.Error()), stdout, stderr)
	}
	c, err := Read(payload, Options{Env: env})
	if err != nil {
		return Print(agents.Refusal("the hook cannot read its input: "+err.Error()), stdout, stderr)
	}
	var outs []protocol.Output
	for _, payload := range c.Payloads(protocol.Gemini()) {
		o, err := call(payload, hook)
		if err != nil && !c.Holds() {
			fmt.Fprintln(stderr, err)
			return 1
		}
		if err != nil {
			o = protocol.DenyBecause("the hook failed: " + err.Error())
		}
		outs = append(outs, o)
	}
	return Print(c.Answer(outs...), stdout, stderr)
}

// call calls the hook as the engine would, in this process.
func call[In protocol.Input](payload []byte, hook func(In) protocol.Output) (protocol.Output, error) {
	var answer protocol.Output
	var stdout, stderr bytes.Buffer
	keep := func(in In) protocol.Output {
		answer = hook(in)
		return answer
	}
	if code := protocol.Run(bytes.NewReader(payload), &stdout, &stderr, keep); code != 0 {
		return protocol.Output{}, fmt.Errorf("%s", strings.TrimSpace(stderr.String()))
	}
	return answer, nil
}

// Print prints an answer and returns the exit code. What the answer lost ([agents.Said])
// is printed on stderr, after the reason of a refusal. If stdout cannot be written, the
// code is 2, which refuses.
func Print(s agents.Said, stdout, stderr io.Writer) int {
	if _, err := io.WriteString(stdout, s.Stdout); err != nil {
		fmt.Fprintln(stderr, "the answer cannot be printed:", err)
		return 2
	}
	if s.Stderr != "" {
		fmt.Fprintln(stderr, s.Stderr)
	}
	for _, lost := range s.Lost {
		fmt.Fprintln(stderr, "minigem:", lost)
	}
	return s.Exit
}
