package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/internal/text"
)

// parser collects the content of a policy file.
type parser struct {
	file     string
	tier     Tier
	rules    []Rule
	problems []Problem
}

// complain adds a problem; loosens says that the rule may have held something back.
func (p *parser) complain(at Place, loosens bool, format string, args ...any) {
	p.problems = append(p.problems, Problem{Place: at, Loosens: loosens, Text: fmt.Sprintf(format, args...)})
}

// rule reads one [[rule]] and keeps it, or reports what is wrong.
func (p *parser) rule(at Place, v any) {
	t := table{Rule: Rule{Place: at, Decision: Deny}} // as strict as what cannot be read may be meant
	t.read(v)
	if !p.finish(&t) {
		return
	}
	if c := t.checker; c != nil && len(t.faults) == 0 {
		if c["type"] == "in-process" && c["name"] == "allowed-path" {
			t.Area = Workspace
		} else if t.Decision == Allow {
			t.Decision = Ask
			p.complain(at, false, "safety checker %v is not known: the rule asks instead of allowing", c["name"])
		}
	}
	p.keep(&t)
}

// finish applies the rules of the tier, and reports whether something of r is left
// to keep or to report.
func (p *parser) finish(t *table) bool {
	r := &t.Rule
	r.Priority += int(p.tier) * 1000
	if p.tier != TierExtension {
		return true
	}
	if r.Decision == Allow {
		t.fault("an extension cannot allow anything")
	}
	if !slices.Contains(r.Modes, ModeYolo) {
		return true
	}
	p.complain(r.Place, false, "an extension cannot make rules for yolo mode: there it is not in force")
	r.Modes = slices.DeleteFunc(r.Modes, func(m Mode) bool { return m == ModeYolo })
	return len(r.Modes) > 0 || len(t.faults) > 0 // none would be all of them; a fault is reported
}

// keep adds a rule. An unknown field may have been meant to narrow the rule, so
// an allow with one is dropped rather than widened.
func (p *parser) keep(t *table) {
	r := t.Rule
	if len(t.faults) == 0 {
		if err := r.compile(); err != nil {
			t.fault("%v", err)
		}
	}
	switch {
	case len(t.faults) > 0 && r.restrictive():
		p.complain(r.Place, true, "%s", strings.Join(t.faults, "; "))
	case len(t.faults) > 0:
		p.complain(r.Place, false, "rule skipped: %s", strings.Join(t.faults, "; "))
	case len(t.unknown) > 0 && r.Decision == Allow:
		p.complain(r.Place, false, "rule skipped: unknown field %s may have been meant to narrow it", quoteAll(t.unknown))
	default:
		if len(t.unknown) > 0 {
			p.complain(r.Place, false, "unknown field %s ignored", quoteAll(t.unknown))
		}
		p.rules = append(p.rules, r)
	}
}

// unknownKey is for a key next to [[rule]]. A key that holds tables, or is spelled like
// that one, may have been meant to hold rules.
func (p *parser) unknownKey(at Place, key string, tables bool) {
	meant := text.Nearest(key, []string{"rule", "safety_checker"})
	switch {
	case meant != "":
		p.complain(at, true, "unknown key %q%s", key, text.DidYouMean(meant))
	case tables:
		p.complain(at, true, "unknown key %q: rules are in [[rule]]", key)
	default:
		p.complain(at, false, "unknown key %q ignored", key)
	}
}

// table is a rule as files spell it, and what is wrong with it.
type table struct {
	Rule
	decision string
	priority int64
	modes    []string
	area     string
	checker  map[string]any
	faults   []string
	unknown  []string
}

// fault notes what is wrong with the rule. Reading goes on, so that all faults are
// reported at once.
func (t *table) fault(format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

// read reads all fields.
func (t *table) read(v any) {
	fields, ok := v.(map[string]any)
	if !ok {
		t.fault("not a table")
		return
	}
	r := &t.Rule
	places := map[string]any{ // in lower case
		"name": &r.Name, "toolname": &r.Tools, "mcpname": &r.Server, "subagent": &r.Subagent, "decision": &t.decision,
		"priority": &t.priority, "argspattern": &r.Args, "commandprefix": &r.Prefixes, "commandregex": &r.Regex,
		"modes": &t.modes, "interactive": &r.Interactive, "toolannotations": &r.Annotations,
		"allowredirection": &r.Redirection, "evenifallowed": &r.Always, "sandbox": &r.Sandbox,
		"denymessage": &r.Message, "safetychecker": &t.checker, "area": &t.area,
	}
	given := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		plain := strings.ToLower(strings.ReplaceAll(key, "_", ""))
		given[plain] = true
		t.field(key, places[plain], fields[key])
	}
	for _, required := range []string{"decision", "priority", "toolName"} {
		if !given[strings.ToLower(required)] && !(required == "toolName" && t.Server != "") {
			t.fault("%s is missing", required)
		}
	}
	t.checkValues()
	t.checkConditions()
}

// field reads one field, which is unknown if there is no place for it.
func (t *table) field(key string, place, v any) {
	switch to := place.(type) {
	case nil:
		t.unknown = append(t.unknown, key)
	case *string:
		as(t, key, "a string", v, to)
	case *int64:
		as(t, key, wholeNumber, v, to)
	case *bool:
		as(t, key, "true or false", v, to)
	case **bool:
		*to = new(bool)
		as(t, key, "true or false", v, *to)
	case *map[string]any:
		as(t, key, "a table", v, to)
	case *[]string:
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		*to = make([]string, len(list))
		for i, e := range list {
			as(t, key, "a string or a list of strings", e, &(*to)[i])
		}
		if len(list) == 0 {
			t.fault("%s must not be empty", key)
		}
	}
}

// wholeNumber is what the priority of a rule must be. The tier is added to it.
const wholeNumber = "a whole number from 0 to 999"

// as reads a value that must be a T.
func as[T any](t *table, key, what string, v any, to *T) {
	var ok bool
	if *to, ok = v.(T); !ok {
		t.fault("%s must be %s, not %v", key, what, v)
	} else if v == "" {
		t.fault("%s must not be empty", key)
	}
}

// checkValues reads words, and looks for values that are not possible.
func (t *table) checkValues() {
	if i := slices.Index(decisionNames[:], t.decision); i >= 0 {
		t.Decision = Decision(i)
	} else if t.decision != "" {
		t.fault("decision must be allow, deny or ask_user, not %s", t.decision)
	}
	if t.Priority = int(t.priority); t.priority < 0 || t.priority > 999 {
		t.fault("priority must be %s, not %d", wholeNumber, t.priority)
	}
	for _, name := range t.modes {
		m, err := ParseMode(name)
		if t.Modes = append(t.Modes, m); err != nil {
			t.fault("modes: %v", err)
		}
	}
	if t.Area = Area(t.area); t.Area != Anywhere && t.Area != Workspace && t.Area != Plans {
		t.fault("area must be workspace or plans, not %s", t.area)
	}
	for _, n := range t.Tools {
		if strings.Contains(n, "__") {
			t.fault("toolName %q is the old spelling of an MCP tool: use mcpName with toolName", n)
		}
		if at := strings.IndexByte(n, '*'); at >= 0 && at != len(n)-1 {
			t.fault("toolName %q: a wildcard is allowed only at the end", n)
		}
	}
}

// checkConditions looks for conditions that do not go together.
func (t *table) checkConditions() {
	shell := len(t.Tools) == 1 && canonical(t.Tools[0]) == shellTool
	if t.Sandbox && (t.Decision != Allow || !shell) {
		t.fault("sandbox needs decision = %q and toolName = %q", Allow, shellTool)
	}
	commands := len(t.Prefixes) > 0 || t.Regex != ""
	if commands && !shell {
		t.fault("commandPrefix and commandRegex need toolName = %q", shellTool)
	}
	if commands && t.Args != "" || len(t.Prefixes) > 0 && t.Regex != "" {
		t.fault("only one of argsPattern, commandPrefix and commandRegex may be given")
	}
}

// quoteAll lists names for a message, each in quotes.
func quoteAll(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }
