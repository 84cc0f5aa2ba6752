package agents

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"minigem/e2e/testbed"
)

// State is the outcome of a case on an agent.
type State string

const (
	Pass   State = "pass"
	Fail   State = "fail"
	Known  State = "known"   // it failed, and the case says why Gemini CLI differs
	Cannot State = "cannot"  // it cannot be judged, and Why says why; never a pass
	NotRun State = "not run" // the run was interrupted before
)

// Column is an agent on which cases run.
type Column struct {
	Name    string
	Version string
	New     bool            // the version was not measured
	Cannot  string          // why no case can run on it; empty if cases can
	Options testbed.Options // including its driver
	Other   bool            // not minigem itself
}

// Cell is the outcome of a case on an agent.
type Cell struct {
	Case    string
	Agent   string
	State   State
	Why     string // for Known, Cannot and NotRun
	Took    time.Duration
	Result  testbed.Result
	Unasked []testbed.Check // assertions that cannot be judged there
}

// Matrix holds the outcomes of cases on agents.
type Matrix struct {
	Cases   []string
	Columns []Column
	Cells   map[string]map[string]*Cell // by case and agent
	Took    time.Duration
	Verbose bool // the text shows what happened in passing cases, too
}

// Jobs is how many cases run at a time. It is small because agents are large programs.
const Jobs = 2

// runMatrix runs each case on each column and reports each finished cell. Cases that have
// not started when ctx ends are not run.
func runMatrix(ctx context.Context, cases []*testbed.Case, columns []Column, tell func(c *Cell)) *Matrix {
	began := time.Now()
	m := &Matrix{Columns: columns, Cells: map[string]map[string]*Cell{}}
	for _, tc := range cases {
		m.Cases = append(m.Cases, tc.Name)
		m.Cells[tc.Name] = map[string]*Cell{}
		for _, column := range columns {
			m.Cells[tc.Name][column.Name] = &Cell{Case: tc.Name, Agent: column.Name}
		}
	}
	// Agent by agent, because its files are in the page cache then.
	testbed.InParallel(Jobs, len(columns)*len(cases), func(i int) {
		tc, column := cases[i%len(cases)], columns[i/len(cases)]
		cell := m.Cells[tc.Name][column.Name]
		cell.run(ctx, tc, column)
		tell(cell)
	})
	m.Took = time.Since(began)
	return m
}

// run runs the case and fills the cell.
func (c *Cell) run(ctx context.Context, tc *testbed.Case, column Column) {
	if ctx.Err() != nil {
		c.State, c.Why = NotRun, "interrupted"
		return
	}
	if column.Cannot != "" {
		c.State, c.Why = Cannot, column.Cannot
		return
	}
	if column.Other {
		if why := tc.Unplayable(); why != "" {
			c.State, c.Why = Cannot, why
			return
		}
	}
	o := column.Options
	o.Compare = true
	if o.Keep != "" {
		o.Keep = filepath.Join(o.Keep, strings.TrimSuffix(column.Name, playedMark))
	}
	c.judge(testbed.Run(ctx, tc, o))
	if ctx.Err() != nil {
		c.State, c.Why = NotRun, "interrupted"
	}
	if why := tc.Differs(); why != "" && c.State == Fail && tableOf(c.Agent) != nil && tableOf(c.Agent).ID == "gemini" {
		c.State, c.Why = Known, why
	}
}

// judge derives the state from a result. A case without a judged assertion has not passed.
func (c *Cell) judge(res testbed.Result) {
	c.Result, c.Took = res, res.Took
	judged := 0
	for _, check := range res.Checks {
		if check.Unasked != "" {
			c.Unasked = append(c.Unasked, check)
		} else if check.Command != "" { // a check without one is about the whole case
			judged++
		}
	}
	switch {
	case res.Broken != nil: // the case is valid, but names something that does not exist
		c.State, c.Why = Cannot, res.Broken.Error()
	case res.Skipped != "":
		c.State, c.Why = Cannot, res.Skipped
	case len(res.Failures) > 0:
		c.State = Fail
	case judged == 0:
		c.State, c.Why = Cannot, "none of its assertions can be judged"
		if len(c.Unasked) > 0 {
			c.Why += ": " + c.Unasked[0].Unasked
		}
	default:
		c.State = Pass
	}
}

// Settle finds, column by column, the hooks that no case proves. See [testbed.Settle].
func (m *Matrix) Settle(strict bool) {
	for _, column := range m.Columns {
		var all []*testbed.Result
		for _, row := range m.Cells {
			all = append(all, &row[column.Name].Result)
		}
		testbed.Settle(all, strict)
		for _, row := range m.Cells {
			c := row[column.Name]
			if c.State == Pass && !c.Result.Passed() {
				c.State = Fail
			}
		}
	}
}

// ExitCode returns the exit code of hooks test. A requested agent on which nothing could
// be judged counts as a failure, because it proves nothing.
func (m *Matrix) ExitCode() int {
	code := testbed.ExitPassed
	if len(m.unproven()) > 0 {
		code = testbed.ExitFailed
	}
	m.each(func(c *Cell) {
		switch {
		case c.Result.Broken != nil:
			code = testbed.ExitBroken
		case c.State == Fail && code == testbed.ExitPassed:
			code = testbed.ExitFailed
		}
	})
	return code
}

// unproven names the agents on which no case could be judged.
func (m *Matrix) unproven() []string {
	var names []string
	for _, column := range m.Columns {
		judged := func(name string) bool {
			s := m.Cells[name][column.Name].State
			return s != Cannot && s != NotRun
		}
		if (column.Other || len(m.Columns) == 1) && !slices.ContainsFunc(m.Cases, judged) {
			names = append(names, column.Name)
		}
	}
	return names
}

// Count returns the number of cells in a state.
func (m *Matrix) Count(s State) int {
	n := 0
	m.each(func(c *Cell) {
		if c.State == s {
			n++
		}
	})
	return n
}

// each calls f for each cell, case by case.
func (m *Matrix) each(f func(c *Cell)) {
	for _, name := range m.Cases {
		for _, column := range m.Columns {
			f(m.Cells[name][column.Name])
		}
	}
}
