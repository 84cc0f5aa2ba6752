//go:build unix

package terminal

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
	"minigem/internal/waittest"
)

// TestKeysOfEmacs and TestKeysOfVi check which line results from the pressed keys.
// Earlier prompts are "first one" and "second two".
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
		// keys without a meaning
		{"function keys", "a\x1bOP\x1b[15~b\x1b[Zc", "abc"},
		{"Alt with a letter", "a\x1bxb", "ab"},
		{"control characters", "a\x1c\x1d\x1e\x1fb", "ab"},
		{"Delete in an empty line", "\x1b[3~a", "a"},
	} {
		w.history.remember([]string{"first one", "second two"})
		if strings.HasSuffix(c.keys, keyEscape) {
			c.keys += "\x1b[C" // another key, so that the escape counts as one
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
		{"ciw", "one two three|0wciwX", "one X three"},
		{"ciw at its end", "one two|ciwX", "one X"},
		{"daw", "one two three|0wdaw", "one three"},
		{"daw of the last", "one two|daw", "one"},
		{"diW", "a.b c|0diW", " c"},
		{"yiw P", "one two|0yiwP", "oneone two"},
		{"ci\"", `say "hello you" now|0ci"bye`, `say "bye" now`},
		{"da'", "a 'b' c|0da'", "a  c"},
		{"ci\" with an escape", `"a\"b"|0ci"x`, `"x"`},
		{"di(", "f(a, g(b))|0fbdi(", "f(a, g())"},
		{"dib", "f(a, g(b))|0fadib", "f()"},
		{"ca[", "x[1][2]|0f1ca[y", "xy[2]"},
		{"di{ without any", "none|0di{", "none"},
		{"an object that there is not", "none|0diqx", "one"},
		{"db", "one two|db", "one o"},
		{"2dw", "one two three|02dw", "three"},
		{"d2w", "one two three|0d2w", "three"},
		{"dd", "one two|ddthree", ""},
		{"cc", "one two|ccthree", "three"},
		{"cw leaves the blank", "one two|0cw1", "1 two"},
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
		w.history.remember([]string{"first one", "second two"})
		line, err := w.prompt(strings.ReplaceAll(c.keys, "|", keyEscape+keyEscape) + "\r")
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, line, c.name)
	}
}

// TestPromptEnds checks ^C and ^D, which act differently in an empty line.
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

// TestLargePastes checks that they arrive in full, at once, as one prompt, and are
// shown in the prompt as one short note.
func TestLargePastes(t *testing.T) { // not parallel: it measures memory
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
			screen := w.await(" lines]!") // a busy machine may deliver it in parts
			assert.Contains(t, screen, "> see [pasted: ")
			assert.NotContains(t, screen, "line 1")
			runtime.GC()
			runtime.ReadMemStats(&after)
			assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(16<<20), "a paste of 400 KB")
			w.press(c.end)
			assert.Equal(t, c.want, <-done)
			w.Hangup()
			_, err := w.Prompt() // ends once the previous one has
			assert.ErrorIs(t, err, io.EOF)
			assert.Empty(t, w.Terminal.keys.pastes.texts, "what was discarded is forgotten")
			assert.Empty(t, w.history.prompts, "nobody goes back to what was pasted")
		})
	}
}

// TestNoKeysBreakIt checks that the prompt keeps working whatever is typed, in any
// order.
func TestNoKeysBreakIt(t *testing.T) {
	t.Parallel()
	keys := []string{"a", "b", " ", ".", "漢", "e", "w", "b", "d", "c", "r", "f", "t", "x", "p", "u", "0", "$", "3", "~", "D", "C",
		"\x01", "\x02", "\x04", "\x05", "\x06", "\x07", "\x08", "\x09", "\x0b", "\x0c", "\x0e", "\x10", "\x12", "\x13", "\x14", "\x15",
		"\x17", "\x19", "\x1b", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[3~", "\x1b[1;5C", "\x1bd", "\x7f", "\xff", "\x00", "\r", "\x03"}
	seeds := uint64(8)
	if thorough.Race { // the line editor's own buffer sometimes races between two prompts
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
			w.awaitQuiet() // text typed this fast may be taken for a paste
			// A ^C between two prompts gives back what was typed ahead, which may be
			// anything. The ending keys then come after it and must be pressed again.
			k, ended := w.Terminal.keys, false
			taken := func() bool { // each key was taken by a prompt that has not ended
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
				w.press("\x1b\x1b[C\x07\x03") // leaves whatever mode it is in
				w.awaitQuiet()                // read together with the next keys, it could be taken for a paste
				waittest.Until(t, taken)
				w.press("the end\r")
				w.awaitQuiet()
				waittest.Until(t, taken)
			}
		})
	}
}

// TestHistory checks that prompts are kept in a file, one per line.
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
	assert.Equal(t, []string{"one" + string(newlineMark) + "two", "three"}, again.history.prompts)
	line, err := again.prompt("\x1b[A\x1b[A\r")
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo", line)
}
