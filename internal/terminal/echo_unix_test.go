//go:build unix

package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/internal/waittest"
)

// streaming streams an answer, one line per interval, until stop is closed or most
// lines were sent.
func streaming(v *View, stop <-chan struct{}, most int, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for i := range most {
		select {
		case <-stop:
			return
		case <-tick.C:
			v.Emit(event.TextDelta{Text: fmt.Sprintf("line %d\n\n", i)})
		}
	}
}

// TestTypingAheadIsSeen checks that text typed while an answer streams is shown below
// it, and that the answer arrives complete and in order.
func TestTypingAheadIsSeen(t *testing.T) {
	t.Parallel()
	const lines = 2000
	w := openWindow(t, 80, 24, Options{Getenv: func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }})
	v := NewView(w.Terminal, true)
	typed, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		v.Work("thinking", nil, func() {
			streaming(v, nil, lines/2, 200*time.Microsecond)
			<-typed
			streaming(v, nil, lines/2, 200*time.Microsecond)
		})
	}()
	w.await("line ") // whichever: they scroll by
	w.press("next thing")
	screen := w.await("> next thing")
	assert.Contains(t, screen[strings.LastIndex(screen, "\n"):], "> next thing", "it is in the last row")
	close(typed)
	<-ended
	line, err := w.prompt("\r")
	require.NoError(t, err)
	assert.Equal(t, "next thing", line)
	w.Print("all of it")
	w.await("all of it")
	w.mu.Lock()
	defer w.mu.Unlock()
	var got []string
	for l := range strings.Lines(w.raw.String()) {
		if i := strings.LastIndex(l, "line "); i >= 0 {
			got = append(got, strings.TrimSpace(l[i:]))
		}
	}
	var want []string
	for i := range lines {
		want = append(want, fmt.Sprintf("line %d", i%(lines/2)))
	}
	assert.Equal(t, want, got)
}

// BenchmarkEcho measures the time from a key press to the screen, both while 1,000
// lines a second stream and while none do.
func BenchmarkEcho(b *testing.B) {
	for _, c := range []struct {
		name     string
		interval time.Duration
	}{{"yardstick: no stream", time.Hour}, {"1000 lines a second", time.Millisecond}} {
		b.Run(c.name, func(b *testing.B) {
			w := openWindow(b, 80, 24, Options{})
			v := NewView(w.Terminal, true)
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				v.Work("thinking", nil, func() { streaming(v, stop, 1<<30, c.interval) })
			}()
			w.await("thinking")
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				key := string(rune('a' + i%26))
				began := time.Now()
				w.press(key)
				w.awaitThat(key, func(text string) bool {
					return strings.HasSuffix(text, key) && strings.Contains(text[strings.LastIndex(text, "\n")+1:], promptMark)
				})
				times = append(times, time.Since(began))
			}
			close(stop)
			<-ended
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// TestPanicsLeaveTheTerminal checks that a panic in any goroutine leaves the terminal
// as it was. The test binary runs itself in a terminal owned by a shell.
func TestPanicsLeaveTheTerminal(t *testing.T) {
	const child = "MINIGEM_TEST_PANICS"
	if os.Getenv(child) != "" {
		term, err := Open(Options{In: os.Stdin, Out: os.Stdout, Guard: NewGuard(os.Stdout)})
		require.NoError(t, err)
		_, err = term.Prompt()
		require.NoError(t, err)
		go func() { panic("somewhere else") }()
		select {}
	}
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(waittest.Lifetime(t), "bash", "-c", `"$0" -test.run='^TestPanicsLeaveTheTerminal$' 2>/dev/null; echo "ended $?"; stty -a; read -r _`, self)
	cmd.Env = []string{child + "=1", "PATH=" + os.Getenv("PATH"), "TERM=xterm"}
	window, err := pty.Start(cmd)
	require.NoError(t, err)
	defer window.Close()
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var all strings.Builder
	until := func(want string) {
		t.Helper()
		buf := make([]byte, 4096)
		for !strings.Contains(all.String(), want) {
			n, err := window.Read(buf)
			all.Write(buf[:n])
			require.NoError(t, err, "waiting for %q: %q", want, all.String())
		}
	}
	until(Hint)
	_, err = window.WriteString("go\r")
	require.NoError(t, err)
	until("echoke")
	assert.Contains(t, all.String(), "ended 2")
	assert.Contains(t, all.String(), "\x1b[?2004l")
	assert.Regexp(t, `[^-]icanon`, all.String())
	assert.Regexp(t, `[^-]echo `, all.String())
}
