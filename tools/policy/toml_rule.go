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
	t := table{raw: v}
	r := Rule{Place: at}
	t.fill(&r)
	if !p.finish(&r, &t) {
		return
	}
	if t.checker != nil && len(t.faults) == 0 {
		if err := checkerArea(&r, t.checker); err != nil && r.Decision == Allow {
			r.Decision = Ask
			p.complain(at, false, "%v: the rule asks instead of allowing", err)
		}
	}
	p.keep(r, &t)
}

// finish applies the rules of the tier, and reports whether something of r is left
// to keep or to report.
func (p *parser) finish(r *Rule, t *table) bool {
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
func (p *parser) keep(r Rule, t *table) {
	restrictive := r.Decision != Allow || !t.decided
	if len(t.faults) == 0 {
		if err := r.compile(); err != nil {
			t.fault("%v", err)
		}
	}
	switch {
	case len(t.faults) > 0 && restrictive:
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

// checker reads one [[safety_checker]]. It is not supported on its own, and
// losing a check silently would be worse than an error.
func (p *parser) checker(at Place) {
	p.complain(at, true, "a safety checker outside a rule is not supported: give the rule itself a safety_checker")
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

// checkerArea converts a rule's own safety checker to an area.
func checkerArea(r *Rule, c map[string]any) error {
	if c["type"] == "in-process" && c["name"] == "allowed-path" {
		r.Area = Workspace
		return nil
	}
	return fmt.Errorf("safety checker %v is not known", c["name"])
}

// table reads the fields of a rule and reports what is wrong with them.
type table struct {
	raw     any
	decided bool // there was a valid decision
	checker map[string]any
	faults  []string
	unknown []string
}

// fault notes what is wrong with the rule. Reading goes on, so that all faults are
// reported at once.
func (t *table) fault(format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

// fill reads all fields into r.
func (t *table) fill(r *Rule) {
	fields, ok := t.raw.(map[string]any)
	if !ok {
		t.fault("not a table")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		t.field(r, key, fields[key])
	}
	for _, required := range []string{"decision", "priority", "toolName"} {
		if _, ok := fields[required]; !ok && !(required == "toolName" && fields["mcpName"] != nil) {
			t.fault("%s is missing", required)
		}
	}
	if r.Sandbox && (r.Decision != Allow || !slices.Equal(r.Tools, []string{shellTool})) {
		t.fault("sandbox needs decision = %q and toolName = %q", Allow, shellTool)
	}
	commands := len(r.Prefixes) > 0 || r.Regex != ""
	if commands && !slices.Equal(r.Tools, []string{shellTool}) {
		t.fault("commandPrefix and commandRegex need toolName = %q", shellTool)
	}
	if commands && r.Args != "" || len(r.Prefixes) > 0 && r.Regex != "" {
		t.fault("only one of argsPattern, commandPrefix and commandRegex may be given")
	}
}

// field reads one field in either spelling; an unknown one is noted.
func (t *table) field(r *Rule, key string, v any) {
	switch key {
	case "name":
		r.Name = t.text(key, v)
	case "toolName":
		r.Tools = t.toolNames(key, v)
	case "mcpName":
		r.Server = t.text(key, v)
	case "subagent":
		r.Subagent = t.text(key, v)
	case "decision":
		r.Decision = t.decision(v)
	case "priority":
		r.Priority = t.priority(v)
	case "argsPattern", "args_pattern":
		r.Args = t.text(key, v)
	case "commandPrefix", "command_prefix":
		r.Prefixes = t.texts(key, v)
	case "commandRegex", "command_regex":
		r.Regex = t.text(key, v)
	case "modes":
		r.Modes = t.modes(key, v)
	case "interactive":
		b := t.truth(key, v)
		r.Interactive = &b
	case "toolAnnotations", "tool_annotations":
		r.Annotations = t.object(key, v)
	case "allowRedirection", "allow_redirection":
		r.Redirection = t.truth(key, v)
	case "evenIfAllowed":
		r.Always = t.truth(key, v)
	case "sandbox":
		r.Sandbox = t.truth(key, v)
	case "denyMessage", "deny_message":
		r.Message = t.text(key, v)
	case "safety_checker":
		t.checker = t.object(key, v)
	case "area":
		r.Area = t.area(key, v)
	default:
		t.unknown = append(t.unknown, key)
	}
}

// text reads a string that is not empty.
func (t *table) text(key string, v any) string {
	s := as[string](t, key, v, "a string")
	if v == "" {
		t.fault("%s must not be empty", key)
	}
	return s
}

// texts reads a string, or a list of them.
func (t *table) texts(key string, v any) []string {
	if s, ok := v.(string); ok {
		return []string{t.text(key, s)}
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		t.fault("%s must be a string or a list of strings", key)
		return nil
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = t.text(key, e)
	}
	return out
}

// toolNames reads names in their current spelling.
func (t *table) toolNames(key string, v any) []string {
	names := t.texts(key, v)
	for i, n := range names {
		names[i] = canonical(n)
		if strings.Contains(n, "__") {
			t.fault("toolName %q is the old spelling of an MCP tool: use mcpName with toolName", n)
		}
		if at := strings.IndexByte(n, '*'); at >= 0 && at != len(n)-1 {
			t.fault("toolName %q: a wildcard is allowed only at the end", n)
		}
	}
	return names
}

// decision reads one of the three words. After a fault the rule is not used.
func (t *table) decision(v any) Decision {
	for d, name := range decisionNames {
		if v == name {
			t.decided = true
			return Decision(d)
		}
	}
	t.fault("decision must be allow, deny or ask_user, not %v", v)
	return Allow
}

// priority reads the part of a priority that a file may set, from 0 to 999.
func (t *table) priority(v any) int {
	n, ok := v.(int64)
	if !ok || n < 0 || n > 999 {
		t.fault("priority must be a whole number from 0 to 999, not %v", v)
		return 0
	}
	return int(n)
}

func (t *table) modes(key string, v any) []Mode {
	var out []Mode
	for _, s := range t.texts(key, v) {
		m, err := ParseMode(s)
		if err != nil {
			t.fault("modes: %v", err)
		}
		out = append(out, m)
	}
	return out
}

func (t *table) area(key string, v any) Area {
	if a := Area(t.text(key, v)); a == Workspace || a == Plans {
		return a
	}
	t.fault("%s must be workspace or plans", key)
	return Anywhere
}

// as is v, if it is a T.
func as[T any](t *table, key string, v any, what string) T {
	x, ok := v.(T)
	if !ok {
		t.fault("%s must be %s", key, what)
	}
	return x
}

func (t *table) truth(key string, v any) bool { return as[bool](t, key, v, "true or false") }

func (t *table) object(key string, v any) map[string]any {
	return as[map[string]any](t, key, v, "a table")
}

func quoteAll(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }
