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

// Choice is one possible answer to a question. Its number or any of Keys chooses it.
// Text means that words after the key are part of the answer.
type Choice struct {
	Label string
	Keys  []string
	Text  bool
}

// Dialogue is one or more questions that belong together. A question and the lines
// above it are shown in a single write, and keys answer it from just before that write,
// so no user or program can see a question before its keys count. Keys typed between
// two questions, even during work, wait for the next one. A dialogue waits until any
// other dialogue has ended, so End must be called.
type Dialogue struct {
	t    *Terminal
	open bool // a question was shown
	mode mode // before the first question
}

// Dialogue returns a dialogue that begins with its first question.
func (t *Terminal) Dialogue() *Dialogue { return &Dialogue{t: t} }

// End ends the dialogue. Keys that no question took are for the prompt.
func (d *Dialogue) End() {
	if d.open {
		d.open = false
		d.t.keys.leave(d.mode)
		<-d.t.dialogue
	}
}

// begin waits until no other dialogue is open. ok is false if ctx ends first.
func (d *Dialogue) begin(ctx context.Context) (first, ok bool) {
	if d.open {
		return false, ctx.Err() == nil
	}
	select {
	case d.t.dialogue <- struct{}{}:
		d.open = true
		return true, true
	case <-ctx.Done():
		return false, false
	}
}

// Choose shows lines, asks question below them and returns the index of the chosen
// answer. The user types its number or letter, or moves the mark with the arrow keys,
// and presses Enter. Enter alone chooses the marked answer, initially the first. words
// is the text after the key. ok is false for ^C, Esc, and a terminal that is gone.
func (d *Dialogue) Choose(ctx context.Context, lines, question string,
	choices []Choice) (index int, words string, ok bool) {
	return d.choose(ctx, choice{lines: lines, question: question, stays: question, choices: choices})
}

// Confirm is like Choose, for a permission: keys typed before the question was visible
// do not answer it, but wait for the prompt.
func (d *Dialogue) Confirm(ctx context.Context, lines, question string,
	choices []Choice) (index int, words string, ok bool) {
	return d.choose(ctx, choice{lines: lines, question: question, stays: question, choices: choices, fresh: true})
}

// Choose asks one question in a dialogue of its own. See [Dialogue.Choose].
func (t *Terminal) Choose(ctx context.Context, lines, question string,
	choices []Choice) (index int, words string, ok bool) {
	d := t.Dialogue()
	defer d.End()
	return d.Choose(ctx, lines, question, choices)
}

// choice is a question with choices. about is what the question is about, shown above
// it in the frame. If it is set, a number alone answers without Enter, unless something
// was typed ahead: a user who was typing when the question appeared must press Enter.
// stays is what remains on the screen, together with the answer, in words that make
// sense alone. If the window is too low for everything, about is printed first, so that
// nobody answers what they could not read.
type choice struct {
	lines, about    string
	question, stays string
	choices         []Choice
	fresh           bool // keys from before the question do not answer it
}

func (d *Dialogue) choose(ctx context.Context, c choice) (index int, words string, ok bool) {
	t := d.t
	a := answer{d: d, lines: c.lines, fresh: c.fresh, keep: c.about == "", labels: c.choices, oneKey: c.about != ""}
	if !a.keep {
		a.lines, a.about = "\n", strings.Split(strings.Trim(c.about, "\n"), "\n")
		if width, height := t.Size(); t.style.dumb || t.rows(a.about, width)+t.rows(t.list(c.choices, 0), width)+4 > height {
			a.lines, a.about = c.about, nil
		}
	}
	if t.style.dumb {
		a.lines = strings.TrimSuffix(a.lines, "\n") + "\n" + strings.Join(t.list(c.choices, 0), "\n")
	}
	a.ask = func(marked int) string { return c.question + t.style.dim(fmt.Sprintf(" [%d] ", marked+1)) }
	a.question = c.stays
	a.above = func(marked int) []string { return append(slices.Clone(a.about), t.list(c.choices, marked)...) }
	a.choices = len(c.choices)
	for {
		said, ok := a.read(ctx)
		if !ok {
			return 0, "", false
		}
		if strings.TrimSpace(said) == "" {
			return a.marked, "", true
		}
		if index, words, found := pick(said, c.choices); found {
			return index, words, true
		}
		a.lines = t.style.yellow(fmt.Sprintf("Type a number from 1 to %d, or a first letter, then Enter. Esc refuses.",
			len(c.choices)))
		a.fresh = false
	}
}

// rows counts the rows that lines take up.
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

// pick finds the choice that the user's words mean.
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

// Ask shows lines and reads one line after question. ok is false for ^C, Esc, ^D in
// an empty line, and a terminal that is gone.
func (d *Dialogue) Ask(ctx context.Context, lines, question string) (line string, ok bool) {
	a := answer{d: d, lines: lines, ask: func(int) string { return question }}
	return a.read(ctx)
}

// AskSecret is like Ask, but never shows the line. Afterwards only its length is shown.
func (d *Dialogue) AskSecret(ctx context.Context, lines, question string) (line string, ok bool) {
	a := answer{d: d, lines: lines, ask: func(int) string { return question }, secret: true}
	return a.read(ctx)
}

// answer is what the user writes after a question, or the marked choice.
type answer struct {
	d       *Dialogue
	lines   string // shown above the question, at the same time
	fresh   bool   // keys from before it was shown do not count
	ask     func(marked int) string
	above   func(marked int) []string // the choices, or nil
	choices int
	marked  int
	line    string
	secret  bool // the line is not shown
	// Of a question with choices:
	keep     bool // the choices stay on the screen, too
	question string
	about    []string // lines above the choices
	labels   []Choice
	oneKey   bool // the number of a choice needs no Enter
}

// stays returns what remains of the question on the screen.
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
	return a.question + " " + a.d.t.style.bold(said) + "\n"
}

// read reads one answer and leaves it on the screen.
func (a *answer) read(ctx context.Context) (line string, ok bool) {
	first, ok := a.d.begin(ctx)
	if !ok {
		return "", false
	}
	t := a.d.t
	a.line = ""
	t.screen.present(a.lines, a.drawing(), func() {
		before := t.keys.ask(a.fresh || first)
		if first {
			a.d.mode = before
		}
		a.oneKey = a.oneKey && t.keys.ahead() == ""
	})
	defer func() { t.screen.commit(a.stays(ok)) }()
	for {
		key, more := t.keys.answer(ctx)
		switch {
		case !more || key == keyInterrupt || key == keyEscape || key == keyEOF && a.line == "":
			return "", false
		case key == "\r" || key == "\n":
			return a.line, true
		}
		before := a.line
		a.press(key)
		t.screen.show(a.drawing())
		// On a dumb terminal the choice has already been printed above.
		if a.oneKey && before == "" && a.line == key && a.acts() && t.keys.onlyKey() {
			return a.line, true
		}
	}
}

// acts reports whether the line so far is the number of a choice that takes no further
// words. A letter does not act: it may begin a prompt that the user was typing when the
// question appeared.
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
