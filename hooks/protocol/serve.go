package protocol

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// Run runs a function as a hook in Gemini CLI's dialect: it reads the input from stdin,
// calls hook, writes the answer to stdout and returns the exit code. 0 means that hook
// answered. If the input cannot be read or belongs to another event, or if hook panics,
// the cause goes to stderr and the code is 1: the action goes on with a warning, unless
// the hook is configured with "onError": "block". The code is never 2; a hook denies by
// its [Output].
func Run[In Input](stdin io.Reader, stdout, stderr io.Writer, hook func(In) Output) (code int) {
	// An uncaught panic would exit with 2, which blocks.
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(stderr, "hook panicked:", r)
			code = 1
		}
	}()
	in, err := decode[In](stdin)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	answer, err := Encode(hook(in))
	if err != nil {
		fmt.Fprintf(stderr, "writing the answer: %v\n", err)
		return 1
	}
	if _, err := stdout.Write(append(answer, '\n')); err != nil {
		fmt.Fprintf(stderr, "writing the answer: %v\n", err)
		return 1
	}
	return 0
}

// decode reads the input of a hook, and checks that it belongs to the event of In.
func decode[In Input](stdin io.Reader) (In, error) {
	var in In
	data, err := io.ReadAll(stdin)
	if err != nil {
		return in, fmt.Errorf("reading the input: %w", err)
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return in, fmt.Errorf("reading the input: %w", err)
	}
	if want := eventOf(in); in.EventName() != want {
		return in, fmt.Errorf("this is a hook for %s, but it was run for %q: check the settings file", want, in.EventName())
	}
	return in, nil
}

// eventOf returns the event whose hooks read in's type.
func eventOf[In Input](in In) Event {
	i := slices.IndexFunc(table, func(t traits) bool { return t.input == reflect.TypeOf(in) })
	return table[i].event
}
