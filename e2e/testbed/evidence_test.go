package testbed

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// TestCallsInTheOrderAsked: the calls of an answer finish in any order, but are listed as
// the model requested them.
func TestCallsInTheOrderAsked(t *testing.T) {
	t.Parallel()
	call := func(id string) llm.ToolCall { return llm.ToolCall{ID: id, Name: "tool-" + id} }
	r := &Record{}
	for _, id := range []string{"c", "b", "last", "a"} {
		r.Finished = append(r.Finished, event.ToolRecord{Call: call(id), Status: "success"})
	}
	r.Requests = []Request{{}, {Request: llm.Request{Messages: []llm.Message{{Role: llm.RoleModel, Parts: []llm.Part{call("a"), call("b"), call("c")}}}}}}
	names := regexp.MustCompile(`tool-\w+`).FindAllString(r.callList(), -1)
	assert.Equal(t, "tool-a tool-b tool-c tool-last", strings.Join(names, " "))
}

func TestAround(t *testing.T) {
	t.Parallel()
	re := regexp.MustCompile("(?m)N+")
	for text, want := range map[string]string{
		"short N":                     "short N",
		strings.Repeat("a", 30) + "N": "...aaaaN",
		"N" + strings.Repeat("b", 30): "Nbbbb...",
		strings.Repeat("é", 9) + "N\n" + strings.Repeat("b", 9): "...ééééN⏎bbb...",
		strings.Repeat("N", 30):                                 "NNNNNNNNNN",
		strings.Repeat("a", 30):                                 "aaa ...(20 more)... aaaaaaa",
	} {
		assert.Equal(t, want, around(text, re, 10), text)
	}
}

// TestMatchingEventsComeFirst: if an assertion counts, matching events are listed first.
func TestMatchingEventsComeFirst(t *testing.T) {
	t.Parallel()
	r := &Record{}
	for i := range 5 {
		r.Reports = append(r.Reports, hooks.Report{Seq: i + 1, Event: protocol.BeforeTool, Subject: "tool", Runs: []hooks.Run{{Skipped: "off"}}})
	}
	got := r.eventsOf("BeforeTool", nil, func(rep hooks.Report) bool { return rep.Seq == 5 })
	assert.True(t, strings.HasPrefix(got, "BeforeTool #5 "), got)
	assert.True(t, strings.HasPrefix(r.eventsOf("BeforeTool", nil, nil), "BeforeTool #1 "))
}
