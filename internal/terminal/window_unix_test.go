//go:build unix

package terminal

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"minigem/internal/waittest"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"
)

// A window is a Terminal in a pseudo-terminal of this process, with an emulator that
// shows what a person would see.
type window struct {
	*Terminal
	t    testing.TB
	keys *os.File // the other side of the pseudo-terminal

	mu      sync.Mutex
	screen  vt10x.Terminal
	raw     strings.Builder
	changed *sync.Cond
}

func openWindow(t testing.TB, columns, rows int, o Options) *window {
	t.Helper()
	master, slave, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(slave, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}))
	w := &window{t: t, keys: master, screen: vt10x.New(vt10x.WithSize(columns, rows))}
	w.changed = sync.NewCond(&w.mu)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.watch()
	}()
	o.In, o.Out = slave, slave
	w.Terminal, err = Open(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		w.Close()
		slave.Close()
		<-watched
		master.Close()
	})
	return w
}

func (w *window) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := w.keys.Read(buf)
		w.mu.Lock()
		_, _ = w.screen.Write(buf[:n]) // the emulator takes everything
		w.raw.Write(buf[:n])
		w.changed.Broadcast()
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *window) press(keys string) {
	w.t.Helper()
	_, err := w.keys.WriteString(keys)
	require.NoError(w.t, err)
}

// text returns what the screen shows, without trailing blanks.
func (w *window) text() string {
	lines := strings.Split(w.screen.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// await waits until the screen shows something, and returns the screen.
func (w *window) await(want string) string {
	w.t.Helper()
	return w.awaitThat(want, func(text string) bool { return strings.Contains(text, want) })
}

func (w *window) awaitThat(what string, ok func(text string) bool) string {
	w.t.Helper()
	late := waittest.Context(w.t)
	defer context.AfterFunc(late, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changed.Broadcast()
	})()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !ok(w.text()) {
		require.NoError(w.t, late.Err(), "the screen does not show %s:\n%s", what, w.text())
		w.changed.Wait()
	}
	return w.text()
}

// prompt reads a line while pressing keys at a ready prompt.
func (w *window) prompt(keys string) (string, error) {
	w.t.Helper()
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := w.Prompt()
		done <- result{line, err}
	}()
	w.awaitPrompt()
	w.press(keys)
	select {
	case r := <-done:
		return r.line, r.err
	case <-waittest.Context(w.t).Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		require.FailNow(w.t, "the prompt does not end", "keys %q:\n%s", keys, w.text())
		return "", nil
	}
}

// awaitPrompt waits until keys go to a prompt.
func (w *window) awaitPrompt() {
	w.t.Helper()
	k := w.Terminal.keys
	defer context.AfterFunc(waittest.Context(w.t), w.Hangup)()
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.mode != prompting && !k.ended {
		k.changed.Wait()
	}
	require.False(w.t, k.ended, "there is no prompt")
}

// awaitQuiet waits until all pressed keys have been handled.
func (w *window) awaitQuiet() {
	w.t.Helper()
	const mark = "\x1b[I" // sent by the terminal, not the user
	heard := make(chan bool, 100)
	k := w.Terminal.keys
	k.mu.Lock()
	k.focus = func(yes bool) { heard <- yes }
	k.mu.Unlock()
	for {
		w.press(mark) // which has no meaning inside a paste
		select {
		case <-heard:
			return
		case <-time.After(4 * escapeTime):
		}
	}
}
