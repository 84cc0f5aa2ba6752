package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"minigem/e2e/testbed"
	"minigem/internal/text"
)

// cellJSON is the JSON form of a cell.
type cellJSON struct {
	Case     string   `json:"case"`
	Agent    string   `json:"agent"`
	Version  string   `json:"version,omitempty"`
	New      bool     `json:"new,omitempty"` // the version was not measured
	State    State    `json:"state"`
	Millis   int64    `json:"ms,omitempty"`
	Why      string   `json:"why,omitempty"`
	Failures []string `json:"failures,omitempty"`
	Seen     []string `json:"seen,omitempty"`
	Unasked  []string `json:"cannot,omitempty"` // assertions that were not judged, and why
}

// Formats lists the formats that Write supports.
var Formats = []string{"text", "json", "github"}

// Write writes the matrix as text, as JSON, or as Markdown for the job summary of GitHub
// Actions.
func (m *Matrix) Write(w io.Writer, format string) error {
	width := terminalWidth(w)
	w = text.NewWriter(w)
	var err error
	switch format {
	case "text":
		_, err = io.WriteString(w, testbed.Inert(m.Text(width)))
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(m.list())
	case "github":
		_, err = io.WriteString(w, testbed.Inert(m.markdown()))
	default:
		return fmt.Errorf("the format is %q: with --on, use one of %s", format, strings.Join(Formats, ", "))
	}
	return err
}

// WriteGitHub annotates the first failure of each failed cell. It appends the table to the
// summary of the job, or writes it to w if there is no job.
func (m *Matrix) WriteGitHub(w io.Writer, getenv func(string) string) error {
	m.each(func(c *Cell) {
		if c.State == Fail {
			c.Result.Failures[0].Annotate(w, getenv("GITHUB_WORKSPACE"), c.Case+" on "+c.Agent)
		}
	})
	summary := getenv("GITHUB_STEP_SUMMARY")
	if summary == "" {
		return m.Write(w, "github")
	}
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("adding to the summary of the job: %w", err)
	}
	return errors.Join(m.Write(f, "github"), f.Close(), m.Write(w, "text"))
}

func (m *Matrix) list() []cellJSON {
	columns := map[string]Column{}
	for _, c := range m.Columns {
		columns[c.Name] = c
	}
	out := []cellJSON{}
	m.each(func(c *Cell) {
		j := cellJSON{Case: c.Case, Agent: c.Agent, Version: columns[c.Agent].Version, New: columns[c.Agent].New,
			State: c.State, Millis: c.Took.Milliseconds(), Why: c.Why}
		for _, f := range c.Result.Failures {
			j.Failures = append(j.Failures, strings.TrimSpace(f.String()))
		}
		for _, u := range c.Unasked {
			j.Unasked = append(j.Unasked, u.Command+": "+u.Unasked)
		}
		if c.State == Fail {
			j.Seen = c.seen()
		}
		out = append(out, j)
	})
	return out
}

// signs are the symbols for states in Markdown.
var signs = map[State]string{Pass: "✅", Fail: "❌", Known: "≠", Cannot: "–", NotRun: "–"}

func (m *Matrix) markdown() string {
	var b strings.Builder
	b.WriteString("| case |")
	line := "\n|---|"
	for _, c := range m.Columns {
		fmt.Fprintf(&b, " %s %s |", c.Name, c.version())
		line += "---|"
	}
	b.WriteString(line + "\n")
	for _, name := range m.Cases {
		fmt.Fprintf(&b, "| %s |", markdownText(name))
		for _, column := range m.Columns {
			c := m.Cells[name][column.Name]
			fmt.Fprintf(&b, " %s |", strings.TrimSpace(signs[c.State]+" "+c.time()))
		}
		b.WriteString("\n")
	}
	return b.String() + "\n```text\n" + strings.ReplaceAll(m.reasons(), "```", "` ` `") + m.summary() + "```\n"
}

func markdownText(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'").Replace(text.VisibleLine(s))
}

// time formats how long a case took that passed or failed.
func (c *Cell) time() string {
	if c.State != Pass && c.State != Fail {
		return ""
	}
	return seconds(c.Took)
}
