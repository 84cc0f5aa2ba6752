package hooks

// What would happen at an event, without running anything.

import (
	"strings"

	"minigem/hooks/protocol"
)

// Explain returns the [Report] that ev would have: its plan. A Run with an empty Skipped
// would run. Nothing is started, so no Run has an Exit or a Reading. subject is what
// matchers see, a tool's name or a trigger; mcp says where an MCP tool comes from, nil
// for any other.
//
// Explain does not count as an event: no observer is called, and Seq is 0. Conditions on
// arguments are not decided, because there are none, and hooks of skills and agents are
// skipped. The engine needs a Runner, which is not called; without one every hook is
// skipped.
func (e *Engine) Explain(ev protocol.Event, subject string, mcp *protocol.MCPContext) Report {
	if e == nil {
		return Report{Event: ev, Subject: subject}
	}
	e.mu.RLock()
	c, mask, o := e.Config, e.Mask, e.Origin
	e.mu.RUnlock()
	p := ownRules{e}.planAt(Firing{Event: ev, Subject: subject, Use: ToolUse{MCP: mcp}, Config: c, Origin: o}, at{})
	return Report{Event: ev, Subject: subject, Sequential: p.InTurn, Runs: p.Runs, mask: mask}
}

// Matcher is a pattern of tools' names, in Gemini CLI's dialect.
type Matcher string

// Finds reports whether the pattern finds name. It also returns true if the expression
// takes longer than 250 ms, as the engine does.
func (m Matcher) Finds(name string) bool {
	found, err := compile(strings.TrimSpace(string(m))).match(name)
	return found || err != nil
}

// Fault says why the pattern is not a valid regular expression, or returns "". The engine
// compares an invalid one literally with whole names.
func (m Matcher) Fault() string { return compile(strings.TrimSpace(string(m))).invalid }
