package terminal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A Choice is one of the answers to a question. Keys are what it is taken by
// beside its number; Text: words after the key belong to the answer.
type Choice struct {
	Label string
	Keys  []string
	Text  bool
}

// Choose asks question and returns the index of the choice taken: by number or
// letter and Enter; Enter alone takes the first one, marked. words is what was
// written behind it. ok is false for ^C, Esc, and a terminal that is gone.
func (t *Terminal) Choose(ctx context.Context, question string, choices []Choice) (index int, words string, ok bool) {
	var b strings.Builder
	for i, c := range choices {
		mark := "  "
		if i == 0 {
			mark = t.style.green("●") + " "
		}
		fmt.Fprintf(&b, "%s%d. %s\n", mark, i+1, c.Label)
	}
	// From here on keys answer: who reads the choices may type at once.
	defer t.keys.leave(t.keys.ask())
	t.screen.lines(b.String())
	for {
		said, ok := t.readAnswer(ctx, question+t.style.dim(" [1] "))
		if !ok {
			return 0, "", false
		}
		if index, words, found := pick(said, choices); found {
			return index, words, true
		}
		t.screen.lines(t.style.yellow(fmt.Sprintf("Type a number from 1 to %d, or a first letter, then Enter. Esc refuses.", len(choices))))
	}
}

// pick finds the choice that said means.
func pick(said string, choices []Choice) (index int, words string, found bool) {
	said = strings.TrimSpace(said)
	if said == "" {
		return 0, "", true
	}
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
// line, and a terminal that is gone. Nothing that was typed before counts.
func (t *Terminal) Ask(ctx context.Context, question string) (line string, ok bool) {
	defer t.keys.leave(t.keys.ask())
	return t.readAnswer(ctx, question)
}

func (t *Terminal) readAnswer(ctx context.Context, question string) (line string, ok bool) {
	t.screen.lines("")
	t.screen.write(question)
	defer t.screen.write("\n")
	for {
		key, more := t.keys.answer(ctx)
		switch {
		case !more || key == keyInterrupt || key == keyEscape || key == keyEOF && line == "":
			return "", false
		case key == "\r" || key == "\n":
			return line, true
		case key == "\x7f" || key == "\b":
			if line != "" {
				last, n := utf8.DecodeLastRuneInString(line)
				line = line[:len(line)-n]
				t.rubOut(last)
			}
		case key == "\x15": // ^U
			for _, r := range line {
				t.rubOut(r)
			}
			line = ""
		case key[0] >= ' ' && utf8.ValidString(key) && Clean(key) == key:
			line += key
			t.screen.write(key)
		}
	}
}

// rubOut wipes the character before the cursor.
func (t *Terminal) rubOut(r rune) {
	n := ansi.StringWidth(string(r))
	t.screen.write(strings.Repeat("\b", n) + strings.Repeat(" ", n) + strings.Repeat("\b", n))
}
