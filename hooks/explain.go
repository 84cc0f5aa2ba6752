package hooks

// What would happen, without its happening.

import (
	"strings"

	"minigem/hooks/protocol"
)

// Explain is the Report of what would come of ev: its plan. A Run with an empty
// Skipped would run; nothing was started, so that it has no Exit and no Reading.
// subject is what
// matchers see, a tool's name or a trigger; mcp is where an MCP tool comes from,
// nil for another. Explain does not count as an event: no observer sees it, and
// Seq is 0. The engine needs a Runner, which is not called: without one no hook
// would run.
func (e *Engine) Explain(ev Event, subject string, mcp *protocol.MCPContext) Report {
	if e == nil {
		return Report{Event: ev, Subject: subject}
	}
	e.mu.RLock()
	c, mask, o := e.Config, e.Mask, e.Origin
	e.mu.RUnlock()
	p := ownRules{e}.planAt(Firing{Event: ev, Subject: subject, Use: ToolUse{MCP: mcp}, Config: c, Origin: o}, at{})
	return Report{Event: ev, Subject: subject, Sequential: p.InTurn, Runs: p.Runs, mask: mask}
}

// MatcherFinds reports whether a tool matcher finds the name, or takes too long to
// say.
func MatcherFinds(pattern, name string) bool {
	found, err := compile(strings.TrimSpace(pattern)).match(name)
	return found || err != nil
}

// MatcherFault says why a tool matcher is not a regular expression; empty: it is
// one.
func MatcherFault(pattern string) string { return compile(strings.TrimSpace(pattern)).invalid }
