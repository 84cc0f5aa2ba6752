package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"minigem/internal/output"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

func (t *Chat) statsSession(ctx context.Context, _ string) error {
	s := t.stats.Snapshot()
	t.term.Print(fmt.Sprintf("session  %s\nchanged  +%d -%d lines", t.runtime.Session.ID(), s.Files.TotalLinesAdded,
		s.Files.TotalLinesRemoved))
	if err := t.statsModel(ctx, ""); err != nil {
		return err
	}
	return t.statsTools(ctx, "")
}

func (t *Chat) statsModel(context.Context, string) error {
	s := t.stats.Snapshot()
	rows := [][]string{{"model", "requests", "errors", "input", "cached", "output", "thoughts", "time"}}
	for _, name := range s.Models.Names {
		m := s.Models.Get(name)
		rows = append(rows, []string{name, fmt.Sprint(m.API.TotalRequests), fmt.Sprint(m.API.TotalErrors),
			fmt.Sprint(m.Tokens.Input),
			fmt.Sprint(m.Tokens.Cached), fmt.Sprint(m.Tokens.Candidates), fmt.Sprint(m.Tokens.Thoughts),
			output.Milliseconds(time.Duration(m.API.TotalLatencyMS) * time.Millisecond)})
	}
	t.rows(rows, "The model was not asked yet.")
	return nil
}

func (t *Chat) statsTools(context.Context, string) error {
	s := t.stats.Snapshot().Tools
	rows := [][]string{{"tool", "calls", "done", "failed", "time"}}
	for _, name := range s.ByName.Names {
		c := s.ByName.Get(name)
		rows = append(rows, []string{name, fmt.Sprint(c.Count), fmt.Sprint(c.Success), fmt.Sprint(c.Fail),
			output.Milliseconds(time.Duration(c.DurationMS) * time.Millisecond)})
	}
	t.rows(rows, "No tool was called yet.")
	return nil
}

// rows prints a table; the first row is its head.
func (t *Chat) rows(rows [][]string, empty string) {
	if len(rows) == 1 {
		t.term.Print(empty)
		return
	}
	text.Align(rows)
	for i, row := range rows {
		text := terminal.Clean(strings.TrimRight(strings.Join(row, "  "), " "))
		if i == 0 {
			text = t.term.Dim(text)
		}
		t.term.Print(text)
	}
}

func (t *Chat) listTools(context.Context, string) error { return t.showTools(false) }

func (t *Chat) describeTools(context.Context, string) error { return t.showTools(true) }

func (t *Chat) showTools(described bool) error {
	t.awaitMCP()
	for _, tool := range t.runtime.Registry.All() {
		if !t.runtime.Policy.Offered(tool) {
			continue
		}
		spec := tool.Spec()
		text := fmt.Sprintf("  %s  %s", t.term.Bold(terminal.Clean(tool.Info().DisplayName)),
			t.term.Dim(terminal.Clean(spec.Name)))
		if described {
			text += "\n      " + strings.ReplaceAll(strings.TrimSpace(terminal.Clean(spec.Description)), "\n", "\n      ")
		}
		t.term.Print(text)
	}
	return nil
}
