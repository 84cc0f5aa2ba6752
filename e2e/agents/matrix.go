package agents

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"minigem/e2e/testbed"
	"minigem/internal/text"
)

// State is what became of a case on an agent.
type State string

const (
	Pass   State = "pass"
	Fail   State = "fail"
	Known  State = "known"  // fail, and the case says why Gemini CLI differs
	Cannot State = "cannot" // nothing can be said, and why not; never green
	Broken State = "broken" // the case file
)

// Column is an agent on which cases run.
type Column struct {
	Name    string
	Version string
	New     bool            // the version is none of those that were measured
	Cannot  string          // why no case can run on it; empty: they can
	Options testbed.Options // with its driver
	Other   bool            // it is not minigem itself
}

// Cell is a case on an agent.
type Cell struct {
	Case    string
	Agent   string
	State   State
	Why     string // of Known, Cannot and Broken
	Took    time.Duration
	Result  testbed.Result
	Unasked []testbed.Check // assertions of which nothing can be said there
}

// Matrix is cases by agents.
type Matrix struct {
	Cases   []string
	Columns []Column
	Cells   map[string]map[string]*Cell // by case and agent
	Took    time.Duration
}

// Jobs is how many cases run at a time: agents are large programs.
const Jobs = 2

// RunMatrix runs each case on each column, and tells of each cell when it is
// there, with how many of how many are.
func RunMatrix(ctx context.Context, files []string, columns []Column, tell func(c *Cell, done, all int)) *Matrix {
	began := time.Now()
	m := &Matrix{Columns: columns, Cells: map[string]map[string]*Cell{}}
	type job struct {
		file   string
		column Column
		cell   *Cell
	}
	var jobs []job
	for _, file := range files {
		name := strings.TrimSuffix(file, ".txtar")
		m.Cases = append(m.Cases, name)
		m.Cells[name] = map[string]*Cell{}
	}
	for _, column := range columns { // agent by agent: its files are in memory then
		for i, file := range files {
			cell := &Cell{Case: m.Cases[i], Agent: column.Name}
			m.Cells[cell.Case][column.Name] = cell
			jobs = append(jobs, job{file, column, cell})
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	next, done := make(chan job), 0
	for range min(Jobs, len(jobs)) {
		wg.Go(func() {
			for j := range next {
				j.cell.run(ctx, j.file, j.column)
				mu.Lock()
				done++
				tell(j.cell, done, len(jobs))
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	wg.Wait()
	m.Took = time.Since(began)
	return m
}

// run fills the cell.
func (c *Cell) run(ctx context.Context, file string, column Column) {
	if ctx.Err() != nil {
		c.State, c.Why = Cannot, "interrupted"
		return
	}
	tc, err := testbed.ReadFile(file)
	if err != nil {
		c.State, c.Why = Broken, err.Error()
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
	c.judge(testbed.Run(ctx, tc, column.Options))
	if why := tc.Differs(); why != "" && c.State == Fail && c.Agent == "gemini" {
		c.State, c.Why = Known, why
	}
}

// judge says what a result is. That of which nothing was judged has not passed.
func (c *Cell) judge(res testbed.Result) {
	c.Result, c.Took = res, res.Took
	judged := 0
	for _, check := range res.Checks {
		if check.Unasked != "" {
			c.Unasked = append(c.Unasked, check)
		} else {
			judged++
		}
	}
	switch {
	case res.Broken != nil:
		c.State, c.Why = Broken, res.Broken.Error()
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

// ExitCode is that of hooks test.
func (m *Matrix) ExitCode() int {
	code := testbed.ExitPassed
	for _, row := range m.Cells {
		for _, c := range row {
			switch c.State {
			case Broken:
				return testbed.ExitBroken
			case Fail:
				code = testbed.ExitFailed
			}
		}
	}
	return code
}

// Count is how many cells are of a state.
func (m *Matrix) Count(s State) int {
	n := 0
	for _, row := range m.Cells {
		for _, c := range row {
			if c.State == s {
				n++
			}
		}
	}
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

// short is what a cell says in a table.
func (c *Cell) short() string {
	switch {
	case c.State == Cannot || c.State == Broken:
		return string(c.State)
	case c.State == Pass && len(c.Unasked) > 0:
		return "pass* " + seconds(c.Took)
	}
	return string(c.State) + " " + seconds(c.Took)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// String is the table, and below it why cells are red, or nothing can be said.
func (m *Matrix) String() string {
	rows := [][]string{{"case"}, {""}}
	for _, c := range m.Columns {
		rows[0] = append(rows[0], c.Name)
		rows[1] = append(rows[1], c.version())
	}
	for _, name := range m.Cases {
		row := []string{name}
		for _, c := range m.Columns {
			row = append(row, m.Cells[name][c.Name].short())
		}
		rows = append(rows, row)
	}
	return table(rows) + "\n" + m.reasons() + m.summary()
}

func (c Column) version() string {
	switch {
	case c.Cannot != "":
		return "-"
	case c.New:
		return c.Version + " (not measured)"
	}
	return c.Version
}

func (m *Matrix) summary() string {
	line := fmt.Sprintf("%d passed, %d failed, %d cannot be said", m.Count(Pass), m.Count(Fail), m.Count(Cannot))
	for _, s := range []State{Known, Broken} {
		if n := m.Count(s); n > 0 {
			line += fmt.Sprintf(", %d %s", n, s)
		}
	}
	return line + fmt.Sprintf(", %s\n", seconds(m.Took))
}

// reasons are those for all that is not green.
func (m *Matrix) reasons() string {
	var b strings.Builder
	for _, column := range m.Columns {
		if column.Cannot != "" {
			fmt.Fprintf(&b, "%s: cannot: %s\n", column.Name, column.Cannot)
		}
	}
	partly := false
	m.each(func(c *Cell) {
		switch c.State {
		case Broken:
			fmt.Fprintf(&b, "%s: broken\n  %s\n", c.Case, c.Why)
		case Cannot:
			if !m.wholeColumn(c) {
				fmt.Fprintf(&b, "%s on %s: cannot: %s\n", c.Case, c.Agent, c.Why)
			}
		case Known:
			fmt.Fprintf(&b, "%s on %s: known: %s\n", c.Case, c.Agent, c.Why)
		case Fail:
			b.WriteString(c.explain())
		}
		partly = partly || c.State == Pass && len(c.Unasked) > 0
	})
	if partly {
		b.WriteString("* some assertions cannot be judged there:\n")
		m.each(func(c *Cell) {
			for _, check := range c.Unasked {
				if c.State == Pass {
					fmt.Fprintf(&b, "  %s on %s: %s: %s\n", check.Where, c.Agent, check.Command, check.Unasked)
				}
			}
		})
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

func (m *Matrix) wholeColumn(c *Cell) bool {
	for _, column := range m.Columns {
		if column.Name == c.Agent {
			return column.Cannot != ""
		}
	}
	return false
}

// explain says why a cell is red, from what was seen.
func (c *Cell) explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s:\n", c.Case, c.Agent)
	for _, f := range c.Result.Failures {
		line := f.Where
		if f.Command != "" {
			line += ": " + f.Command
		}
		fmt.Fprintf(&b, "  %s\n    %s\n", line, strings.ReplaceAll(strings.TrimSpace(f.Actual), "\n", "\n    "))
	}
	for _, line := range c.seen() {
		fmt.Fprintf(&b, "    seen: %s\n", line)
	}
	return b.String()
}

// seen tells what hooks answered and what came of it, a line each.
func (c *Cell) seen() []string {
	if c.Result.Record == nil {
		return nil
	}
	var lines []string
	for _, rep := range c.Result.Record.Reports {
		for _, run := range rep.Runs {
			if !run.Ran() || len(lines) > 5 {
				continue
			}
			line := fmt.Sprintf("%s %s: %s exited with %d", rep.Event, rep.Subject, run.Hook.ID(), run.Exit.Code)
			for _, s := range [][2]string{{"stdout", string(run.Exit.Stdout)}, {"stderr", string(run.Exit.Stderr)}} {
				if t := strings.TrimSpace(s[1]); t != "" {
					line += fmt.Sprintf(", %s %s", s[0], text.VisibleLine(clip(t, 300)))
				}
			}
			if why := because(c.Agent, rep.Event, run); why != "" {
				line += "\n      why: " + c.Agent + ": " + why
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// table lays rows out in columns.
func table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
