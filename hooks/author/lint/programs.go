package lint

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/hooks/protocol"
)

// programs checks the programs that h runs. A finding in a file is reported there, and
// a finding in the command itself is reported in the settings.
func (l *linter) programs(h hooks.Hook) {
	claudes := h.Dialect == "claude"
	for _, f := range l.of(h) {
		at := place{l, h, f}
		l.text(at)
		if f.Invalid != "" {
			if f.Path != "" {
				at.add("HK036", nil, nil, "the shell cannot read the program: %s", f.Invalid)
			}
			continue
		}
		for _, r := range programRules {
			if fact := r.find(h, f); fact != nil && !(claudes && r.gemini) {
				at.add(r.code, fact, nil, r.say, fact.Text)
			}
		}
	}
	if h.Async && h.Event.CanBlock() && (h.Kind() == "prompt" || slices.ContainsFunc(l.of(h), inspect.MightDeny)) {
		l.add("HK068", h.Source.File, h.Source.Line, nil,
			"the hook can refuse, but with async its answer is not waited for: it refuses nothing")
	}
	if h.Once && h.Event.CanBlock() && slices.ContainsFunc(l.of(h), inspect.MightDeny) {
		l.add("HK068", h.Source.File, h.Source.Line, nil,
			"the hook can refuse, but with once it no longer runs in a session once it has allowed something")
	}
	if (h.Event == protocol.AfterAgent || h.Event == protocol.SubagentStop) && l.blocksBlindly(h) {
		l.add("HK044", h.Source.File, h.Source.Line, nil, "%s",
			"the hook sends answers back but never reads stop_hook_active: it can send the same answer back forever; "+
				effect("HK044"))
	}
}

// blocksBlindly reports whether a program of h can deny and none of them checks the
// flag.
func (l *linter) blocksBlindly(h hooks.Hook) bool {
	facts := l.of(h)
	return slices.ContainsFunc(facts, inspect.MightDeny) &&
		!slices.ContainsFunc(facts, func(f program.Facts) bool {
			return f.Mentions("stop_hook_active") || f.Mentions("stopHookActive") || f.Mentions("StopHookActive")
		})
}

// place is where a program's findings are reported: the program's file or, if the
// program is the command itself, the line of the settings.
type place struct {
	l *linter
	h hooks.Hook
	f program.Facts
}

// add reports a fault at a fact; nil means the file as a whole.
func (p place) add(code string, at *program.Fact, fix func(*fixer) error, format string, args ...any) {
	if !strings.Contains(format, "%") {
		args = nil
	}
	switch {
	case p.f.Path == "":
		p.l.add(code, p.h.Source.File, p.h.Source.Line, fix, "the command: "+format, args...)
	case at == nil:
		p.l.add(code, p.f.Path, 0, fix, format, args...)
	default:
		p.l.add(code, p.f.Path, at.Line, fix, format, args...)
	}
}

// text finds what editors leave in files, such as carriage returns.
func (l *linter) text(p place) {
	if p.f.Path == "" {
		return
	}
	path := p.f.Path
	if strings.Contains(p.f.Text, "\r\n") {
		p.add("HK032", nil, func(f *fixer) error { return f.rewrite(path, "\r\n", "\n") },
			"the lines end with CR LF: the first one names a program that does not exist")
	}
	if strings.HasPrefix(p.f.Text, "\ufeff") {
		p.add("HK033", nil, func(f *fixer) error { return f.rewrite(path, "\ufeff", "") },
			"a byte order mark comes before the first line, so that #! is not recognized")
	}
}

// programRules are checked against each program alone. %s is the fact's text.
var programRules = []struct {
	code   string
	gemini bool // not for hooks in Claude Code's dialect
	find   func(hooks.Hook, program.Facts) *program.Fact
	say    string
}{
	{"HK040", false, func(h hooks.Hook, f program.Facts) *program.Fact {
		if !h.Event.CanBlock() || f.Exit(is(2)) != nil || denial(f, 0) != nil {
			return nil
		}
		return refusal(f)
	}, "exit 1 is a warning, and the action goes on: exit 2 blocks"},
	{"HK041", true, func(h hooks.Hook, f program.Facts) *program.Fact {
		if !h.Event.CanBlock() || f.Silent {
			return nil
		}
		return f.Exit(func(code int) bool { return code > 2 })
	}, "exit %s: " + effect("HK041")},
	{"HK042", true, func(h hooks.Hook, f program.Facts) *program.Fact {
		if !h.Event.CanBlock() || h.Async || !inspect.SilentExit2(f) {
			return nil
		}
		return f.Exit(is(2))
	}, "exit 2 without a reason: " + effect("HK042") + "; print the reason on stderr"},
	{"HK043", true, func(h hooks.Hook, f program.Facts) *program.Fact {
		if !h.Event.CanBlock() || !inspect.Exit2WithoutDeny(f) {
			return nil
		}
		return f.Unsaid
	}, `exit 2 with JSON that has no "decision": "deny": ` + effect("HK043")},
	{"HK045", false, func(_ hooks.Hook, f program.Facts) *program.Fact { return f.JSONOnStderr() },
		"JSON on stderr is obeyed only where stdout is empty: print it on stdout"},
	{"HK046", false, func(_ hooks.Hook, f program.Facts) *program.Fact { return f.Mixed },
		"%q is printed before the JSON: the whole is then a message for the user, and no answer; print it on stderr"},
	{"HK047", false, badDecision, "%s is not a decision: allow, deny, block, ask and approve are"},
	{"HK048", true, func(h hooks.Hook, f program.Facts) *program.Fact {
		return find(f.Foreign, func(at program.Fact) bool { return !refuses(h, f, at.Line) })
	},
		`%s is a field of Claude Code's hooks, and is ignored: give the hook "dialect": "claude", or answer as Gemini CLI ` +
			`wants it`},
	{"HK049", false, func(_ hooks.Hook, f program.Facts) *program.Fact { return f.Traps },
		"TERM is ignored: at the timeout " + effect("HK049")},
	{"HK050", false, func(_ hooks.Hook, f program.Facts) *program.Fact { return f.Leaves },
		"a child is left behind with stdout open: " + effect("HK050") + "; redirect its output"},
	{"HK051", false, func(h hooks.Hook, f program.Facts) *program.Fact {
		if !h.Event.CanAsk() {
			return nil
		}
		return decided(f, "ask")
	},
		"ask: " + effect("HK051")},
	{"HK052", false, func(_ hooks.Hook, f program.Facts) *program.Fact { return f.Kills },
		"%s: the end by a signal never blocks: " + effect("HK052")},
	{"HK053", true, unknownField, "the answer has a field %q that nothing reads"},
	{"HK054", false, func(h hooks.Hook, f program.Facts) *program.Fact {
		if h.Event.CanBlock() || f.Mentions("hook_event_name") { // it is for other events, too
			return nil
		}
		return cmp.Or(denial(f, 0), f.Exit(is(2)))
	}, "a denial and exit 2 stop nothing at this event: it goes on, with a warning"},
	{"HK055", false, func(h hooks.Hook, f program.Facts) *program.Fact {
		if h.Event.CanAsk() {
			return nil
		}
		return decided(f, "ask")
	}, "this event cannot ask: the action goes on"},
	{"HK060", false, unsetVariable, "no agent sets $%s: what the hook is about is in the JSON on stdin"},
	{"HK061", false, noSuchField, "no payload has %s"},
	{"HK062", false, foreignTool, "the tool's name is never %s in this dialect"},
	{"HK063", false, unescaped, "$%s is printed inside JSON unescaped: a quote in it breaks the JSON"},
	{"HK066", false, func(h hooks.Hook, f program.Facts) *program.Fact {
		if !h.Event.CanBlock() {
			return nil
		}
		return f.Strict
	}, "%s: where sh is dash, an unset variable or a cd that fails ends the hook with 2, and so does grep or jq that " +
		"cannot read a file: that blocks"},
	{"HK065", false, noArgument, "a hook gets no arguments: $%s is empty, and the event is in the JSON on stdin"},
}

// refusal finds an exit 1 whose preceding lines print a reason, so that it is meant to
// block. An exit after || or in an error handler is an ordinary failure.
func refusal(f program.Facts) *program.Fact {
	lines := strings.Split(f.Text, "\n")
	for i, e := range f.Exits {
		if e.Text != "1" || e.Line > len(lines) {
			continue
		}
		near := strings.Join(lines[max(e.Line-4, 0):e.Line], "\n")
		if errorPath.MatchString(near) || !speaks.MatchString(near) {
			continue
		}
		return &f.Exits[i]
	}
	return nil
}

// Signs of a line that handles a failure, and of one that says something.
var (
	errorPath = regexp.MustCompile(
		`\|\||\bexcept\b|\bcatch\b|\brescue\b|(?i:usage|not found|not installed|missing|cannot|could ` +
			`not|failed|invalid|\berror\b)|command -v|\btrap\b`)
	speaks = regexp.MustCompile(
		`\b(echo|printf|print|cat)\b|std(err|out)|console\.|sys\.exit\(\s*[rbf]?["']|SystemExit\(\s*[rbf]?["']`)
)

// is returns a function that recognizes one exit code.
func is(want int) func(int) bool { return func(code int) bool { return code == want } }

// find returns the first of facts for which is returns true, or nil.
func find(facts []program.Fact, is func(program.Fact) bool) *program.Fact {
	if i := slices.IndexFunc(facts, is); i >= 0 {
		return &facts[i]
	}
	return nil
}

// decided returns the first place where the program says that decision; nil if it never
// does.
func decided(f program.Facts, word string) *program.Fact {
	return find(f.Decisions, func(d program.Fact) bool { return d.Text == word })
}

// denial finds a decision that denies, at a line or, with 0, anywhere.
func denial(f program.Facts, line int) *program.Fact {
	return find(f.Decisions, func(d program.Fact) bool {
		return (d.Text == "deny" || d.Text == "block") && (line == 0 || d.Line == line)
	})
}

// refuses reports whether the answer that is printed at a line also refuses in Gemini
// CLI's form, by its decision or by the next exit. Other agents' fields are then for them.
func refuses(h hooks.Hook, f program.Facts, line int) bool {
	next := find(f.Exits, func(e program.Fact) bool { return e.Line >= line })
	return h.Event.CanBlock() && (next != nil && next.Text == "2" ||
		denial(f, line) != nil)
}

// badDecision finds an unknown decision, or an array where an object belongs.
func badDecision(h hooks.Hook, f program.Facts) *program.Fact {
	for _, d := range f.Decisions {
		if !slices.Contains([]string{"allow", "deny", "block", "ask", "approve"}, d.Text) {
			return &program.Fact{Line: d.Line, Text: `"` + d.Text + `"`}
		}
	}
	for _, s := range f.Stdout {
		if strings.HasPrefix(strings.TrimSpace(s.Text), "[") && json.Valid([]byte(s.Text)) {
			return &program.Fact{Line: s.Line, Text: "an array"}
		}
	}
	return nil
}

// unknownField checks the fields of answers that are complete JSON.
func unknownField(h hooks.Hook, f program.Facts) *program.Fact {
	for _, s := range f.Stdout {
		var answer map[string]json.RawMessage
		if json.Unmarshal([]byte(s.Text), &answer) != nil {
			continue
		}
		var nested map[string]json.RawMessage
		_ = json.Unmarshal(answer["hookSpecificOutput"], &nested) // the engine reports other types
		for _, part := range []struct {
			fields map[string]json.RawMessage
			nested bool
		}{{answer, false}, {nested, true}} {
			for name := range part.fields {
				if name != "hookSpecificOutput" && !known(name, part.nested) &&
					!(slices.Contains([]string{"cancel", "errorMessage"}, name) && refuses(h, f, s.Line)) {
					return &program.Fact{Line: s.Line, Text: name}
				}
			}
		}
	}
	return nil
}

// known reports whether answers may have the field, at the top or nested.
func known(name string, nested bool) bool {
	return slices.ContainsFunc(protocol.Gemini().Fields(), func(f protocol.Field) bool {
		return f.Name == name && f.Nested == nested
	}) ||
		// HK048 reports these
		slices.Contains([]string{"permissionDecision", "permissionDecisionReason", "updatedInput", "updatedToolOutput"}, name)
}
