package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// Coverage describes which of the configured hooks the cases reached.
type Coverage struct {
	Hooks  []HookCoverage          // in the order in which they were found
	Events map[protocol.Event]bool // events at which a hook ran
}

// HookCoverage describes how far cases reached one hook. Hooks of different cases are the
// same hook if their event and their name (or else command) are equal.
type HookCoverage struct {
	Event protocol.Event
	ID    string

	Ran     int
	Passed  int      // runs that changed nothing
	Did     []string // what the other runs did: "deny", "rewrite", ...
	Failed  []string // how it failed: "exit 1", "timed out", ...
	Watches bool     // a case says that it only watches
}

// Cover computes the coverage of results.
func Cover(results []Result) Coverage {
	c := Coverage{Events: map[protocol.Event]bool{}}
	for _, r := range results {
		if r.Record == nil {
			continue
		}
		for _, h := range r.Record.Config.Hooks {
			c.hook(h)
		}
		for _, rep := range r.Record.Reports {
			for _, run := range rep.Runs {
				c.run(rep, run)
			}
		}
		c.watchers(r)
	}
	return c
}

func (c *Coverage) hook(h hooks.Hook) *HookCoverage {
	for i := range c.Hooks {
		if c.Hooks[i].Event == h.Event && c.Hooks[i].ID == h.ID() {
			return &c.Hooks[i]
		}
	}
	c.Hooks = append(c.Hooks, HookCoverage{Event: h.Event, ID: h.ID()})
	return &c.Hooks[len(c.Hooks)-1]
}

func (c *Coverage) run(rep hooks.Report, run hooks.Run) {
	h := c.hook(run.Hook)
	if run.Skipped != "" {
		return
	}
	c.Events[rep.Event] = true
	h.Ran++
	if run.Failed != "" {
		h.Failed = insert(h.Failed, exitOf(run))
	}
	if !acts(run) {
		h.Passed++
		return
	}
	did := run.Decision.String()
	if run.Decision == hooks.Proceed {
		did = rep.Effect.Kind
	}
	h.Did = insert(h.Did, did)
}

func insert(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// watchers marks the hooks that a case declares to only watch.
func (c *Coverage) watchers(r Result) {
	for _, cmd := range r.Case.Commands {
		if cmd.verb.Name != "watches" || cmd.Negated {
			continue
		}
		for _, h := range r.Record.Config.Hooks {
			if IsHook(h, cmd.Args[0]) {
				c.hook(h).Watches = true
			}
		}
	}
}

// Percent returns how much was reached, rounded down. A hook counts for three points: it
// ran, it let something pass, and it did something. Hooks that only watch cannot earn the
// last. Without hooks it is 100.
func (c Coverage) Percent() int {
	reached, points := 0, 0
	for _, h := range c.Hooks {
		got := []bool{h.Ran > 0, h.Passed > 0}
		if !h.Watches {
			got = append(got, len(h.Did) > 0)
		}
		for _, ok := range got {
			points++
			if ok {
				reached++
			}
		}
	}
	if points == 0 {
		return 100
	}
	return reached * 100 / points
}

// String returns the coverage as a table.
func (c Coverage) String() string {
	var b strings.Builder
	width := len("hook")
	for _, h := range c.Hooks {
		width = max(width, min(40, len(h.ID)))
	}
	fmt.Fprintf(&b, "%-19s  %-*s  %5s  %6s  %-22s  %s\n", "event", width, "hook", "ran", "passed", "did", "failed")
	for _, h := range c.Hooks {
		id := oneLine(h.ID, 1000)
		if len(id) > 40 {
			id = id[:37] + "..."
		}
		fmt.Fprintf(&b, "%-19s  %-*s  %5d  %6d  %-22s  %s\n", h.Event, width, id, h.Ran, h.Passed, cmp.Or(h.did(), "-"),
			cmp.Or(strings.Join(h.Failed, ", "), "-"))
	}
	var missing []string
	for _, e := range protocol.Events {
		if !c.Events[e] {
			missing = append(missing, string(e))
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "no hook ran at %s\n", strings.Join(missing, ", "))
	}
	fmt.Fprintf(&b, "coverage %d%%\n", c.Percent())
	return b.String()
}

// did says what the hook was seen to do.
func (h HookCoverage) did() string {
	if h.Watches && len(h.Did) == 0 {
		return "only watches"
	}
	return strings.Join(h.Did, ", ")
}
