package chat

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"minigem/hooks"
	"minigem/internal/output"
	"minigem/internal/terminal"
)

// tally counts what happened since this chat began, or since the last /clear.
type tally struct {
	stats *output.Stats
	hooks output.HookStats
	last  atomic.Pointer[hooks.Report]
}

func (n *tally) note(r hooks.Report) {
	n.last.Store(&r)
	n.hooks.Note(r)
}

func (n *tally) reset() {
	n.stats.Reset()
	n.hooks.Reset()
}

// countCommands returns the commands that list and count things.
func countCommands() []row {
	return []row{
		{Name: "stats", Aliases: []string{"usage"}, Help: "requests, tokens, calls", Run: statsSession,
			Sub: []row{
				{Name: "session", Help: "all of them", Run: statsSession},
				{Name: "model", Help: "only models", Run: statsModel},
				{Name: "tools", Aliases: []string{"tool"}, Help: "only tools", Run: statsTools},
				{Name: "hooks", Aliases: []string{"hook"}, Help: "only hooks, and how long they took", Run: statsHooks},
			}},
		{Name: "tools", Help: "the tools that the model is offered", Run: listTools(false), Sub: []row{
			{Name: "list", Help: "list them", Run: listTools(false)},
			{Name: "desc", Aliases: []string{"descriptions"}, Help: "with the descriptions that the model reads",
				Run: listTools(true)},
		}},
	}
}

func statsSession(t *call) error {
	s := t.tally.stats.Snapshot()
	t.term.Print(fmt.Sprintf("session  %s\nchanged  +%d -%d lines", t.runtime.Session.ID(), s.Files.TotalLinesAdded,
		s.Files.TotalLinesRemoved))
	if err := statsModel(t); err != nil {
		return err
	}
	return statsTools(t)
}

func statsModel(t *call) error {
	s := t.tally.stats.Snapshot()
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

func statsTools(t *call) error {
	s := t.tally.stats.Snapshot().Tools
	rows := [][]string{{"tool", "calls", "done", "failed", "time"}}
	for _, name := range s.ByName.Names {
		c := s.ByName.Get(name)
		rows = append(rows, []string{name, fmt.Sprint(c.Count), fmt.Sprint(c.Success), fmt.Sprint(c.Fail),
			output.Milliseconds(time.Duration(c.DurationMS) * time.Millisecond)})
	}
	t.rows(rows, "No tool was called yet.")
	return nil
}

func listTools(described bool) func(*call) error {
	return func(t *call) error {
		t.table.awaitMCP()
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
}
