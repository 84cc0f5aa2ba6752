package protocol

import (
	"reflect"
	"slices"
	"strings"

	"minigem/internal/text"
)

// reader turns the fields of an answer into an Output, one by one, and collects what it
// had to ignore.
type reader struct {
	event    Event
	dialect  *Dialect
	tool     string
	input    []byte
	read     func() []byte
	given    []member // the members of what read returned
	out      Output
	foreign  []string // warnings about other agents' fields
	values   values   // reads single values, and has the warnings
	garbled  bool
	failed   string
	stopped  bool // continue: false was said, with or without effect
	embedded int  // the line of the first object among other output on stdout; 0 if there is none
	steps    int  // bytes looked at to find objects among other output
}

// fields reads the fields at the top level.
func (r *reader) fields(ms []member) {
	for _, m := range ms {
		if m.key == "hookSpecificOutput" {
			r.nested(m.value)
			continue
		}
		r.member("", r.dialect.top, m)
	}
}

// nested reads hookSpecificOutput. Anything but an object garbles the answer.
func (r *reader) nested(v any) {
	switch v := v.(type) {
	case nil:
	case []member:
		for _, m := range v {
			r.member("hookSpecificOutput.", r.dialect.specific, m)
		}
	default:
		r.garbled = true
		r.values.wrong("hookSpecificOutput", "an object", v)
	}
}

// member reads one field. Of several with one name the last counts, as in JavaScript, but
// none can take back a block.
func (r *reader) member(prefix string, table []field, m member) {
	path := prefix + m.key
	i := slices.IndexFunc(table, func(f field) bool { return f.name == m.key })
	if m.value == nil && i >= 0 || prefix == "" && (i < 0 || !r.acts(table[i])) && r.echoed(m) {
		return
	}
	if i < 0 {
		r.unknown(prefix, m.key, table)
		return
	}
	f := table[i]
	if !r.acts(f) && prefix != "" && slices.ContainsFunc(r.dialect.top, func(t field) bool {
		return t.name == m.key && r.acts(t)
	}) {
		r.unknown(prefix, m.key, table)
		return
	}
	if !r.acts(f) {
		r.values.warn("%s ignored: it has no effect in %s", path, r.event)
		return
	}
	if m.dup {
		r.values.warn("%s is given more than once", path)
		if r.out.Stop && m.key == "continue" || r.out.Decision == Deny &&
			(m.key == "decision" || m.key == "permissionDecision") {
			return
		}
	}
	f.read(r, path, m.value)
}

// acts reports whether f has an effect in this event.
func (r *reader) acts(f field) bool { return f.events == nil || slices.Contains(f.events, r.event) }

// echoed reports whether m is a field that the hook read. A hook that prints its payload
// does not mean these fields.
func (r *reader) echoed(m member) bool {
	if r.read != nil {
		r.given, _ = object(string(r.read()))
		r.read = nil
	}
	return slices.ContainsFunc(r.given, func(was member) bool {
		return was.key == m.key && reflect.DeepEqual(was.value, m.value)
	})
}

// unknown warns about a field that has no effect here, and says what was probably meant.
// The answer counts as garbled if the field might have decided something.
func (r *reader) unknown(prefix, key string, table []field) {
	if len(r.values.warnings) > maxWarnings {
		r.garbled = true
		return
	}
	path := prefix + key
	if len(path) > 80 {
		path = path[:80] + "..."
	}
	if say, ok := r.dialect.foreign[key]; ok {
		r.garbled = r.garbled || key == "permissionDecision"
		r.foreign = append(r.foreign, "unknown field "+path+": "+say)
		return
	}
	other, where := r.dialect.specific, "belongs in hookSpecificOutput"
	if prefix != "" {
		other, where = r.dialect.top, "belongs at the top level"
	}
	if slices.ContainsFunc(other, func(f field) bool { return f.name == key }) {
		r.garbled = r.garbled || key == "decision" || key == "continue"
		r.values.warn("field %s ignored: it %s", path, where)
		return
	}
	if n := text.Nearest(key, append(names(table), "hookSpecificOutput")); n != "" {
		r.garbled = r.garbled || n == "decision" || n == "continue" || n == "hookSpecificOutput"
		r.values.warn("unknown field %s: did you mean %q?", path, n)
		return
	}
	r.values.warn("unknown field %s", path)
}

// names returns the names of the fields in table, for suggestions.
func names(table []field) []string {
	out := make([]string, len(table))
	for i, f := range table {
		out[i] = f.name
	}
	return out
}

// proceed reads "continue". A false stops if the event can be stopped.
func (r *reader) proceed(path string, v any) {
	goOn, ok := r.values.boolean(path, v)
	r.stopped = r.stopped || ok && !goOn
	switch {
	case !ok:
		r.garbled = true
	case goOn:
	case r.event.CanBlock():
		r.out.Stop = true
	default:
		r.values.warn("continue: false ignored: %s cannot be stopped", r.event)
	}
}

// decision reads "decision". A denial is never taken back by a later field.
func (r *reader) decision(path string, v any) {
	s, ok := v.(string)
	if !ok {
		r.garbled = true
		r.values.wrong(path, "a string", v)
		return
	}
	switch s {
	case "deny", "block":
		if !r.event.CanBlock() {
			r.values.warn("%s %q ignored: %s cannot be blocked", path, s, r.event)
			return
		}
		r.out.Decision = Deny
	case "ask", "defer":
		if !r.event.CanAsk() {
			r.values.warn("%s %q ignored: %s cannot ask", path, s, r.event)
			return
		}
		if s == "defer" && !r.dialect.Defers {
			r.unknownDecision(path, s)
			return
		}
		if r.out.Decision != Deny {
			r.out.Decision = Ask
		}
	case "allow", "approve":
		if r.event == PermissionRequest && r.dialect.Defers && path == "decision" {
			r.values.warn("decision %q ignored: a permission is hookSpecificOutput.decision.behavior", s)
			return
		}
		if r.out.Decision == "" {
			r.out.Decision = Allow
		}
	case "":
	default:
		r.unknownDecision(path, s)
	}
}

// decisionSlips maps words that people write to the decision they mean.
var decisionSlips = map[string]string{
	"denied": "deny", "reject": "deny", "rejected": "deny", "refuse": "deny", "forbid": "deny",
	"blocked": "block", "accept": "allow", "allowed": "allow", "permit": "allow", "approved": "approve",
	"prompt": "ask", "confirm": "ask",
}

// unknownDecision warns about an unknown word, and suggests the one that was meant.
func (r *reader) unknownDecision(path, s string) {
	r.garbled = true
	if n, ok := decisionSlips[strings.ToLower(s)]; ok {
		r.values.warn("%s %s ignored: did you mean %q?", path, shown(s), n)
		return
	}
	if n := text.Nearest(s, []string{"deny", "block", "ask", "allow", "approve"}); n != "" {
		r.values.warn("%s %s ignored: did you mean %q?", path, shown(s), n)
		return
	}
	r.values.warn("%s %s ignored: it is not one of deny, block, ask, allow, approve", path, shown(s))
}

// These read one field each. A value of another type is a warning and has no effect.
func (r *reader) stopReason(path string, v any)    { r.out.StopReason = r.values.str(path, v) }
func (r *reader) reason(path string, v any)        { r.out.Reason = r.values.str(path, v) }
func (r *reader) systemMessage(path string, v any) { r.out.SystemMessage = r.values.str(path, v) }
func (r *reader) context(path string, v any)       { r.out.AdditionalContext = r.values.str(path, v) }

// suppress reads suppressOutput; anything but true and false is a warning.
func (r *reader) suppress(path string, v any) {
	r.out.SuppressOutput, _ = r.values.boolean(path, v)
}

// clearContext reads clearContext. A false does not take back a true.
func (r *reader) clearContext(path string, v any) {
	if yes, ok := r.values.boolean(path, v); ok {
		r.out.ClearContext = r.out.ClearContext || yes
	}
}

// eventName warns if hookEventName is another event's, under our name or the dialect's.
func (r *reader) eventName(path string, v any) {
	s, ok := v.(string)
	if !ok {
		r.values.wrong(path, "a string", v)
		return
	}
	if s != string(r.event) && s != r.dialect.Events[r.event] {
		r.values.warn("%s says %s, but the event is %s", path, shown(s), r.event)
	}
}

// toolInput reads the arguments to merge over the call's arguments. A null in it deletes
// an argument.
func (r *reader) toolInput(path string, v any) { r.out.ToolInput = r.values.obj(path, v) }

// updatedInput reads Claude Code's arguments, translates them into ours, and makes them
// replace the old ones.
func (r *reader) updatedInput(path string, v any) {
	if m := r.values.obj(path, v); m != nil {
		r.out.ToolInput, r.out.WholeToolInput = r.dialect.arguments(r.tool, r.input, m), true
	}
}

// permission reads Claude Code's answer to a PermissionRequest.
func (r *reader) permission(path string, v any) {
	m := r.values.obj(path, v)
	if m == nil {
		r.garbled = true
		return
	}
	switch behavior, ok := m["behavior"].(string); {
	case ok && (behavior == "allow" || behavior == "deny"):
		r.decision(path+".behavior", behavior)
	default:
		r.garbled = true
		r.values.wrong(path+".behavior", `"allow" or "deny"`, m["behavior"])
	}
	if message := m["message"]; message != nil {
		r.reason(path+".message", message)
	}
	if stop, _ := m["interrupt"].(bool); stop && r.out.Decision == Deny {
		r.out.Stop = true
	}
	if input := m["updatedInput"]; input != nil {
		r.updatedInput(path+".updatedInput", input)
	}
	if m["updatedPermissions"] != nil {
		r.values.warn("%s.updatedPermissions ignored: the permission is for this call alone", path)
	}
	r.values.rest(path, m, "behavior", "message", "interrupt", "updatedInput", "updatedPermissions")
}

// updatedOutput takes a text, the text in one of Claude Code's shapes, or the JSON of
// anything else.
func (r *reader) updatedOutput(path string, v any) {
	s, ok := v.(string)
	if m, is := v.(map[string]any); is && r.dialect.Name == "claude" {
		s, ok = outputText(m)
	}
	if !ok {
		data, err := Encode(v)
		if _, odd := v.(unreadable); odd || err != nil {
			r.values.wrong(path, "a string", v)
			return
		}
		s = string(data)
	}
	r.out.UpdatedOutput = &s
}

// tailToolCall reads tailToolCallRequest, which needs the name of a tool.
func (r *reader) tailToolCall(path string, v any) {
	m := r.values.obj(path, v)
	if m == nil {
		return
	}
	name, ok := m["name"].(string)
	if !ok || name == "" {
		r.values.wrong(path+".name", "the name of a tool", m["name"])
		return
	}
	args, ok := m["args"].(map[string]any)
	if !ok && m["args"] != nil {
		r.values.wrong(path+".args", "an object", m["args"])
	}
	if args == nil {
		args = map[string]any{}
	}
	r.out.TailToolCall = &TailToolCall{Name: name, Args: args}
	r.values.rest(path, m, "name", "args")
}
