package policy

import (
	"cmp"
	"slices"

	"minigem/tools"
)

// The priority of rules from the user's "always" answers (core/policy/config.ts).
const prioritySession = 3950

// Remember applies the user's answer to the question about a call. "Always" on an edit
// switches the session to auto_edit; on anything else it adds a rule, for the current
// mode and more permissive ones: for a command, its root commands; for an MCP tool, the
// tool or its server. Other outcomes change nothing. Nothing is written to disk.
func (e *Engine) Remember(c Call, outcome Outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := situation{Options: e.options}
	s.remember(c, outcome)
	e.options.Mode, e.options.Rules = s.Mode, s.Rules
}

// Lasting returns the answers by which c and calls like it would run from now on. An
// answer after which the call would still be asked about, for example because a rule asks
// even about what another allows, is not among them. It changes nothing.
func (e *Engine) Lasting(c Call) []Outcome {
	outcomes := []Outcome{ProceedAlways}
	switch {
	case c.Info.MCP != nil:
		outcomes = []Outcome{ProceedAlwaysTool, ProceedAlwaysServer}
	case canonical(c.Tool) == shellTool && e.options.Sandbox:
		outcomes = append(outcomes, ProceedAlwaysSandbox)
	}
	return slices.DeleteFunc(outcomes, func(o Outcome) bool {
		s := e.situation()
		s.remember(c, o)
		return e.check(s, c).Decision != Allow
	})
}

// remember applies an answer to s: it changes the mode or adds a rule.
func (s *situation) remember(c Call, outcome Outcome) {
	s.Mode = cmp.Or(s.Mode, ModeDefault)
	switch c.Tool = canonical(c.Tool); {
	case !slices.Contains([]Outcome{ProceedAlways, ProceedAlwaysTool, ProceedAlwaysServer, ProceedAlwaysSandbox}, outcome):
	case c.Info.Kind == tools.KindEdit: // an answer about all edits
		// The session never becomes stricter.
		s.Mode = modes[max(slices.Index(modes, s.Mode), slices.Index(modes, ModeAutoEdit))]
	default:
		if r := granted(c, outcome); r != nil {
			r.Modes = slices.Clone(modes[slices.Index(modes, s.Mode):])
			s.Rules = append(slices.Clone(s.Rules), *r)
			sortRules(s.Rules)
		}
	}
}

// granted returns the rule that allows what the user meant. It returns nil for a
// command line whose commands are unknown.
func granted(c Call, outcome Outcome) *Rule {
	r := Rule{
		Decision: Allow, Tools: []string{c.Tool}, Sandbox: outcome == ProceedAlwaysSandbox,
		Priority: prioritySession, Place: Place{File: "allowed in this session"},
	}
	switch {
	case c.Info.MCP != nil && outcome == ProceedAlwaysServer:
		r.Server, r.Tools = c.Info.MCP.Server, nil
	case c.Info.MCP != nil:
		r.Server, r.Tools = c.Info.MCP.Server, []string{c.Info.MCP.Tool}
	case c.Tool == shellTool:
		command, _ := c.Args["command"].(string)
		if r.Prefixes = RootCommands(command); len(r.Prefixes) == 0 {
			return nil
		}
		r.Inside, r.whole = isRedirected(command), true
	}
	if r.compile() != nil {
		return nil // unreachable: the prefixes are words of the call
	}
	return &r
}
