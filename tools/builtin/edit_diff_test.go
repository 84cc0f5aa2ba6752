package builtin

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDifferencesOfLargeFiles checks that the cost of a diff is proportional to the
// texts, however many lines they have, and that the displayed diff is limited. Not
// parallel: it counts what the process allocates.
func TestDifferencesOfLargeFiles(t *testing.T) {
	const size = 4 << 20
	for name, texts := range map[string][2]string{
		"short lines":       {strings.Repeat("\n", size), strings.Repeat("a\n", size/2)},
		"many small edits":  {strings.Repeat("line\n", size/5), strings.Repeat("line\nlane\n", size/10)},
		"one line, changed": {strings.Repeat("x", size) + "\n", strings.Repeat("y", size) + "\n"},
		"a small edit":      {strings.Repeat("\n", size), strings.Repeat("\n", size/2) + "a" + strings.Repeat("\n", size/2)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := diff(texts[0], texts[1])
		text, snippet := c.unified("f", "A", "B"), c.snippet()
		added, removed, _, _ := c.stat()
		runtime.ReadMemStats(&after)
		most := uint64(10 * (len(texts[0]) + len(texts[1])))
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, most, "%s: bytes that were allocated", name)
		assert.Less(t, len(text), mostDiffText+100, name)
		assert.NotEmpty(t, snippet, name)
		assert.Positive(t, added+removed, name)
		if len(text) > mostDiffText/2 {
			assert.Regexp(t, `\n\\ \d+ more lines of this difference are not displayed\n$`, text[len(text)-100:], name)
		}
	}
}

// TestDifferencesSayWhatChanged checks that a change's old lines are in the old text,
// and that applying it gives the new text.
func TestDifferencesSayWhatChanged(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString([]string{"a\n", "b\n", "\n", "c c\n"}[r.IntN(4)])
		}
		return b.String() + []string{"", "a", "b"}[r.IntN(3)]
	}
	for range 5_000 {
		before, after := random(), random()
		if r.IntN(2) == 0 { // a few changes
			at := r.IntN(len(before) + 1)
			after = before[:at] + random() + before[at+r.IntN(len(before)-at+1):]
		}
		for _, c := range []change{diff(before, after), {before, after, hunksOf(before, []udiff.Edit{{End: len(before), New: after}})}} {
			require.Equal(t, after, applied(t, c), "%q to %q", before, after)
		}
	}
}

// applied returns the old text with the change applied.
func applied(t *testing.T, c change) string {
	t.Helper()
	lines := strings.SplitAfter(c.oldText, "\n")
	var b strings.Builder
	at := 0
	for _, h := range c.hunks {
		b.WriteString(strings.Join(lines[at:h.from-1], ""))
		at = h.from - 1
		require.Equal(t, h.to-1, strings.Count(b.String(), "\n"), "where the hunk begins in the new text")
		for _, r := range h.runs {
			if r.kind != udiff.Delete {
				b.WriteString(r.text)
			}
			if r.kind != udiff.Insert {
				require.Equal(t, r.text, strings.Join(lines[at:at+r.lines], ""))
				at += r.lines
			}
		}
	}
	return b.String() + strings.Join(lines[at:], "")
}
