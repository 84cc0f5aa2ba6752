package agents

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/tidwall/gjson"

	"minigem/hooks"
	"minigem/internal/text"
)

// short returns the text of a cell in a table: its state, and its duration if timed.
func (c *Cell) short(timed bool) string {
	state := string(c.State)
	if c.State == Pass && len(c.Unasked) > 0 {
		state += "*"
	}
	if timed && c.State != Cannot && c.State != NotRun {
		state += " " + seconds(c.Took)
	}
	return state
}

// playedMark is the suffix of a column's name if its agent is played.
const playedMark = " (played)"

// allPlayed reports whether all agents except minigem are played. The table is then
// narrow: it does not mark them and omits their times, which mean nothing.
func (m *Matrix) allPlayed() bool {
	others := 0
	for _, c := range m.Columns {
		if c.Other && !strings.HasSuffix(c.Name, playedMark) {
			return false
		}
		if c.Other {
			others++
		}
	}
	return others > 0
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// Text returns the table, followed by the reasons for cells that failed or could not be
// judged. A table wider than width columns is split; 0 means no limit.
func (m *Matrix) Text(width int) string {
	dir := m.folder()
	names := []string{cmp.Or(dir, "case"), ""}
	if m.allPlayed() {
		names[1] = "(played)"
	}
	for _, name := range m.Cases {
		names = append(names, strings.TrimPrefix(name, dir))
	}
	var b strings.Builder
	for from := 0; from < len(m.Columns); {
		to := from + 1
		lines := table(m.rows(names, from, to))
		for to < len(m.Columns) {
			more := table(m.rows(names, from, to+1))
			if width > 0 && widest(more) > width {
				break
			}
			lines, to = more, to+1
		}
		b.WriteString(lines + "\n")
		from = to
	}
	return b.String() + m.reasons() + m.summary()
}

// rows returns the cells of some columns, preceded by names.
func (m *Matrix) rows(names []string, from, to int) [][]string {
	rows := make([][]string, len(names))
	played := m.allPlayed()
	for i, name := range names {
		rows[i] = []string{name}
		for _, c := range m.Columns[from:to] {
			switch i {
			case 0:
				name := c.Name
				if played {
					name = strings.TrimSuffix(name, playedMark)
				}
				rows[i] = append(rows[i], name)
			case 1:
				rows[i] = append(rows[i], c.version())
			default:
				rows[i] = append(rows[i], m.Cells[m.Cases[i-2]][c.Name].short(!played))
			}
		}
	}
	return rows
}

// folder returns the common folder of all cases, with a trailing slash, or "".
func (m *Matrix) folder() string {
	if len(m.Cases) < 2 {
		return ""
	}
	dir := m.Cases[0][:strings.LastIndexByte(m.Cases[0], '/')+1]
	for _, name := range m.Cases {
		for !strings.HasPrefix(name, dir) {
			dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1]
		}
	}
	return dir
}

func widest(lines string) int {
	n := 0
	for line := range strings.Lines(lines) {
		n = max(n, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
	}
	return n
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
	line := fmt.Sprintf("%d passed, %d failed", m.Count(Pass), m.Count(Fail))
	for _, s := range []State{Cannot, Known, NotRun} {
		if n := m.Count(s); n > 0 {
			line += fmt.Sprintf(", %d %s", n, strings.Replace(string(s), "cannot", "undecided", 1))
		}
	}
	line += fmt.Sprintf(", %s\n", seconds(m.Took))
	if names := m.unproven(); len(names) > 0 {
		line += fmt.Sprintf("nothing was proved on %s: no case could be judged there\n", strings.Join(names, ", "))
	}
	return line
}

// key is the same for failed cells whose explanations differ only in what agents call
// tools and their arguments. With Verbose each cell has its own.
func (m *Matrix) key(c *Cell) string {
	text := c.explain("")
	if m.Verbose || !strings.Contains(text, "why: ") {
		return c.Agent + text
	}
	return regexp.MustCompile(`(?m)^    seen: .*?:|\n +it read: .*`).ReplaceAllString(text, "")
}

// reasons returns the text under the matrix: which answer would block everywhere, and an
// explanation of each cell that did not pass (with Verbose, of each cell that ran).
func (m *Matrix) reasons() string {
	var b strings.Builder
	if advice := m.advice(); advice != "" {
		b.WriteString(advice + "\n")
	}
	whole := map[string]bool{}
	for _, column := range m.Columns {
		if whole[column.Name] = column.Cannot != ""; column.Cannot != "" {
			fmt.Fprintf(&b, "%s: cannot: %s\n", column.Name, column.Cannot)
		}
	}
	partly, vacuous := "", ""
	same := map[string][]string{}
	m.each(func(c *Cell) {
		if c.State == Fail {
			same[m.key(c)] = append(same[m.key(c)], c.Agent)
		}
	})
	m.each(func(c *Cell) {
		switch c.State {
		case Cannot:
			if !whole[c.Agent] {
				fmt.Fprintf(&b, "%s on %s: cannot: %s\n", c.Case, c.Agent, c.Why)
			}
		case Known:
			fmt.Fprintf(&b, "%s on %s: known: %s\n", c.Case, c.Agent, c.Why)
		case Fail:
			if agents := same[m.key(c)]; agents[0] == c.Agent {
				b.WriteString(c.explain(strings.Join(agents, ", ")))
			}
		case Pass:
			if m.Verbose {
				b.WriteString(c.explain(c.Agent))
			}
			for _, check := range c.Unasked {
				partly += fmt.Sprintf("  %s on %s: %s: %s\n", check.Where, c.Agent, check.Command, check.Unasked)
			}
			for _, check := range c.Result.Checks {
				if check.Vacuous != "" {
					vacuous += fmt.Sprintf("%s on %s: vacuous: %s\n", check.Where, c.Agent, check.Vacuity())
				}
			}
		}
	})
	if partly != "" {
		b.WriteString("* some assertions cannot be judged there:\n" + partly)
	}
	b.WriteString(vacuous)
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// explain says what was observed in a cell, and why it failed if it did.
func (c *Cell) explain(agents string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s:\n", c.Case, agents)
	for _, f := range c.Result.Failures {
		fmt.Fprintf(&b, "  %s\n    %s\n", f.Head(), strings.ReplaceAll(strings.TrimSpace(f.Actual), "\n", "\n    "))
	}
	for _, line := range c.seen() {
		fmt.Fprintf(&b, "    seen: %s\n", line)
	}
	return b.String()
}

// seen lists what hooks answered and what the effect was, one a line.
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
			if why := cmp.Or(because(c.Agent, rep.Event, run), unstarted(run),
				c.Result.Record.Lacks(rep.Event, run), pathThere(c.Agent, rep.Subject, run)); why != "" {
				line += reason(why)
			}
			if in := inputOf(run.Stdin, c.Result.Record.Workspace); in != "" {
				line += "\n      it read: " + in
			}
			lines = append(lines, line)
		}
	}
	return append(lines, c.unfired()...)
}

// inputOf returns the field of a payload that holds the arguments of a call, on one line.
func inputOf(stdin hooks.Payload, workspace string) string {
	for _, path := range inputs {
		if v := gjson.Get(stdin.String(), path); v.Exists() {
			return path + " " + text.VisibleLine(clip(strings.ReplaceAll(v.Raw, workspace, "$PROJECT"), 200))
		}
	}
	return ""
}

// reason formats a wrapped line below the observations.
func reason(why string) string { return "\n      why: " + wrapLines(why, 11) }

// wrapLines wraps text that begins in a column at 100 columns, so that it is readable in a
// terminal, a log and a page.
func wrapLines(words string, column int) string {
	return strings.ReplaceAll(ansi.Wrap(words, 100-column, ""), "\n", "\n"+strings.Repeat(" ", column))
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// table aligns rows in columns.
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
