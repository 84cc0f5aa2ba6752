package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/e2e/agents/shim"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
)

// points maps events to the points for which the tables describe answers.
var points = map[protocol.Event]tables.Point{
	protocol.SessionStart: tables.SessionStart, protocol.BeforeAgent: tables.BeforePrompt,
	protocol.BeforeTool: tables.BeforeTool,
	protocol.AfterTool:  tables.AfterTool, protocol.AfterAgent: tables.AgentStop,
}

// tableOf returns the table of a column's agent, run or played, or nil if there is none.
func tableOf(column string) *tables.Agent {
	id, _, _ := strings.Cut(column, " ")
	a, err := tables.Find(id)
	if err != nil {
		return nil
	}
	return a
}

// Pascal is the table of Copilot CLI's hooks at events in PascalCase.
const Pascal = "copilotc"

// RulesOf names the table whose rules apply to an agent's hooks at the event called native.
func RulesOf(agent, native string) string {
	if agent == "copilot" && native > "A" && native < "[" {
		return Pascal
	}
	return agent
}

// because explains, from the tables, which part of a hook's answer the agent ignores and
// what to answer instead. It is empty if it ignores nothing or if nothing is known.
func because(agent string, event protocol.Event, run hooks.Run) string {
	a := tableOf(agent)
	if a == nil || points[event] == "" || unstarted(run) != "" {
		return ""
	}
	e := a.ReadRun(elsewhere.AnswerOf(&run, points[event]))
	return strings.TrimSpace(e.Because())
}

// endsRun reports whether, according to the tables, a hook's answer ends the agent's run.
func endsRun(agent string, event protocol.Event, run shim.Run) bool {
	a := tableOf(agent)
	return a != nil && a.Read(tables.Answer{
		Point: points[event], Exit: run.Exit, Stdout: string(run.Stdout), Stderr: string(run.Stderr), TimedOut: run.Killed,
	}).Kind == tables.RunEnded
}

// pathThere says in which argument of a tool the agent has the file's path, if not in
// file_path and a hook let the call pass.
func pathThere(agent, tool string, run hooks.Run) string {
	a := tableOf(cmp.Or(run.Hook.Dialect, agent))
	if a == nil || run.Decision != hooks.Proceed {
		return ""
	}
	for _, t := range a.Tools {
		name := cmp.Or(t.Args["file_path"], t.Args["patch"])
		if t.Hook == tool && name != "" && name != "file_path" {
			return "if it looks for file_path: the file's path is in " + name + " there"
		}
	}
	return ""
}

// unstarted says what to do about a hook whose shell could not run its program. It is
// empty if the program ran. POSIX defines these two exit codes for shells.
func unstarted(run hooks.Run) string {
	switch run.Exit.Code {
	case 126:
		return "the hook's program is not executable: chmod +x, or name what runs it, such as sh, before it"
	case 127:
		return "the hook's program was not found: name its path, or put its folder into the case's PATH"
	}
	return ""
}

// advices lists answers that may work on several agents, simplest first, and how to
// describe them.
var advices = []struct {
	say    string
	answer tables.Answer
}{
	{"exit 2 with the reason on stderr", tables.Answer{Exit: 2, Stderr: "no"}},
	{`exit 2 with the reason R on stderr, and on stdout {"decision": "block", "reason": R}`,
		tables.Answer{Exit: 2, Stderr: "no", Stdout: `{"decision":"block","reason":"no"}`}},
	{`exit 2 with the reason on stderr, and on stdout {"decision": "deny", "cancel": true}`,
		tables.Answer{Exit: 2, Stderr: "no", Stdout: `{"decision":"deny","cancel":true}`}},
	{`{"decision": "block", "reason": R}`, tables.Answer{Stdout: `{"decision":"block","reason":"no"}`}},
}

// holds describes the first of advices that blocks the event on all agents whose tables
// cover it.
func (m *Matrix) holds(event protocol.Event) string {
	for _, advice := range advices {
		known, all := 0, true
		for _, c := range m.Columns {
			a := tableOf(c.Name)
			if !c.Other || a == nil || !a.ReadsRun(points[event]) {
				continue
			}
			answer := advice.answer
			answer.Point = points[event]
			known++
			all = all && a.ReadRun(answer).Prevents()
		}
		if all && known > 0 {
			return advice.say
		}
	}
	return "no single answer is known"
}

// advice says what would block everywhere, for each event at which some agent did not take
// a hook's answer as a denial.
func (m *Matrix) advice() string {
	var events []protocol.Event
	m.each(func(c *Cell) {
		if c.State != Fail || c.Result.Record == nil {
			return
		}
		for _, rep := range c.Result.Record.Reports {
			for _, run := range rep.Runs {
				if run.Ran() && run.Decision != hooks.Deny && because(c.Agent, rep.Event, run) != "" &&
					!slices.Contains(events, rep.Event) {
					events = append(events, rep.Event)
				}
			}
		}
	})
	var b strings.Builder
	for _, e := range events {
		b.WriteString(wrapLines(fmt.Sprintf("What refuses at %s on all of them: %s", e, m.holds(e)), 0) + "\n")
	}
	return b.String()
}

// unfired explains hooks that never ran because, according to the tables, their matcher
// matches no tool of the agent.
func (c *Cell) unfired() []string {
	if tableOf(c.Agent) == nil {
		return nil
	}
	ran := map[string]bool{}
	for _, rep := range c.Result.Record.Reports {
		for _, run := range rep.Runs {
			ran[run.Hook.Command] = ran[run.Hook.Command] || run.Ran()
		}
	}
	var lines []string
	for _, h := range c.Result.Record.Config.Hooks {
		if h.Matcher == "" || ran[h.Command] || !h.Event.IsTool() {
			continue
		}
		a := *tableOf(cmp.Or(h.Dialect, c.Agent))
		if a.Matcher.Kind == "none" { // plugins match tools by their own expressions
			a.Matcher = tables.Matcher{Kind: "regex", Case: true}
		}
		var names []string
		for _, t := range a.Tools {
			if fires, known := a.Fires(h.Matcher, t.Hook); fires || !known {
				names = nil
				break
			}
			if !slices.Contains(names, t.Hook) {
				names = append(names, t.Hook)
			}
		}
		if len(names) > 0 {
			why := fmt.Sprintf("the matcher %q fires for none of its tools, which are called %s there", h.Matcher,
				strings.Join(names, ", "))
			lines = append(lines, fmt.Sprintf("%s: %s never ran%s", h.Event, h.ID(), reason(why)))
		}
	}
	return lines
}
