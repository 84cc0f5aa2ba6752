package agents

import (
	"strings"

	"minigem/hooks"
	"minigem/hooks/dialect"
	"minigem/hooks/protocol"
)

// points are the events whose answers the tables of package dialect know.
var points = map[hooks.Event]dialect.Point{
	protocol.SessionStart: dialect.SessionStart, protocol.BeforeAgent: dialect.BeforePrompt, protocol.BeforeTool: dialect.BeforeTool,
	protocol.AfterTool: dialect.AfterTool, protocol.AfterAgent: dialect.AgentStop,
}

// because says what of a hook's answer the agent does not take, and what to say
// instead, from the tables; empty: nothing, or nothing is known.
func because(agent string, event hooks.Event, run hooks.Run) string {
	a, err := dialect.Find(agent)
	if err != nil || points[event] == "" {
		return ""
	}
	e := a.Read(dialect.Answer{
		Point: points[event], Exit: run.Exit.Code, Stdout: string(run.Exit.Stdout), Stderr: string(run.Exit.Stderr),
		TimedOut: run.TimedOut, Odd: run.Exit.Signal != "" || run.Exit.Err != nil,
	})
	return strings.TrimSpace(e.Because())
}
