package terminal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Choice is one of the answers to a question. Keys choose it, as its number
// does; Text: words after the key belong to the answer.
type Choice struct {
	Label string
	Keys  []string
	Text  bool
}

// Choose asks question and returns the index of the chosen answer: by number or
// letter and Enter, or by the arrow keys and Enter; Enter alone chooses the
// marked one, at first the first. words is the text after the key. ok is false
// for ^C, Esc, and a terminal that is gone.
func (t *Terminal) Choose(ctx context.Context, question string, choices []Choice) (index int, words string, ok bool) {
	return t.chooseAbout(ctx, "", question, question, choices)
}

// chooseAbout is Choose with what the question is about above it, where a number
// alone answers unless something was typed ahead: who was typing when the
// question came must press Enter. Of all that stays, in words that need nothing
// above them, with the answer, unless the window is too low for the rest: nobody
// shall answer what they could not read.
func (t *Terminal) chooseAbout(ctx context.Context, about, question, stays string, choices []Choice) (index int, words string, ok bool) {
	// From here on keys answer: a user who reads the choices may type at once.
	defer t.keys.leave(t.keys.ask())
	a := answer{t: t, keep: about == "", labels: choices, about: strings.Split(strings.Trim(about, "\n"), "\n")}
	a.oneKey = about != "" && t.keys.ahead() == ""
	if width, height := t.size(); t.style.dumb || about == "" || t.rows(a.about, width)+t.rows(t.list(choices, 0), width)+4 > height {
		t.screen.lines(about)
		a.about = nil
	} else {
		t.screen.lines("\n")
	}
	if t.style.dumb {
		t.screen.lines(strings.Join(t.list(choices, 0), "\n"))
	}
	for {
		a.ask = func(marked int) string { return question + t.style.dim(fmt.Sprintf(" [%d] ", marked+1)) }
		a.question = stays
		a.above = func(marked int) []string { return append(slices.Clone(a.about), t.list(choices, marked)...) }
		a.choices = len(choices)
		said, ok := a.read(ctx)
		if !ok {
			return 0, "", false
		}
		if strings.TrimSpace(said) == "" {
			return a.marked, "", true
		}
		if index, words, found := pick(said, choices); found {
			return index, words, true
		}
		t.screen.lines(t.style.yellow(fmt.Sprintf("Type a number from 1 to %d, or a first letter, then Enter. Esc refuses.", len(choices))))
	}
}

// rows is how many rows lines take.
func (t *Terminal) rows(lines []string, width int) int {
	n := 0
	for _, line := range lines {
		n += len(wrapRows(line, width))
	}
	return n
}

// list draws the choices, one per row.
func (t *Terminal) list(choices []Choice, marked int) []string {
	rows := make([]string, len(choices))
	for i, c := range choices {
		mark := "  "
		if i == marked {
			mark = t.style.green("●") + " "
		}
		rows[i] = fmt.Sprintf("%s%d. %s", mark, i+1, c.Label)
	}
	return rows
}

// pick finds the choice that said means.
func pick(said string, choices []Choice) (index int, words string, found bool) {
	said = strings.TrimSpace(said)
	word, rest, _ := strings.Cut(said, " ")
	word = strings.ToLower(strings.TrimRight(word, ".,:;"))
	for i, c := range choices {
		named := word == strconv.Itoa(i+1)
		for _, k := range c.Keys {
			named = named || word == k
		}
		if named && (rest == "" || c.Text) {
			return i, strings.TrimSpace(rest), true
		}
	}
	return 0, "", false
}

// Ask reads one line after question. ok is false for ^C, Esc, ^D in an empty
// line, and a terminal that is gone. What was typed before the question does
// not count.
func (t *Terminal) Ask(ctx context.Context, question string) (line string, ok bool) {
	defer t.keys.leave(t.keys.ask())
	a := answer{t: t, ask: func(int) string { return question }}
	return a.read(ctx)
}

// AskSecret is Ask for a line that is not shown, not while it is typed and not
// afterwards: what stays says how long it was.
func (t *Terminal) AskSecret(ctx context.Context, question string) (line string, ok bool) {
	defer t.keys.leave(t.keys.ask())
	a := answer{t: t, ask: func(int) string { return question }, secret: true}
	return a.read(ctx)
}

// answer is what the user writes after a question, or the marked choice.
type answer struct {
	t       *Terminal
	ask     func(marked int) string
	above   func(marked int) []string // the choices; nil: there are none
	choices int
	marked  int
	line    string
	secret  bool // the line is not shown
	// Of a question with choices:
	keep     bool // the choices stay, too: they are what was asked for
	question string
	about    []string // lines above the choices
	labels   []Choice
	oneKey   bool // the number of a choice needs no Enter
}

// stays is what stays of the question.
func (a *answer) stays(ok bool) string {
	if a.above == nil {
		d := a.draft()
		return d.mark + d.line + "\n"
	}
	if a.keep {
		return strings.Join(a.above(a.marked), "\n") + "\n" + a.draft().mark + a.line + "\n"
	}
	said := a.line
	i, words, found := pick(said, a.labels)
	if strings.TrimSpace(said) == "" {
		i, found = a.marked, true
	}
	switch {
	case !ok:
		said = Cancelled
	case found:
		said, _, _ = strings.Cut(ansi.Strip(a.labels[i].Label), "  ")
		if words != "" {
			said += ": " + words
		}
	}
	return a.question + " " + a.t.style.bold(said) + "\n"
}

// read reads one answer, which stays on the screen.
func (a *answer) read(ctx context.Context) (line string, ok bool) {
	a.line = ""
	a.t.screen.show(nil)
	a.t.screen.lines("")
	defer func() { a.t.screen.commit(a.stays(ok)) }()
	for {
		a.t.screen.show(a.drawing())
		key, more := a.t.keys.answer(ctx)
		switch {
		case !more || key == keyInterrupt || key == keyEscape || key == keyEOF && a.line == "":
			return "", false
		case key == "\r" || key == "\n":
			return a.line, true
		}
		before := a.line
		a.press(key)
		if a.oneKey && before == "" && a.line == key && a.acts() && a.t.keys.onlyKey() {
			a.t.screen.show(a.drawing()) // a dumb terminal has to be told what was chosen
			return a.line, true
		}
	}
}

// acts reports whether the line so far is the number of a choice that needs no
// more words. A letter does not act: it may be the first one of a prompt that the
// user began to type when the question came.
func (a *answer) acts() bool {
	i, _, found := pick(a.line, a.labels)
	return found && !a.labels[i].Text && a.line == strconv.Itoa(i+1)
}

// press handles a key that does not end the answer.
func (a *answer) press(key string) {
	named := keyOf(key)
	switch {
	case a.choices > 0 && (named == keyUp || key == "\x10"): // or ^P
		a.marked = (a.marked + a.choices - 1) % a.choices
	case a.choices > 0 && (named == keyDown || key == "\x0e"): // or ^N
		a.marked = (a.marked + 1) % a.choices
	case key == "\x7f" || key == "\b":
		_, n := utf8.DecodeLastRuneInString(a.line)
		a.line = a.line[:len(a.line)-n]
	case key == "\x15": // ^U
		a.line = ""
	case key[0] >= ' ' && utf8.ValidString(key) && Clean(key) == key:
		a.line += key
	}
}

func (a *answer) draft() draft {
	line := a.line
	if n := utf8.RuneCountInString(line); a.secret && n > 0 {
		line = fmt.Sprintf("(hidden: %d characters)", n)
	}
	return draft{mark: a.ask(a.marked), line: line, cursor: len(line)}
}

// drawing draws the choices and the answer so far.
func (a *answer) drawing() drawing {
	d, above := a.draft(), []string(nil)
	if a.above != nil {
		above = a.above(a.marked)
	}
	return func(width, height int) frame {
		f := d.frame(width, height)
		var rows []string
		for _, row := range above {
			rows = append(rows, wrapRows(row, width)...)
		}
		if len(rows)+len(f.rows) > height { // all choices must be visible
			rows = rows[:0]
			for _, row := range above {
				rows = append(rows, truncate(row, width-1))
			}
		}
		f.rows, f.row = append(rows, f.rows...), f.row+len(rows)
		return f
	}
}
