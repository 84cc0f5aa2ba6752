package policy

// checkShell judges a command line.
func (e *Engine) checkShell(s situation, c Call) Verdict {
	for i := range s.rules {
		r := &s.rules[i]
		if r.appliesTo(s, c.Tool, c.Info, c.Subagent) && (!r.conditional() || r.restrictive()) {
			return verdictOf(r)
		}
	}
	return s.unruled()
}

// roots returns the prefixes that stand for a command line that the user
// allowed for always.
func roots(c Call) []string { return nil }
