package terminal

import (
	"errors"
	"io"

	"github.com/chzyer/readline"
)

// Hint stands in the empty prompt. Programs that drive a terminal wait for it.
const Hint = "  Type your message or @path/to/file"

// ErrInterrupted: the user pressed ^C at the prompt. The line that was being
// written is gone.
var ErrInterrupted = errors.New("interrupted")

const (
	promptMark = "> "
	moreMark   = "… "

	// boundless is how wide the line editor thinks that the window is: it edits,
	// and the screen draws.
	boundless = 1 << 20
)

func (t *Terminal) openLine() error {
	t.edit = &editor{t: t, vim: t.o.Vim}
	line, err := readline.NewEx(&readline.Config{
		HistoryLimit:           keptPrompts,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		AutoComplete:           t.edit,
		Painter:                t.edit,
		Listener:               t.edit,
		FuncFilterInputRune:    t.edit.filter,
		VimMode:                t.o.Vim,
		InterruptPrompt:        "\n",
		EOFPrompt:              "\n",
		Stdin:                  t.keys,
		Stdout:                 t.edit,
		Stderr:                 io.Discard,
		FuncGetWidth:           func() int { return boundless },
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
	t.remember(nil)
	return nil
}

// Prompt reads what the user has to say: one line, or several where lines end
// in a backslash or came with a paste. Errors: ErrInterrupted, and io.EOF for
// ^D in an empty prompt and after Hangup.
func (t *Terminal) Prompt() (string, error) {
	if t.keys.over() {
		return "", io.EOF
	}
	t.screen.show(nil)
	t.screen.lines("")
	t.edit.begin()
	t.keys.enter(prompting, nil)
	defer t.keys.dropPastes()
	defer t.keys.enter(working, nil)
	line, err := t.line.Readline()
	switch {
	case t.keys.over():
		t.edit.end()
		return "", io.EOF // and what was half written is not sent
	case errors.Is(err, readline.ErrInterrupt) && line != "":
		return "", nil // what was written is dropped, and that is all
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrInterrupted
	case err != nil:
		return "", io.EOF
	}
	text := t.keys.unfold(line)
	t.addHistory(text)
	return text, nil
}
