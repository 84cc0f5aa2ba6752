package headless

import (
	"fmt"
	"io"
	"strings"
	"time"

	"minigem/internal/app"
	"minigem/internal/exit"
)

const (
	maxStdin  = 8 << 20                // how many bytes of piped input are read
	stdinWait = 500 * time.Millisecond // how long to wait for its first byte
)

// promptOf returns the prompt from the command line and standard input.
func promptOf(sys *app.System, f *app.Options) (string, error) {
	piped, err := readPiped(sys, stdinWait)
	if err != nil {
		return "", exit.With(exit.Input, err)
	}
	prompt := strings.TrimSpace(joinPrompt(piped, strings.Join(append(f.Query, f.Prompt), " ")))
	if prompt == "" {
		return "", exit.Errorf(exit.Input, "there is no prompt: give one with -p, as an argument, or on standard input")
	}
	return prompt, nil
}

// readPiped reads the piped input, up to maxStdin. It returns nothing if no first byte
// arrives within wait, because a parent that never closes the pipe must not make
// minigem hang. It does not read a terminal.
func readPiped(sys *app.System, wait time.Duration) (string, error) {
	if sys.StdinTTY || sys.Stdin == nil {
		return "", nil
	}
	type piece struct {
		data []byte
		err  error
	}
	first, rest := make(chan piece, 1), make(chan piece, 1)
	go func() {
		one := make([]byte, 1)
		n, err := io.ReadFull(sys.Stdin, one)
		first <- piece{one[:n], err}
		if err != nil {
			return
		}
		data, err := io.ReadAll(io.LimitReader(sys.Stdin, maxStdin))
		rest <- piece{data, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var head piece
	select {
	case head = <-first:
	case <-timer.C:
		return "", nil
	}
	if head.err == io.EOF {
		return "", nil
	}
	if head.err != nil {
		return "", fmt.Errorf("reading standard input: %w", head.err)
	}
	tail := <-rest
	if tail.err != nil {
		return "", fmt.Errorf("reading standard input: %w", tail.err)
	}
	text := string(head.data) + string(tail.data)
	if len(text) > maxStdin {
		text = text[:maxStdin]
		fmt.Fprintf(sys.Stderr, "[WARNING] standard input is longer than %d MiB: the rest was cut off\n", maxStdin>>20)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

// joinPrompt puts the piped input before the prompt, separated by an empty line.
func joinPrompt(piped, prompt string) string {
	switch {
	case piped == "":
		return prompt
	case prompt == "":
		return piped
	}
	return strings.TrimRight(piped, "\r\n") + "\n\n" + prompt
}
