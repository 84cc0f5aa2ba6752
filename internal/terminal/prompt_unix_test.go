//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestKeysOfEmacs and TestKeysOfVi: what is pressed, and the line that comes of
// it. Earlier prompts are "first one" and "second two".
func TestKeysOfEmacs(t *testing.T) {
	t.Parallel()
	w := openWindow(t, 80, 24, Options{})
	for _, c := range []struct{ name, keys, want string }{
		{"typed", "hello", "hello"},
		{"^A ^E", "b\x01a\x05c", "abc"},
		{"Home, End", "b\x1b[Ha\x1b[Fc", "abc"},
		{"Home, End of other terminals", "b\x1b[1~a\x1b[4~c\x1bOH0\x1bOF9", "0abc9"},
		{"^B ^F", "ac\x02b\x06d", "abcd"},
		{"arrows", "ac\x1b[Db\x1b[Cd", "abcd"},
		{"arrows of the keypad", "ac\x1bODb\x1bOCd", "abcd"},
		{"backspace, ^H", "abx\x7fcx\bd", "abcd"},
		{"Delete", "xab\x01\x1b[3~", "ab"},
		{"^D in a line", "xab\x01\x04", "ab"},
		{"^K ^Y", "one two\x01\x0b\x19", "one two"},
		{"^U", "one two\x15three", "three"},
		{"^W", "one two\x17three", "one three"},
		{"Alt-Backspace", "one two\x1b\x7fthree", "one three"},
		{"Alt-B, Alt-D", "one two\x1bb\x1bd2", "one 2"},
		{"Alt-B, Alt-F", "one two\x1bb\x1bb\x1bf!", "one !two"},
		{"Ctrl-arrows", "one two\x1b[1;5D\x1b[1;5D\x1b[1;5C!", "one !two"},
		{"Ctrl-Delete", "one two\x01\x1b[3;5~", " two"},
		{"^T", "ba\x14", "ab"},
		{"^T with nothing to turn", "a\x14", "a"},
		{"Alt-Enter", "one\x1b\rtwo", "one\ntwo"},
		{"backslash", "one\\\rtwo", "one\ntwo"},
		{"a backslash that is not last", "one\\two", `one\two`},
		{"paste", "\x1b[200~one\rtwo\x1b[201~!", "one\ntwo!"},
		{"wide characters", "漢字\x1b[D\x7f文", "文字"},
		{"^L", "ab\x0cc", "abc"},
		// earlier prompts
		{"up", "\x1b[A", "second two"},
		{"^P ^P", "\x10\x10", "first one"},
		{"up, up, down", "\x1b[A\x1b[A\x1b[B", "second two"},
		{"up, changed", "\x1b[A\x7f\x7f\x7f2", "second 2"},
		{"^R", "\x12first", "first one"},
		{"^R, any case", "\x12FIRST", "first one"},
		{"^R, changed", "\x12first\x05!", "first one!"},
		{"^R ^G", "kept\x12first\x07", "kept"},
		{"^R Esc", "kept\x12first\x1b", "kept"},
		{"^R, as far as it is found", "\x12nowhere", "second two"},
		// what means nothing
		{"function keys", "a\x1bOP\x1b[15~b\x1b[Zc", "abc"},
		{"Alt with a letter", "a\x1bxb", "ab"},
		{"control characters", "a\x1c\x1d\x1e\x1fb", "ab"},
		{"Delete in an empty line", "\x1b[3~a", "a"},
	} {
		w.remember([]string{"first one", "second two"})
		if strings.HasSuffix(c.keys, keyEscape) {
			c.keys += "\x1b[C" // a key, so that the escape is one
		}
		line, err := w.prompt(c.keys + "\r")
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, line, c.name)
	}
}

func TestKeysOfVi(t *testing.T) {
	t.Parallel()
	w := openWindow(t, 80, 24, Options{Vim: true})
	for _, c := range []struct{ name, keys, want string }{
		{"inserted", "hello", "hello"},
		{"arrows while inserting", "ac\x1b[Db\x1b[Cd", "abcd"},
		{"h i", "ac|hib", "bac"},
		{"a", "a|ab", "ab"},
		{"I A", "b|Ia|Ac", "abc"},
		{"0 $", "bc|0ia|$ad", "abcd"},
		{"w dw", "one two three|0wdw", "one three"},
		{"de", "one two|0de", " two"},
		{"db", "one two|db", "one o"},
		{"2dw", "one two three|02dw", "three"},
		{"d2w", "one two three|0d2w", "three"},
		{"dd", "one two|ddthree", ""},
		{"cc", "one two|ccthree", "three"},
		{"cw leaves the blank", "one two|0cw1", "1 two"},
		{"ciw is not known", "one|ciw", "one"},
		{"D", "one two|0wD", "one "},
		{"C", "one two|0wC2", "one 2"},
		{"x X", "abcd|xX", "ac"},
		{"3x", "abcdef|03x", "def"},
		{"s S", "abc|sd|Sxyz", "xyz"},
		{"r", "abc|rd", "abd"},
		{"r at the end of nothing", "|rx", ""},
		{"f ; ,", "a.b.c.d|0f.;x,x", "abc.d"},
		{"t dt", "one, two|0dt,", ", two"},
		{"dF", "one, two|dF,", "oneo"},
		{"e at the end", "abc|eee", "abc"},
		{"yw P", "one two|0ywP", "one one two"},
		{"dw p", "one two|0dwp", "tone wo"},
		{"u", "one two|0dwu", "one two"},
		{"~", "abc|0~~", "ABc"},
		{"k", "|k", "second two"},
		{"kk j", "|kkj", "second two"},
		{"up while not inserting", "|\x1b[A", "second two"},
		{"an operator that Esc ends", "abc|d|x", "ab"},
		{"Enter ends an operator too", "abc|d", "abc"},
		{"W B E", "a.b c.d|BiX|0Ea!", "a.b! Xc.d"},
	} {
		w.remember([]string{"first one", "second two"})
		line, err := w.prompt(strings.ReplaceAll(c.keys, "|", keyEscape+keyEscape) + "\r")
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, line, c.name)
	}
}

// TestPromptEnds: by ^C and ^D, which differ for an empty line.
func TestPromptEnds(t *testing.T) {
	t.Parallel()
	w := openWindow(t, 80, 24, Options{})
	line, err := w.prompt("half\x03")
	assert.Equal(t, []any{"", nil}, []any{line, err}, "the line is dropped, and no more")
	_, err = w.prompt(keyInterrupt)
	assert.ErrorIs(t, err, ErrInterrupted)
	_, err = w.prompt(keyEOF)
	assert.ErrorIs(t, err, io.EOF)

	done := make(chan error, 1)
	go func() {
		line, err := w.Prompt()
		assert.Empty(t, line, "what is half written is not sent")
		done <- err
	}()
	w.press("half")
	w.await("> half")
	w.Hangup()
	assert.ErrorIs(t, <-done, io.EOF)
	_, err = w.Prompt()
	assert.ErrorIs(t, err, io.EOF)
}

// TestLargePastes: they come whole, as one prompt, at once, and stand in the
// prompt as one short note.
func TestLargePastes(t *testing.T) { // alone, for it looks at the memory
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "line %d of a long text, \tand so on\n", i)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	want := strings.ReplaceAll(text, "\t", "    ")
	for _, c := range []struct{ name, before, after, end, want string }{
		{"bracketed", pasteStart, pasteEnd, "\r", "see " + want + "!"},
		{"without brackets", "", "", "\r", "see " + want + "!"},
		{"bracketed, discarded", pasteStart, pasteEnd, keyInterrupt, ""},
		{"without brackets, discarded", "", "", keyInterrupt, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openWindow(t, 80, 24, Options{})
			done := make(chan string, 1)
			go func() {
				line, err := w.Prompt()
				assert.NoError(t, err)
				done <- line
			}()
			w.await(Hint)
			w.press("see ")
			w.await("> see")
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			w.press(c.before + strings.ReplaceAll(text, "\n", "\r") + c.after)
			w.awaitQuiet()
			w.press("!")
			screen := w.await(" lines]!") // a busy machine may give it in parts
			assert.Contains(t, screen, "> see [pasted: ")
			assert.NotContains(t, screen, "line 1")
			runtime.GC()
			runtime.ReadMemStats(&after)
			assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(16<<20), "a paste of 400 KB")
			w.press(c.end)
			assert.Equal(t, c.want, <-done)
			w.Hangup()
			_, err := w.Prompt() // is over once the one before is
			assert.ErrorIs(t, err, io.EOF)
			assert.Empty(t, w.Terminal.keys.pastes.texts, "what was discarded is forgotten")
			assert.Empty(t, w.prompts, "nobody goes back to what was pasted")
		})
	}
}

// TestNoKeysBreakIt: whatever is typed, in whatever order, the prompt goes on.
func TestNoKeysBreakIt(t *testing.T) {
	t.Parallel()
	keys := []string{"a", "b", " ", ".", "漢", "e", "w", "b", "d", "c", "r", "f", "t", "x", "p", "u", "0", "$", "3", "~", "D", "C",
		"\x01", "\x02", "\x04", "\x05", "\x06", "\x07", "\x08", "\x09", "\x0b", "\x0c", "\x0e", "\x10", "\x12", "\x13", "\x14", "\x15",
		"\x17", "\x19", "\x1b", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[3~", "\x1b[1;5C", "\x1bd", "\x7f", "\xff", "\x00", "\r", "\x03"}
	seeds := uint64(8)
	if raceDetector { // the line editor's own buffer races between two prompts, now and then
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			w := openWindow(t, 30, 8, Options{Vim: seed%2 == 0, Complete: func(_ context.Context, line string) ([]Suggestion, int) {
				return [][]Suggestion{nil, {{Text: "x"}}, {{Text: "abc"}, {Text: "/abd"}}, {{Text: "a"}, {Text: "@b"}}}[len(line)%4], len(line) % 3
			}})
			w.History(filepath.Join(t.TempDir(), "history"))
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					line, _ := w.Prompt()
					if line == "the end" {
						return
					}
				}
			}()
			for range 3000 {
				w.press(keys[random.IntN(len(keys))])
			}
			w.awaitQuiet() // what was typed as fast as this may pass for a paste
			// A ^C between two prompts gives back what was typed ahead, and that may be
			// anything: then the end comes behind it, and has to come again.
			k, ended := w.Terminal.keys, false
			taken := func() bool { // each key, by a prompt that has not ended
				select {
				case <-done:
					ended = true
				default:
				}
				k.mu.Lock()
				defer k.mu.Unlock()
				return ended || k.mode == prompting && len(k.queue) == 0
			}
			for !ended {
				w.press("\x1b\x1b[C\x07\x03") // out of whatever mode
				w.awaitQuiet()                // what is read together with it could pass for a paste
				waittest.Until(t, taken)
				w.press("the end\r")
				w.awaitQuiet()
				waittest.Until(t, taken)
			}
		})
	}
}

// TestHistory is kept in a file, one line for each prompt.
func TestHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "history")
	w := openWindow(t, 80, 24, Options{})
	w.History(path)
	for _, keys := range []string{"one\\\rtwo\r", "three\r", "three\r", "  \r"} {
		_, err := w.prompt(keys)
		require.NoError(t, err)
	}
	again := openWindow(t, 80, 24, Options{})
	again.History(path)
	assert.Equal(t, []string{"one" + string(newlineMark) + "two", "three"}, again.prompts)
	line, err := again.prompt("\x1b[A\x1b[A\r")
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo", line)
}

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
	w, sent := offering(t, Options{}, 40, 12)
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
