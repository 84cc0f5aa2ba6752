package terminal

import (
	"errors"
	"io"
	"strings"

	"github.com/chzyer/readline"
)

// Hint is shown in the empty prompt. Programs that drive a terminal wait for it.
const Hint = "  Type your message or @path/to/file"

// ErrInterrupted means that the user pressed ^C at the empty prompt.
var ErrInterrupted = errors.New("interrupted")

const (
	promptMark = "> "
	moreMark   = "… "

	// unlimitedWidth is the window width given to the line editor, which only edits:
	// the screen does the drawing.
	unlimitedWidth = 1 << 20
)

func (t *Terminal) openLine() error {
	t.edit = &editor{t: t, vim: t.o.Vim}
	t.history.edit = t.edit
	line, err := readline.NewEx(&readline.Config{
		HistoryLimit:           keptPrompts,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		Painter:                t.edit,
		Listener:               t.edit,
		FuncFilterInputRune:    t.edit.filter,
		VimMode:                t.o.Vim,
		InterruptPrompt:        "\n",
		EOFPrompt:              "\n",
		Stdin:                  t.keys,
		Stdout:                 t.edit,
		Stderr:                 io.Discard,
		FuncGetWidth:           func() int { return unlimitedWidth },
		FuncOnWidthChanged:     func(func()) {},
		FuncIsTerminal:         func() bool { return true },
		FuncMakeRaw:            func() error { return nil },
		FuncExitRaw:            func() error { return nil },
		ForceUseInteractive:    true,
	})
	if err != nil {
		return err
	}
	t.line = line
	t.history.remember(nil)
	return nil
}

// Prompt reads a prompt from the user. It may have several lines, if lines end in a
// backslash or were pasted. It returns [ErrInterrupted], or [io.EOF] for ^D in an empty
// prompt and after Hangup.
func (t *Terminal) Prompt() (string, error) {
	if t.keys.over() {
		return "", io.EOF
	}
	t.screen.show(nil)
	t.screen.lines("\n")
	t.edit.begin()
	t.keys.enter(prompting, nil)
	defer t.edit.stopSuggesting()
	defer t.keys.dropPastes()
	defer t.keys.enter(working, nil)
	line, err := t.line.Readline()
	switch {
	case t.keys.over():
		t.edit.end()
		return "", io.EOF // an unfinished line is not sent
	case errors.Is(err, readline.ErrInterrupt) && line != "":
		t.history.add(t.keys.unfold(line))
		return "", nil // only the current line is dropped, and it is in the history
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrInterrupted
	case err != nil:
		return "", io.EOF
	}
	text := t.keys.unfold(line)
	t.history.add(text)
	return text, nil
}

// WhenReady calls do once, in a new goroutine, shortly after the next prompt is drawn.
func (t *Terminal) WhenReady(do func()) {
	t.edit.mu.Lock()
	defer t.edit.mu.Unlock()
	t.edit.ready = do
}

// prompted returns a sent prompt as it stays in the scrollback.
func (t *Terminal) prompted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = t.style.bold(line)
	}
	return t.mark() + strings.Join(lines, "\n")
}

// mark returns the prompt's mark in the colour of the approval mode.
func (t *Terminal) mark() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.style.bold(t.style.modeColour(t.status.Mode, promptMark))
}

// ShowPrompt shows a prompt that the user did not type.
func (t *Terminal) ShowPrompt(text string) {
	t.screen.lines("\n" + t.prompted(strings.ReplaceAll(Clean(text), "\n", "\n"+moreMark)))
}
