package testbed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatchSeesWhatChangesMeanwhile: a change that is made while a round is told
// of, before the next look, is not lost; neither is one that is made while there
// is not a case at all.
func TestWatchSeesWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txtar")
	write := func(text string) { require.NoError(t, writeInto(file, []byte(text), 0o644)) }
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
