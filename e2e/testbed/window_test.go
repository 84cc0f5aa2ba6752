package testbed

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/costtest"
	"minigem/internal/proc"
	"minigem/internal/waittest"
)

// testWindow returns a window without a program. The test writes what one would.
func testWindow(t *testing.T, columns int) (w *window, write func(string)) {
	t.Helper()
	w, err := openWindow(columns)
	if errors.Is(err, proc.ErrNoTerminal) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(w.close)
	return w, func(text string) {
		t.Helper()
		_, err := w.tty.WriteString(text)
		require.NoError(t, err)
	}
}

// shows waits for text.
func (w *window) shows(t *testing.T, text string) {
	t.Helper()
	assert.NoError(t, w.until(t.Context(), 10*time.Second, nil, func() bool { return w.find(text) }), text)
}

func (w *window) lacks(t *testing.T, text string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.False(t, w.find(text), text)
}

func TestWindowFinds(t *testing.T) {
	t.Parallel()
	w, write := testWindow(t, 40)
	write("Allow one? Allow two?\r\nand more\r\n")
	w.shows(t, "Allow")
	w.shows(t, "Allow two?\nand")
	w.lacks(t, "Allow")
	write("Allow three?\r\n")
	w.shows(t, "Allow three?")

	// A status line is erased: what replaces it is new.
	write("waiting for slow")
	w.shows(t, "for slow")
	write("\r\x1b[KAllow four?")
	w.shows(t, "Allow four?")

	// A line broken at the edge is whole.
	write("\r\na line that is longer than forty columns are, in all\r\n")
	w.shows(t, "longer than forty columns are, in all")
	assert.Contains(t, w.text(), "a line that is longer than forty columns are, in all\n")

	// After the screen is cleared, the search starts over.
	write("\x1b[H\x1b[2JAllow five?")
	w.shows(t, "Allow five?")
	assert.Equal(t, "Allow five?\n", w.text())
}

// TestWindowMoves: what follows a question moves up if only one line of the question
// remains.
func TestWindowMoves(t *testing.T) {
	t.Parallel()
	for _, waited := range []string{"Allow", "[1]", "+goodbye"} {
		w, write := testWindow(t, 40)
		question := "? Confirm\r\n  -hello\r\n  +goodbye\r\n1. Yes\r\n2. No\r\nAllow? [1] "
		write("Allow nothing? [1] +goodbye\r\n> Go\r\n")
		w.shows(t, "> Go")
		write(question)
		w.shows(t, waited)
		w.lacks(t, waited)
		write("\r\x1b[5A\x1b[JAllow? Yes\r\nEdited.\r\n")
		w.shows(t, "Edited.")
		write(question)
		w.shows(t, waited)
		write("\r\x1b[5A\x1b[JAllow? Yes\r\nAnd more.\r\n")
		waittest.Until(t, func() bool { return strings.Contains(w.text(), "And more.") })
		w.lacks(t, waited)
		write("? Confirm\r\n  +goodbye\r\nAllow? [1] ")
		w.shows(t, waited)
		w.lacks(t, waited)
	}
}

// TestWindowFindsInLongOutput: what a wait finds does not depend on the amount of earlier
// output, and a wait only rereads the lines of a window.
func TestWindowFindsInLongOutput(t *testing.T) { // not parallel: it counts what the process allocates
	costtest.Linear(t, func(n int) {
		w, write := testWindow(t, 40)
		for i := range n {
			write(fmt.Sprintf("line %d\r\nand more of it, which is longer than the window\r\n", i))
			if i%5 == 0 { // some waits are for what has passed, some find nothing yet
				w.shows(t, fmt.Sprintf("line %d\nand more", i))
			}
		}
		write("the last one")
		w.shows(t, "the last one")
		w.lacks(t, "line")
		assert.True(t, strings.HasPrefix(w.text(), "line 0\nand more of it, which is longer than the window\nline 1\n"))
		assert.Equal(t, 2*n+1, strings.Count(w.text(), "\n"))
		write("\x1b[H\x1b[2Jnew")
		w.shows(t, "new")
		assert.Equal(t, "new\n", w.text())
	}, 10, 100, 1_000, 3_000)

	w, write := testWindow(t, 40)
	write("Allow? 1\r\n")
	w.shows(t, "Allow?")
	for range 1_000 {
		write("Allow more?\r\n")
	}
	write("END")
	waittest.Until(t, func() bool { return strings.HasSuffix(w.text(), "END\n") })
	w.shows(t, "Allow more?\nAllow more?")
	for range 998 {
		w.shows(t, "Allow more?")
	}
	w.lacks(t, "Allow more?")
	w.shows(t, "END")
}

// TestWindowSubmitted: a wait does not match the echo of a prompt.
func TestWindowSubmitted(t *testing.T) {
	t.Parallel()
	dumb, write := testWindow(t, 40)
	write("banner\r\n> ")
	assert.NoError(t, dumb.until(t.Context(), 10*time.Second, nil, dumb.isReady))
	dumb.submitted()
	write("Allow me\r\nno echo")
	dumb.shows(t, "no echo")
	dumb.mu.Lock()
	assert.False(t, dumb.isReady())
	dumb.mu.Unlock()
	w, write := testWindow(t, 40)
	write("\x1b[?2004hbanner\r\n" + ready)
	assert.NoError(t, w.until(t.Context(), 10*time.Second, nil, w.isReady))
	w.submitted()
	write("\r\x1b[K> Allow me\r\nno echo\r\n")
	w.shows(t, "no echo")
	w.lacks(t, "Allow me")
	w.lacks(t, ready)
	w.mu.Lock()
	assert.False(t, w.isReady())
	w.mu.Unlock()
}

func TestWindowWaitsInVain(t *testing.T) {
	t.Parallel()
	w, write := testWindow(t, 40)
	never := func() bool { return w.find("never") }
	assert.EqualError(t, w.until(t.Context(), time.Millisecond, nil, never), "it does not after 1ms")
	ended := make(chan struct{})
	close(ended)
	write("the last words")
	assert.NoError(t, w.until(t.Context(), time.Minute, ended, func() bool { return w.find("last words") }), "what was written before the end is read")
	assert.EqualError(t, w.until(t.Context(), time.Minute, ended, never), "it does not, and the chat has ended")
}

func TestKeyNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"enter": "\r", "ctrl-a": "\x01", "ctrl-z": "\x1a", "up": "\x1b[A", "y": "y", "é": "é",
		"ctrl-": "", "ctrl-aa": "", "ctrl-1": "", "entr": "", "": "",
	} {
		assert.Equal(t, want, keyNamed(name), name)
	}
}
