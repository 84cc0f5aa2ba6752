package terminal

import (
	"errors"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
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
)

func (t *Terminal) openLine() error {
	c := &readline.Config{
		Prompt:                 promptMark,
		HistoryLimit:           1000,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		AutoComplete:           completer{t.o.Complete},
		Painter:                painter{t},
		VimMode:                t.o.Vim,
		InterruptPrompt:        "\n",
		EOFPrompt:              "\n",
		Stdin:                  t.keys,
		Stdout:                 t.o.Out,
		Stderr:                 t.o.Out,
		FuncGetWidth:           t.Width,
		FuncIsTerminal:         func() bool { return true },
		FuncMakeRaw:            func() error { return nil },
		FuncExitRaw:            func() error { return nil },
		ForceUseInteractive:    true,
	}
	if t.o.Fixed {
		c.FuncOnWidthChanged = func(func()) {}
	}
	line, err := readline.NewEx(c)
	if err != nil {
		return err
	}
	t.line = line
	return nil
}

// Prompt reads what the user has to say: one line, or several where lines end
// in a backslash or came with a paste. Errors: ErrInterrupted, and io.EOF for
// ^D in an empty prompt and after Hangup.
func (t *Terminal) Prompt() (string, error) {
	t.screen.setStatus("")
	t.screen.lines("")
	t.keys.enter(prompting, nil)
	defer t.keys.enter(working, nil)
	var all []string
	t.line.SetPrompt(promptMark)
	for {
		line, err := t.line.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt) && (len(all) > 0 || line != ""):
			return "", nil // what was written is dropped, and that is all
		case errors.Is(err, readline.ErrInterrupt):
			return "", ErrInterrupted
		case err != nil:
			return "", io.EOF
		}
		line, more := strings.CutSuffix(line, `\`)
		all = append(all, line)
		if !more {
			break
		}
		t.line.SetPrompt(moreMark)
	}
	text := strings.Join(all, string(newlineMark))
	if strings.TrimSpace(text) != "" {
		_ = t.line.SaveHistory(text) // a history that cannot be kept is not worth an error
	}
	return strings.ReplaceAll(text, string(newlineMark), "\n"), nil
}

// painter shows the hint in the empty prompt, and the line ends of pastes.
type painter struct{ t *Terminal }

// Paint implements readline.Painter. What it adds must not move the cursor.
func (p painter) Paint(line []rune, _ int) []rune {
	if len(line) == 0 && !p.t.style.dumb {
		hint := ansi.Truncate(Hint, max(p.t.Width()-len(promptMark)-1, 0), "")
		return []rune("\x1b7" + p.t.style.dim(hint) + "\x1b8")
	}
	if len(line) == 0 {
		return nil
	}
	out := make([]rune, len(line))
	for i, r := range line {
		if r == newlineMark {
			r = '⏎'
		}
		out[i] = r
	}
	return out
}

// completer hands the line to the given function.
type completer struct {
	complete func(line string) (endings []string, shared int)
}

// Do implements readline.AutoCompleter.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	if c.complete == nil {
		return nil, 0
	}
	endings, shared := c.complete(string(line[:pos]))
	out := make([][]rune, len(endings))
	for i, e := range endings {
		out[i] = []rune(e)
	}
	return out, shared
}
