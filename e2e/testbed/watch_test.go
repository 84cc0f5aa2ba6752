package testbed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatchSeesWhatChangesMeanwhile: a change is not lost if it is made while a round is
// reported, before the next look, or while there are no cases at all.
func TestWatchSeesWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txtar")
	write := func(text string) { require.NoError(t, WriteInto(file, []byte(text), 0o644)) }
	write("broken")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var rounds []string
		s := Suite{Paths: []string{dir}}
		s.Watch(ctx, func(sum Summary, err error) {
			switch {
			case err != nil:
				rounds = append(rounds, "none")
				write("broken, there again")
			default:
				rounds = append(rounds, sum.Results[0].Broken.Error())
			}
			switch len(rounds) {
			case 1:
				write("broken otherwise")
			case 2:
				require.NoError(t, os.Remove(file))
			case 4:
				cancel()
			}
		})
		require.Len(t, rounds, 4)
		assert.Contains(t, rounds[0], `unknown command "broken"`)
		assert.Contains(t, rounds[1], `unknown command "broken"`)
		assert.Equal(t, "none", rounds[2], "said once")
		assert.Contains(t, rounds[3], `unknown command "broken,"`)
		assert.True(t, errors.Is(ctx.Err(), context.Canceled))
	})
}

// TestWatchLooksSoon: a saved case runs at once. The bubble's clock measures how long no
// file was looked at.
func TestWatchLooksSoon(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.txtar")
	require.NoError(t, os.WriteFile(file, []byte("broken"), 0o644))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := Suite{Paths: []string{file}}
		var saved time.Time
		s.Watch(ctx, func(Summary, error) {
			if saved.IsZero() {
				saved = time.Now()
				require.NoError(t, os.WriteFile(file, []byte("broken otherwise"), 0o644))
				return
			}
			assert.LessOrEqual(t, time.Since(saved), 20*time.Millisecond)
			cancel()
		})
		assert.False(t, saved.IsZero())
	})
}

// TestLooksRememberWhatCasesUse: a case is read again only when it changes, and a file
// that many cases use is looked at once.
func TestLooksRememberWhatCasesUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { require.NoError(t, os.WriteFile(at(name), []byte(text), 0o644)) }
	write("hook.sh", "true")
	write("other.sh", "true")
	write("a.txtar", "use hook.sh\nprompt a\n")
	write("b.txtar", "use hook.sh\nprompt b\n")
	files := []string{at("a.txtar"), at("b.txtar")}
	l := look{uses: map[string]uses{}}
	first := l.stamps(files)
	assert.Len(t, first, 3)
	assert.Empty(t, changedCases(files, first, l.stamps(files)))

	l.uses[at("b.txtar")].paths[0] = at("other.sh") // files in the cache are not read again
	assert.Contains(t, l.stamps(files), at("other.sh"))
	write("b.txtar", "use hook.sh\nuse other.sh\nprompt b\n")
	second := l.stamps(files)
	assert.Len(t, second, 4)
	assert.Equal(t, []string{at("hook.sh"), at("other.sh")}, l.uses[at("b.txtar")].paths)
	write("other.sh", "false")
	assert.Equal(t, files, changedCases(files, second, l.stamps(files)), "a hook changed: all of them")
}
