package output

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/llm"
)

func TestText(t *testing.T) {
	delta := func(s string) event.Event { return event.TextDelta{Text: s} }
	round := event.RoundStarted{}
	cases := []struct {
		name        string
		events      []event.Event
		out, errOut string
	}{
		// The shape of the answer.
		{"streams and ends the line", []event.Event{round, delta("All "), delta("done.")}, "All done.\n", ""},
		{"no second newline", []event.Event{round, delta("done\n")}, "done\n", ""},
		{"nothing said, nothing written", []event.Event{round}, "", ""},
		{"a line before tools", []event.Event{round, delta("reading"), event.ToolStarted{}, round, delta("done")}, "reading\ndone\n", ""},
		{"retried answers are separate", []event.Event{round, delta("draft"), event.PromptStarted{Attempt: 1}, round, delta("final")}, "draft\nfinal\n", ""},
		// Control sequences.
		{"colour goes", []event.Event{round, delta("\x1b[31mred\x1b[0m")}, "red\n", ""},
		{"a sequence split over chunks goes", []event.Event{round, delta("a\x1b]52;c;"), delta("Zm9v\x07b")}, "ab\n", ""},
		{"newlines and tabs stay", []event.Event{round, delta("a\tb\r\nc")}, "a\tb\nc\n", ""},
		{"other scripts stay", []event.Event{round, delta("żółć 漢字 🙂\x1b[2J")}, "żółć 漢字 🙂\n", ""},
		// Rounds that are made again.
		{"the same beginning is not repeated", []event.Event{round, delta("partial"), event.RoundDiscarded{Reason: "the answer broke off", Delay: time.Second}, round, delta("par"), delta("tial answer")}, "partial answer\n", "[WARNING] the answer broke off; asking again in 1s\n"},
		{"another beginning is on its own line", []event.Event{round, delta("one"), event.RoundDiscarded{Reason: "x"}, round, delta("two")}, "one\ntwo\n", "[WARNING] x; asking again\n"},
		{"an answer that turns away later is whole", []event.Event{round, delta("abc"), event.RoundDiscarded{Reason: "x"}, round, delta("ab"), delta("X")}, "abc\nabX\n", "[WARNING] x; asking again\n"},
		// What goes to standard error.
		{"stopped", []event.Event{event.Stopped{Reason: "enough", Cleared: true}}, "", "Agent execution stopped: enough\nConversation context has been cleared.\n"},
		{"blocked", []event.Event{event.Blocked{Reason: "no"}}, "", "[WARNING] Agent execution blocked: no\n"},
		{"a failed tool", []event.Event{event.ToolFinished{Record: event.ToolRecord{Call: llm.ToolCall{Name: "read_file"}, Status: event.ToolError, ErrorMessage: "File not found: /a", Display: "File not found."}}}, "", "Error executing tool read_file: File not found.\n"},
		{"waiting", []event.Event{event.Waiting{Reason: "the model is overloaded", Attempt: 1, Max: 10, Delay: 5 * time.Second}}, "", "[WARNING] the model is overloaded (attempt 1 of 10); trying again in 5s\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut strings.Builder
			text := &Text{Out: &out, Err: &errOut}
			for _, e := range c.events {
				text.Emit(e)
			}
			text.Close()
			assert.Equal(t, c.out, out.String())
			assert.Equal(t, c.errOut, errOut.String())
		})
	}
}

// TestTextForPrograms checks that a program only reads text that counts.
func TestTextForPrograms(t *testing.T) {
	t.Parallel()
	delta := func(s string) event.Event { return event.TextDelta{Text: s} }
	round, discarded, finished := event.RoundStarted{}, event.RoundDiscarded{Reason: "x"}, event.RoundFinished{}
	for _, c := range []struct {
		name        string
		events      []event.Event
		before, out string // Close
	}{
		{"a discarded attempt leaves nothing", []event.Event{round, delta("one"), discarded, round, delta("two"), finished}, "two", "two\n"},
		{"nor does half a control sequence of it", []event.Event{round, delta("one\x1b]52;c;"), discarded, round, delta("two"), finished}, "two", "two\n"},
		{"the same again is said once", []event.Event{round, delta("one"), discarded, round, delta("one and two"), finished}, "one and two", "one and two\n"},
		{"three attempts", []event.Event{round, delta("a"), discarded, round, delta("b"), discarded, round, delta("c"), finished}, "c", "c\n"},
		{"a finished round stays", []event.Event{round, delta("reading"), finished, event.ToolStarted{}, round, delta("half"), discarded, round, delta("done"), finished}, "reading\ndone", "reading\ndone\n"},
		{"a round waits for its end", []event.Event{round, delta("half")}, "", "half\n"},
		{"what failed for good is written", []event.Event{round, delta("half"), event.RoundFailed{}}, "half", "half\n"},
		{"retried answers are separate", []event.Event{round, delta("draft"), finished, event.PromptStarted{Attempt: 1}, round, delta("final"), finished}, "draft\nfinal", "draft\nfinal\n"},
		{"discarded at the end", []event.Event{round, delta("draft"), discarded}, "", ""},
	} {
		var out strings.Builder
		text := &Text{Out: &out, Err: &strings.Builder{}, Whole: true}
		for _, e := range c.events {
			text.Emit(e)
		}
		assert.Equal(t, c.before, out.String(), c.name)
		text.Close()
		assert.Equal(t, c.out, out.String(), c.name)
	}
}

type failing struct{ n int }

func (f *failing) Write([]byte) (int, error) { f.n++; return 0, errors.New("broken pipe") }

func TestTextReportsAClosedPipeOnce(t *testing.T) {
	f, told := &failing{}, 0
	text := &Text{Out: f, Err: &strings.Builder{}, Broken: func(error) { told++ }}
	text.Emit(event.TextDelta{Text: "a"})
	text.Emit(event.TextDelta{Text: "b"})
	text.Close()
	assert.Equal(t, []int{1, 1}, []int{told, f.n})
}
