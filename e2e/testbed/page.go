package testbed

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"minigem/hooks/author/trace"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// WritePage writes a run as one HTML page: the cases and what happened in them, the
// latencies of each hook, the coverage, and the mutants if there are any.
func WritePage(w io.Writer, s Summary, m Mutation) error {
	cover := Cover(s.Results)
	run := trace.Run{Summary: text.Plural(len(s.Results), "case") + " in " + took(s.Took), Cases: []trace.Case{},
		Covered: cover.Percent()}
	for _, r := range s.Results {
		c, err := r.page()
		if err != nil {
			return err
		}
		run.Cases = append(run.Cases, c)
	}
	for _, h := range cover.Hooks {
		run.Coverage = append(run.Coverage, trace.Cover{Hook: h.ID, Event: string(h.Event), Ran: h.Ran, Passed: h.Passed,
			Did: h.did(), Failed: strings.Join(h.Failed, ", ")})
	}
	for _, x := range m.Mutants {
		run.Mutants = append(run.Mutants, x.Mutant)
	}
	return trace.WriteRun(w, "Hooks: "+s.counted(), run)
}

func (r Result) page() (trace.Case, error) {
	j := r.json()
	c := trace.Case{Name: r.Case.Name, Title: r.Case.Title, Outcome: j.Outcome, Why: j.Why, TookMs: j.TookMs}
	for _, f := range r.Failures {
		c.Failures = append(c.Failures, trace.Failure(f))
	}
	for _, k := range r.Checks {
		check := trace.Check{Command: k.Command, Passed: k.Passed, Vacuous: k.Vacuous}
		if strings.HasPrefix(k.Command, "holds ") {
			check.Says = k.Actual
		}
		c.Checks = append(c.Checks, check)
	}
	if r.Record == nil {
		return c, nil
	}
	for _, rep := range r.Record.Reports {
		line, err := protocol.Encode(rep)
		if err != nil {
			return c, fmt.Errorf("writing the page of a run: %w", err)
		}
		c.Reports = append(c.Reports, json.RawMessage(line))
	}
	return c, nil
}
