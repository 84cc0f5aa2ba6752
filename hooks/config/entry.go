package config

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"minigem/hooks"
	"minigem/hooks/condition"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// entryFields are the fields that hooks of all kinds have, apart from those of
// hooks.Handler. command is for commands only.
var entryFields = []string{"type", "command", "name", "description", "timeout", "env", "onError", "dialect", "if"}

// hook reads one entry of a group. An entry that cannot be run is skipped; any other
// fault costs only the field.
func (l *loader) hook(h hooks.Hook, n jsonc.Node) (hooks.Hook, bool) {
	if n.Kind() != jsonc.Object {
		l.problem(n.Line(), "a hook of %s must be an object, not %s: skipped", h.Event, n.Kind()).Rule = "HK006"
		return h, false
	}
	h.Source = hooks.Source{Layer: l.Layer, File: l.File, Line: n.Line(), Extension: l.Extension, InProject: l.InProject}
	if !l.typeOf(&h, n) {
		return h, false
	}
	h.Command = n.Get("command").Text()
	l.handler(&h, n)
	l.fields("a hook of "+string(h.Event), n, fieldsOf(h.Kind()))
	if rule, why := faultOf(h, n); why != "" {
		l.problem(n.Line(), "a hook of %s %s: skipped", h.Event, why).Rule = rule
		return h, false
	}
	l.shellWords(h, n)
	h.Name = l.text(n, "name")
	h.Description = l.text(n, "description")
	h.If = l.condition(n, h.Event)
	h.Timeout = l.timeout(n.Get("timeout"))
	h.Env = l.pairs("env", n.Get("env"))
	h.OnError = l.onError(n.Get("onError"))
	h.Dialect = l.dialect(n.Get("dialect"))
	l.unwaited(h, n)
	return h, true
}

// typeOf reads which kind of hook it is. It reports false, with a problem, for a kind
// that cannot be run.
func (l *loader) typeOf(h *hooks.Hook, n jsonc.Node) bool {
	t := n.Get("type")
	kind := t.Text()
	known := strings.Join(Kinds(), ", ")
	switch {
	case !t.Exists():
		l.problem(n.Line(), `a hook of %s has no "type": write "type": "command"; skipped`, h.Event).Rule = "HK007"
		return false
	case t.Kind() == jsonc.String && slices.Contains(Kinds(), kind):
		if kind != "command" {
			h.Type = kind
		}
		return true
	case t.Kind() == jsonc.String && slices.Contains(Kinds(), strings.ToLower(kind)):
		lower := strings.ToLower(kind)
		p := l.problem(t.Line(), `a hook of %s has the type %q: it is written %q; skipped`, h.Event, kind, lower)
		if p.Rule = "HK007"; lower == "command" {
			p.Fix.Edit = LowerType
		}
	case kind == "plugin" || kind == "runtime" || kind == "agent":
		l.problem(t.Line(), `a hook of %s has the type %q, which cannot be run here; there are %s: skipped`, h.Event, kind,
			known).Rule = "HK007"
	default:
		l.problem(t.Line(), `a hook of %s has the unknown type %s; there are %s: skipped`, h.Event, strconv.Quote(kind),
			known).Rule = "HK007"
	}
	return false
}

// condition reads "if". A condition that cannot be parsed holds for every call.
func (l *loader) condition(n jsonc.Node, event protocol.Event) string {
	text := strings.TrimSpace(l.text(n, "if"))
	switch {
	case text == "":
	case !event.IsTool():
		l.problem(n.Get("if").Line(), "if: %s has no tool, so the hook never runs; remove the condition", event)
	case !condition.Valid(text):
		l.note(n.Get("if").Line(), "if: %q is not a condition such as Bash(git *) or Edit(src/**): the hook runs whatever "+
			"the call is", text)
	}
	return text
}

// text reads an optional string. Null counts as missing; a value of another type is a
// problem and is ignored.
func (l *loader) text(n jsonc.Node, name string) string {
	v := n.Get(name)
	if v.Kind() == jsonc.String {
		return v.Text()
	}
	if v.Exists() && v.Kind() != jsonc.Null {
		l.problem(v.Line(), "%s must be a string, not %s: ignored", name, v.Kind())
	}
	return ""
}

// timeout reads milliseconds; 0 means the default. A number in a string is accepted, as
// in Gemini CLI (core/hooks/hookRunner.ts).
func (l *loader) timeout(n jsonc.Node) time.Duration {
	if !n.Exists() || n.Kind() == jsonc.Null {
		return 0
	}
	ms, ok := n.Float()
	if n.Kind() == jsonc.String {
		f, err := strconv.ParseFloat(strings.TrimSpace(n.Text()), 64)
		if ms, ok = f, err == nil; ok {
			p := l.note(n.Line(), "timeout should be a number, not a string")
			p.Rule, p.Fix.Edit = "HK014", ToNumber
		}
	}
	most := float64(math.MaxInt64 / int64(time.Millisecond))
	if !ok || math.IsNaN(ms) || ms <= 0 || ms > most {
		l.problem(n.Line(), "timeout must be a positive number of milliseconds, not %s: %d is used",
			n.Standard(), hooks.Hook{}.Limit().Milliseconds())
		return 0
	}
	if ms < 1000 {
		p := l.note(n.Line(), "timeout is in milliseconds: %s is less than a second; if it was meant in seconds, write %s",
			n.Standard(), strconv.FormatFloat(ms*1000, 'f', -1, 64))
		p.Rule, p.Fix.Edit = "HK012", ToMilliseconds
	}
	return max(time.Duration(ms*float64(time.Millisecond)), 1)
}

// pairs reads an object of strings: variables, or headers. Numbers and booleans are
// taken as their text, with a note. What cannot be a name, or holds a NUL, is a problem
// and is left out.
func (l *loader) pairs(name string, n jsonc.Node) map[string]string {
	if !l.object(name, n) {
		return nil
	}
	of, never := "a variable", "=\x00"
	if name == "headers" {
		of, never = "a header", "()<>@,;:\\\"/[]?={} \t\r\n\x00"
	}
	out := map[string]string{}
	for _, m := range n.Members() {
		switch kind := m.Value.Kind(); {
		case m.Name == "" || strings.ContainsAny(m.Name, never):
			l.problem(m.Line, "%s: %q cannot be the name of %s: ignored", name, m.Name, of)
		case kind == jsonc.String && strings.ContainsRune(m.Value.Text(), 0):
			l.problem(m.Line, "%s: %s holds a NUL character: ignored", name, m.Name)
		case kind == jsonc.String:
			out[m.Name] = m.Value.Text()
		case kind == jsonc.Number || kind == jsonc.Bool:
			out[m.Name] = m.Value.Text()
			l.note(m.Line, "%s: %s should be a string, not %s", name, m.Name, kind).Rule = "HK014"
		default:
			l.problem(m.Line, "%s: %s must be a string, not %s: ignored", name, m.Name, kind)
		}
	}
	return out
}

// onError reads "onError". Whoever writes the field wants something other than the
// default, so an unknown value means "block".
func (l *loader) onError(n jsonc.Node) string {
	switch text := n.Text(); {
	case !n.Exists() || n.Kind() == jsonc.Null:
		return ""
	case n.Kind() == jsonc.String && (text == "allow" || text == "block"):
		return text
	default:
		l.problem(n.Line(), `onError must be "allow" or "block", not %s: taken as "block"`, n.Standard())
		return "block"
	}
}

// dialect reads "dialect". "gemini" is the default and is stored as "". A value that is
// not known is a problem and counts as "gemini".
func (l *loader) dialect(n jsonc.Node) string {
	switch text := n.Text(); {
	case !n.Exists() || n.Kind() == jsonc.Null:
		return ""
	case n.Kind() == jsonc.String && (text == "" || text == "gemini"):
		return ""
	case n.Kind() == jsonc.String && text == "claude":
		return "claude"
	default:
		l.problem(n.Line(), `dialect must be "gemini" or "claude", not %s: taken as "gemini"`, n.Standard())
		return ""
	}
}
