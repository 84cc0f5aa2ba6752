package output

import (
	"slices"
	"sync"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// HookStats counts what hooks did in a session. Its methods may be called concurrently.
type HookStats struct {
	mu     sync.Mutex
	counts []*HookCounts
	left   map[int][]int // by event number: its runs that had not ended
}

// HookCounts counts the runs of one hook at one event.
type HookCounts struct {
	Event  protocol.Event
	ID     string
	Failed int
	Acted  int    // how often it decided or changed something
	Last   string // the result of the last run, in a word
	times  []time.Duration
}

// mostTimes limits how many runs of a hook are remembered. The newest are kept.
const mostTimes = 1000

// Reset restarts counting. Hooks still running in the background are not counted.
func (s *HookStats) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts, s.left = nil, nil
}

// Note counts the runs of an event. It is for [hooks.Engine.Report].
func (s *HookStats) Note(r hooks.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []int
	for i, run := range r.Runs {
		switch {
		case !run.Ran(), r.Late && !slices.Contains(s.left[r.Seq], i):
		case run.Left:
			left = append(left, i)
		default:
			s.of(r.Event, run.Hook.ID()).add(run)
		}
	}
	delete(s.left, r.Seq)
	if left != nil && !r.Late {
		if s.left == nil {
			s.left = map[int][]int{}
		}
		s.left[r.Seq] = left
	}
}

func (s *HookStats) of(event protocol.Event, id string) *HookCounts {
	for _, c := range s.counts {
		if c.Event == event && c.ID == id {
			return c
		}
	}
	c := &HookCounts{Event: event, ID: id}
	s.counts = append(s.counts, c)
	return c
}

func (c *HookCounts) add(run hooks.Run) {
	c.times = append(c.times[max(len(c.times)-mostTimes+1, 0):], run.Exit.Duration)
	switch {
	case run.TimedOut:
		c.Last = "timed out"
		c.Failed++
	case run.Failed != "":
		c.Last = "failed"
		c.Failed++
	case run.Decision != hooks.Proceed:
		c.Last = run.Decision.String()
		c.Acted++
	default:
		c.Last = "pass"
	}
}

// Runs returns how often the hook ran.
func (c HookCounts) Runs() int { return len(c.times) }

// P95 returns the 95th percentile of the run times as text, or "" if there are none.
func (c HookCounts) P95() string {
	if len(c.times) == 0 {
		return ""
	}
	return Milliseconds(slices.Sorted(slices.Values(c.times))[(len(c.times)*95+99)/100-1])
}

// Snapshot returns the counts so far, in the order of the first runs.
func (s *HookStats) Snapshot() []HookCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []HookCounts
	for _, c := range s.counts {
		copied := *c
		copied.times = slices.Clone(c.times)
		out = append(out, copied)
	}
	return out
}
