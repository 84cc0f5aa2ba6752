package terminal

import (
	"fmt"
	"strings"
	"testing"

	"minigem/agent/event"
	"minigem/e2e/costtest"
)

// TestChunksCostTheSame checks that a chunk costs as many allocations in a long answer
// or command output as in a short one.
func TestChunksCostTheSame(t *testing.T) { // not parallel: it counts what the process allocates
	for name, c := range map[string]struct{ begin, piece string }{
		"words of one line": {"", "word %d "}, "words of a second line": {"one\n", "word %d "},
		"lines of one paragraph": {"", "This is line %d.\n"}, "paragraphs": {"", "Paragraph %d.\n\n"},
		"a list": {"", "- item %d\n"}, "a table": {"", "| a cell | %d |\n"}, "code": {"", "    call(%d)\n"},
		"code in a list": {"- item\n\n  ```\n", "call(%d)\n  "}, "quotes": {"", "> %d\n"}, "output": {"", "output %d\n"},
	} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, func(n int) {
				terminal := &Terminal{keys: newKeyboard(nil, false)}
				written := 0
				terminal.screen = &screen{out: counting{&written}, size: func() (int, int) { return 80, 24 }}
				v := NewView(terminal, true)
				v.answer.width = func() int { return 80 }
				v.Emit(event.ToolStarted{})
				v.Emit(event.TextDelta{Text: c.begin})
				for i := range n {
					if text := fmt.Sprintf(c.piece, i); strings.HasPrefix(text, "output") {
						v.Emit(event.ToolOutput{Text: text})
					} else {
						v.Emit(event.TextDelta{Text: text})
					}
				}
				v.Emit(event.RoundFinished{})
			}, 10, 100, 1_000, 10_000)
		})
	}
}
