//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// offering is a prompt with a menu. It returns the line that is sent, too.
func offering(t *testing.T, o Options, columns, rows int) (*window, chan string) {
	o.Complete = func(_ context.Context, line string) ([]Suggestion, int) {
		switch {
		case line == "/", line == "/c":
			return []Suggestion{{"compress ", "/compress", "a summary"}, {"copy ", "/copy", "the answer"}}, len(line) - 1
		case line == "@", line == "see @":
			var all []Suggestion
			for i := range 20 {
				all = append(all, Suggestion{Text: fmt.Sprintf("notes%d.txt ", i), Label: fmt.Sprintf("notes%d.txt", i)})
			}
			return all, 0
		}
		return nil, 0
	}
	w := openWindow(t, columns, rows, o)
	done := make(chan string, 1)
	go func() {
		for {
			line, err := w.Prompt()
			if line != "" || err != nil {
				done <- line
				return
			}
		}
	}()
	w.await(Hint[:8])
	return w, done
}

// TestMenu: a command or an "@" shows what it may become; Tab takes it, arrows
// move, Esc closes, and Enter sends what was typed unless an arrow key chose.
func TestMenu(t *testing.T) {
	t.Parallel()
	const open = "> /c\n● /compress  a summary\n  /copy      the answer"
	for _, c := range []struct{ name, then, sees, sent string }{
		{"Tab takes the first", "\t", "> /compress", "/compress "},
		{"down and Tab", "\x1b[B\t", "> /copy", "/copy "},
		{"^N and Tab", "\x0e\t", "> /copy", "/copy "},
		{"up goes round", "\x1b[A\t", "> /copy", "/copy "},
		{"down twice goes round", "\x1b[B\x1b[B\t", "> /compress", "/compress "},
		{"down and Enter does not send", "\x1b[B\r", "> /copy", "/copy "},
		{"Enter sends what was typed", "", open, "/c"},
		{"Esc closes", "\x1b", "> /c", "/c"},
		{"Esc, then Tab opens", "\x1b\t", "> /compress", "/compress "},
		{"nothing for the word", "x", "> /cx", "/cx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, sent := offering(t, Options{}, 40, 12)
			w.press("/c")
			w.awaitThat("the menu", func(text string) bool { return text == open })
			for _, key := range strings.SplitAfter(c.then, "\x1b[B") {
				w.press(key)
				w.awaitQuiet()
			}
			w.awaitThat(c.sees, func(text string) bool { return text == c.sees })
			w.press("\r")
			assert.Equal(t, c.sent, <-sent)
		})
	}
}

// TestMenuStaysSmall: a long menu scrolls, in a low window it is lower, and a
// resized window draws it anew.
func TestMenuStaysSmall(t *testing.T) {
	t.Parallel()
	w, sent := offering(t, Options{}, 40, 30)
	w.press("see @")
	w.await("> see @\n● notes0.txt\n  notes1.txt")
	w.await("  notes7.txt\n  1 of 20")
	w.press(strings.Repeat("\x1b[B", 10))
	w.await("● notes10.txt")
	w.await("  11 of 20")
	w.press("\t\r")
	assert.Equal(t, "see @notes10.txt ", <-sent)

	w, sent = offering(t, Options{}, 12, 6)
	w.press("@")
	w.awaitThat("two of them", func(text string) bool { return text == "> @\n● notes0.t…\n  notes1.t…\n  1 of 20" })
	w.press("\x15")
	w.awaitThat("no menu", func(text string) bool { return !strings.Contains(text, "notes") })
	w.press("@")
	w.awaitThat("the same again", func(text string) bool { return strings.Contains(text, "● notes0.t…") })
	w.press("\x15\x1b[200~@\x1b[201~")
	w.awaitThat("after a paste, too", func(text string) bool { return strings.Contains(text, "● notes0.t…") })
	w.press("\r")
	assert.Equal(t, "@", <-sent)
}

// TestMenuAndHistory: what comes from the history opens no menu, so that the next
// key goes on through the history.
func TestMenuAndHistory(t *testing.T) {
	t.Parallel()
	w, sent := offering(t, Options{}, 40, 12)
	w.remember([]string{"older", "/c"})
	w.press("\x1b[A")
	w.awaitThat("the command alone", func(text string) bool { return text == "> /c" })
	w.press("\x1b[A")
	w.awaitThat("the one before it", func(text string) bool { return text == "> older" })
	w.press("\r")
	assert.Equal(t, "older", <-sent)
}

// TestCompose: ^G and ^X ^E open the user's editor with the prompt, of several
// lines too; one that fails leaves the prompt as it is.
func TestCompose(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"\x07", "\x18\x05"} {
		fail := true
		w, sent := offering(t, Options{Compose: func(text string) (string, error) {
			if fail {
				fail = false
				return "", errors.New("there is no \x1b[31meditor")
			}
			return text + "\nmore\t\x1b[2J\n", nil
		}}, 40, 12)
		w.press("ab" + keys)
		w.await("✗ there is no editor")
		w.await("> ab")
		w.press(keys)
		w.await("> ab\n… more")
		w.press("!\r")
		assert.Equal(t, "ab\nmore    !", <-sent)
	}
}
