package terminal

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/llm"
)

// TestStreamingIsSeen checks that each word of an answer is visible as soon as it
// arrives, at any width. Complete blocks are written, and the end of the rest is above
// the status line.
func TestStreamingIsSeen(t *testing.T) {
	t.Parallel()
	var items, table, long strings.Builder
	table.WriteString("| one | two |\n|---|---|\n")
	for i := range 30 {
		fmt.Fprintf(&items, "- item%d which is\n", i)
		fmt.Fprintf(&table, "| cell%d | a |\n", i)
	}
	for i := range 300 {
		fmt.Fprintf(&long, "word%d ", i)
	}
	for name, answer := range map[string]string{
		"a paragraph": "A paragraph of **some** words that\ngoes on and on and on and on",
		"a list":      items.String(),
		"a table":     table.String(),
		"long":        long.String(),
		"a fence":     "See:\n\n```go\nfunc main() {\n}\n```\nwords behind it",
	} {
		for _, width := range []int{20, 40, 80, 200} {
			s := newScene(style{plain: true}, width)
			for _, piece := range strings.SplitAfter(answer, " ") {
				s.Emit(event.TextDelta{Text: piece})
				rows := s.live.rows(width, 22)
				word := strings.Trim(strings.TrimSpace(piece), "*|`-\n")
				if lines := strings.Fields(word); len(lines) > 0 {
					word = lines[len(lines)-1]
				}
				seen := s.out.String() + strings.Join(rows, "\n")
				assert.Contains(t, seen, strings.Trim(word, "|-`"), "%s, %d columns", name, width)
				assert.LessOrEqual(t, len(rows), openRows)
				for _, row := range rows {
					assert.Less(t, ansi.StringWidth(row), width)
				}
			}
			s.Emit(event.RoundFinished{})
			assert.Empty(t, s.live.rows(width, 22), "what was written is not shown twice")
		}
	}
}

// TestItemsAreSeenAsTheyComplete checks that items and table rows appear before the
// list or table is complete.
func TestItemsAreSeenAsTheyComplete(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"- item %d;\n", "%[1]d. item %[1]d;\n", "| item %d; |\n"} {
		s := newScene(style{plain: true}, 80)
		if strings.HasPrefix(form, "|") {
			s.Emit(event.TextDelta{Text: "| x |\n|---|\n"})
		}
		for i := range 30 {
			s.Emit(event.TextDelta{Text: fmt.Sprintf(form, i+1)})
			assert.Contains(t, s.out.String()+strings.Join(s.live.rows(80, 22), "\n"), fmt.Sprintf("item %d;", i+1))
		}
	}
}

// TestWritingWhilePainting checks for deadlocks while the answer, the keys and the
// clock all draw at once.
func TestWritingWhilePainting(t *testing.T) {
	t.Parallel()
	s := newScene(style{plain: true}, 40)
	s.keys.enter(working, nil)
	s.spin.start("waiting")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 50 {
				s.spin.draw(n)
				s.keys.receive([]byte("x"))
				s.screen.redraw()
			}
		})
	}
	for i := range 200 {
		s.Emit(event.TextDelta{Text: fmt.Sprintf("word%d \n\n", i)})
		s.Emit(event.ToolOutput{CallID: "1", Text: "printed\n"})
	}
	wg.Wait()
	s.Emit(event.RoundFinished{})
	s.spin.end()
	assert.Contains(t, s.out.String(), "word199")
}

// TestWaitingLine checks that the line shows what minigem waits for, for how long
// (without questions), and how many tokens were used.
func TestWaitingLine(t *testing.T) {
	t.Parallel()
	s := newScene(style{plain: true}, 80)
	line := func() string { return s.spin.status()(80) }
	s.spin.began = time.Now()
	s.Emit(event.RoundStarted{Model: "gemini-x"})
	assert.Contains(t, line(), "waiting for gemini-x (")
	s.Emit(event.TextDelta{Text: "Hello"})
	assert.Contains(t, line(), "gemini-x is writing (")
	assert.NotContains(t, line(), "token")
	s.Emit(event.RoundFinished{Usage: &llm.Usage{Total: 950}})
	assert.Contains(t, line(), "950 tokens, esc")
	s.Emit(event.RoundFinished{Usage: &llm.Usage{Total: 300}})
	s.Emit(event.RoundFinished{})
	assert.Contains(t, line(), "1.2k tokens, esc")
	s.Emit(event.ToolStarted{DisplayName: "Shell", Description: "go test ./..."})
	assert.Contains(t, line(), "running Shell go test ./...")

	began := s.spin.began
	s.spin.hide(true)
	s.spin.asked = s.spin.asked.Add(-time.Hour)
	s.spin.hide(true)
	s.spin.hide(false)
	s.spin.hide(false)
	assert.GreaterOrEqual(t, s.spin.began.Sub(began), time.Hour, "the user thought for an hour")
	assert.Less(t, s.spin.began.Sub(began), 2*time.Hour)
}
