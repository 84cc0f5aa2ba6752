package headless

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
)

func TestJoinPrompt(t *testing.T) {
	for _, c := range []struct{ piped, prompt, want string }{
		{"", "why?", "why?"},
		{"log", "", "log"},
		{"log", "why?", "log\n\nwhy?"},
		{"log\n", "why?", "log\n\nwhy?"},
		{"log\r\n\r\n", "why?", "log\n\nwhy?"},
	} {
		assert.Equal(t, c.want, joinPrompt(c.piped, c.prompt))
	}
}

func TestReadPiped(t *testing.T) {
	t.Run("all of it", func(t *testing.T) {
		got, err := readPiped(&app.System{Stdin: strings.NewReader("a\nb\n")}, time.Second)
		require.NoError(t, err)
		assert.Equal(t, "a\nb\n", got)
	})
	t.Run("nothing", func(t *testing.T) {
		got, err := readPiped(&app.System{Stdin: strings.NewReader("")}, time.Second)
		require.NoError(t, err)
		assert.Empty(t, got)
	})
	t.Run("a terminal is not read", func(t *testing.T) {
		got, err := readPiped(&app.System{Stdin: strings.NewReader("typed"), StdinTTY: true}, time.Second)
		require.NoError(t, err)
		assert.Empty(t, got)
	})
	t.Run("cut with a warning", func(t *testing.T) {
		var told strings.Builder
		got, err := readPiped(&app.System{Stdin: strings.NewReader(strings.Repeat("x", maxStdin+5)), Stderr: &told}, time.Second)
		require.NoError(t, err)
		assert.Len(t, got, maxStdin)
		assert.Contains(t, told.String(), "longer than 8 MiB")
	})
	t.Run("a pipe that stays open and empty does not hang", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			defer w.Close()
			start := time.Now()
			got, err := readPiped(&app.System{Stdin: r}, stdinWait)
			require.NoError(t, err)
			assert.Empty(t, got)
			assert.Equal(t, stdinWait, time.Since(start))
		})
	})
}
