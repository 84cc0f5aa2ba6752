//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/slash"
	"minigem/tools/workspace"
)

// offering starts a prompt with a menu. The channel receives the line that is sent.
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

// TestMenu checks that a command or an "@" shows completions. Tab accepts one, arrows
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

// TestMenuStaysSmall checks that a long menu scrolls, that it is shorter in a low
// window, and that it is redrawn after a resize.
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

// TestMenuAndHistory checks that text from the history opens no menu, so that the next
// key continues through the history.
func TestMenuAndHistory(t *testing.T) {
	t.Parallel()
	w, sent := offering(t, Options{}, 40, 12)
	w.history.remember([]string{"older", "/c"})
	w.press("\x1b[A")
	w.awaitThat("the command alone", func(text string) bool { return text == "> /c" })
	w.press("\x1b[A")
	w.awaitThat("the one before it", func(text string) bool { return text == "> older" })
	w.press("\r")
	assert.Equal(t, "older", <-sent)
}

// TestCompose checks that ^G and ^X ^E open the user's editor with the prompt, even of
// several lines. If the editor fails, the prompt stays as it is.
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

// BenchmarkMenu measures the time from a key to the file menu in a folder of 5,000
// files, and to the screen in a prompt without a menu.
func BenchmarkMenu(b *testing.B) {
	dir := b.TempDir()
	for i := range 5000 {
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%04d.txt", i)), nil, 0o644))
	}
	space, err := workspace.New(dir)
	require.NoError(b, err)
	index := &slash.FileIndex{ByName: true}
	complete := func(ctx context.Context, line string) (out []Suggestion, replaced int) {
		found, replaced := index.Suggest(ctx, slash.Files{Workspace: space}, line)
		for _, s := range found {
			out = append(out, Suggestion{Text: s.Text, Label: s.Label})
		}
		return out, replaced
	}
	for _, c := range []struct{ name, begins, first string }{{"yardstick: no menu", "n", ""}, {"menu of 5,000 files", "@n", "n%c000.txt"}} {
		b.Run(c.name, func(b *testing.B) {
			w := openWindow(b, 80, 24, Options{Complete: complete})
			go func() { _, _ = w.Prompt() }()
			w.await(Hint[:8])
			w.press(c.begins)
			w.await("> " + c.begins)
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				key, typed, first := "\x7f", c.begins, byte('0')
				if i%2 == 0 {
					first = byte('0' + i%5)
					key = string(rune(first))
					typed += key
				}
				want := ""
				if c.first != "" {
					want = fmt.Sprintf(c.first, first)
				}
				began := time.Now()
				w.press(key)
				w.awaitThat(key, func(text string) bool {
					_, text, found := strings.Cut(text, "> "+typed)
					after, menu, _ := strings.Cut(text, "\n")
					return found && strings.TrimSpace(after) == "" && strings.Contains(strings.SplitN(menu, "\n", 2)[0], want)
				})
				times = append(times, time.Since(began))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
