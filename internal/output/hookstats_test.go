package output

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// TestHookStats checks that each run of a hook is counted once, even one that outlasts
// its event, and that its result is a single word.
func TestHookStats(t *testing.T) {
	t.Parallel()
	run := func(name string, took time.Duration, change func(*hooks.Run)) hooks.Run {
		r := hooks.Run{Hook: hooks.Hook{Name: name}, Exit: hooks.Exit{Duration: took}}
		if change != nil {
			change(&r)
		}
		return r
	}
	left := func(r *hooks.Run) { r.Left = true }
	s := HookStats{}
	for i := range 100 {
		s.Note(hooks.Report{Seq: i, Event: protocol.BeforeTool, Runs: []hooks.Run{run("guard", time.Duration(i+1)*time.Millisecond, nil)}})
	}
	s.Note(hooks.Report{Seq: 101, Event: protocol.BeforeTool, Runs: []hooks.Run{
		run("guard", time.Second, func(r *hooks.Run) { r.Decision = hooks.Deny }),
		run("asleep", time.Second, func(r *hooks.Run) { r.Skipped = "disabled" }),
		run("broken", time.Second, func(r *hooks.Run) { r.Failed = "exit status 1" }),
		run("slow", time.Second, func(r *hooks.Run) { r.Failed, r.TimedOut = "no answer", true }),
		run("async", 0, left),
	}})
	s.Note(hooks.Report{Seq: 101, Late: true, Event: protocol.BeforeTool, Runs: []hooks.Run{
		run("guard", time.Second, nil), run("asleep", 0, nil), run("broken", 0, nil), run("slow", 0, nil), run("async", 2*time.Second, nil),
	}})
	s.Note(hooks.Report{Seq: 102, Event: protocol.AfterTool, Runs: []hooks.Run{run("guard", time.Millisecond, nil)}})
	type row struct {
		event               protocol.Event
		id                  string
		runs, failed, acted int
		p95, last           string
	}
	var got []row
	for _, c := range s.Snapshot() {
		got = append(got, row{c.Event, c.ID, c.Runs(), c.Failed, c.Acted, c.P95(), c.Last})
	}
	assert.Equal(t, []row{
		{protocol.BeforeTool, "guard", 101, 0, 1, "96 ms", "deny"},
		{protocol.BeforeTool, "broken", 1, 1, 0, "1000 ms", "failed"},
		{protocol.BeforeTool, "slow", 1, 1, 0, "1000 ms", "timed out"},
		{protocol.BeforeTool, "async", 1, 0, 0, "2000 ms", "pass"},
		{protocol.AfterTool, "guard", 1, 0, 0, "1 ms", "pass"},
	}, got)
	assert.Empty(t, s.left, "nothing is remembered of what has ended")
	assert.Empty(t, HookCounts{}.P95())
}
