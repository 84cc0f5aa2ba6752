package hooks

// What Gemini CLI 0.61 makes of the same run where it is something else
// (core/hooks): an author tests here and lives there.

import (
	"encoding/json"
	"slices"
	"strings"

	"minigem/hooks/protocol"
)

// upstream is a run as Gemini CLI looks at it.
type upstream struct {
	ev      Event
	run     *Run
	exited  bool // by itself
	code    int
	kind    string         // of what it parses: "", "text", "object", "value"
	answer  map[string]any // the object; nil: there is none
	nested  map[string]any // its hookSpecificOutput; nil: there is none
	request map[string]any // llm_request in it; nil: there is none
}

// differences are the ways in which Gemini CLI 0.61 differs, each with the
// words for it.
var differences = []struct {
	when func(u upstream) bool
	say  string
}{
	{func(u upstream) bool { return u.blocked() && u.kind != "text" && !u.denies() }, "lets the action go on: exit 2 does not block there unless text or a deny is printed"},
	{func(u upstream) bool { return u.exited && u.code > 2 && u.kind == "text" && u.ev.CanBlock() }, "blocks, with what was printed as the reason: so does every exit above 1 there"},
	{func(u upstream) bool { return u.exited && u.code < 2 && u.holdsAmongNoise() }, "lets the action go on: what is not one JSON object alone decides nothing there"},
	{func(u upstream) bool { return u.run.TimedOut && u.run.Decision > Proceed }, "lets the action go on: what was printed before the time-out is forgotten there"},
	{func(u upstream) bool { return u.exited && u.code == 0 && u.kind == "text" && blank(u.run.Exit.Stdout) }, "shows stderr to the user"},
	{func(u upstream) bool { return u.answer["hookSpecificOutput"] != nil && u.nested == nil }, "lets the whole event pass, denials of other hooks too, because hookSpecificOutput is not an object"},
	{func(u upstream) bool { return u.run.Decision == Ask }, "lifts a policy's deny to a prompt, and ends a run without a terminal"},
	{func(u upstream) bool { return u.run.out().ToolInput != nil && u.leavesOutArguments() }, "replaces all arguments by tool_input, which is not complete"},
	{func(u upstream) bool {
		return u.ev == protocol.BeforeModel && u.run.out().LLMResponse != nil && u.run.Decision < Deny
	}, "ignores llm_response without a deny, and calls the model"},
	{func(u upstream) bool {
		return u.ev == protocol.AfterModel && u.run.out().LLMResponse != nil && !u.replaces()
	}, "ignores the replacement: it takes candidates with parts only"},
	{func(u upstream) bool { return u.ev == protocol.AfterModel && u.replaces() }, "replaces the chunk on the screen only, and drops its calls"},
	{func(u upstream) bool { return u.ev == protocol.AfterModel && u.run.Decision == Deny }, "shows the denied chunk and runs its calls"},
	{func(u upstream) bool { return u.request["messages"] != nil }, "matches messages by position: none can be removed or put in front"},
	{func(u upstream) bool { return u.wipesSettings() }, "erases the generation settings that config leaves out"},
	{func(u upstream) bool { return u.ev == protocol.BeforeToolSelection && u.kind != "" && !u.selects() }, "sets the mode AUTO without a list: it takes a flat toolConfig in hookSpecificOutput only"},
	{func(u upstream) bool { return u.older() }, "ignores a field that is spelled the older way, outside hookSpecificOutput"},
	{func(u upstream) bool { return u.matcherCounts() && u.ev == protocol.Notification }, "runs the hook whatever its matcher says"},
	{func(u upstream) bool { return u.matcherCounts() && u.run.Matched && !u.exactMatcher() }, "does not run the hook: it takes one exact trigger as matcher"},
}

// compare says what Gemini CLI 0.61 does otherwise with each run.
func compare(ev Event, runs []Run) {
	for i := range runs {
		r := &runs[i]
		if r.Hook.Dialect != "" && r.Hook.Dialect != "gemini" || r.Left {
			continue
		}
		u := look(ev, r)
		for _, d := range differences {
			if d.when(u) {
				r.Upstream = append(r.Upstream, "Gemini CLI 0.61 "+d.say)
			}
		}
		if (ev == protocol.BeforeModel || ev == protocol.AfterModel) && r.Decision == Deny && slices.ContainsFunc(runs[i+1:], overturns) {
			r.Upstream = append(r.Upstream, "Gemini CLI 0.61 lets the action go on: a later hook's allow, or its text, overturns the deny there")
		}
	}
}

func overturns(r Run) bool {
	return r.Ran() && !r.Left && r.Decision == Proceed && (r.Reading.Output.Decision == protocol.Allow || r.Reading.From == "text")
}

func look(ev Event, r *Run) upstream {
	u := upstream{ev: ev, run: r}
	if !r.Ran() {
		return u
	}
	u.exited, u.code = r.Exit.Err == nil && r.Exit.Signal == "", r.Exit.Code
	text := trim(r.Exit.Stdout)
	if text == "" {
		text = trim(r.Exit.Stderr)
	}
	if text == "" {
		return u
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		u.kind = "text"
		return u
	}
	if s, ok := v.(string); ok && json.Unmarshal([]byte(s), &v) != nil {
		u.kind = "text"
		return u
	}
	u.kind = "value"
	if m, ok := v.(map[string]any); ok {
		u.kind, u.answer = "object", m
		u.nested, _ = m["hookSpecificOutput"].(map[string]any)
		u.request, _ = u.nested["llm_request"].(map[string]any)
	}
	return u
}

func (r *Run) out() *protocol.Output { return &r.Reading.Output }

// trim is JavaScript's, for which a byte order mark is white space.
func trim(b []byte) string { return strings.Trim(string(b), " \t\r\n\v\f\u00a0\ufeff\u2028\u2029") }

func blank(b []byte) bool { return trim(b) == "" }

// holdsAmongNoise: what decides here stands in no answer that can be taken as
// one.
func (u upstream) holdsAmongNoise() bool {
	from := u.run.Reading.From
	return u.run.Decision > Proceed && (from == "stdout" || from == "stderr") && (u.kind == "text" || u.kind == "value")
}

func (u upstream) blocked() bool { return u.exited && u.code == 2 && u.ev.CanBlock() }

func (u upstream) denies() bool {
	return u.answer["decision"] == "deny" || u.answer["decision"] == "block" || u.answer["continue"] == false
}

// leavesOutArguments: an argument that the hook read is not in its tool_input.
func (u upstream) leavesOutArguments() bool {
	var in protocol.BeforeToolInput
	if json.Unmarshal(u.run.Stdin.Bytes(), &in) != nil {
		return false
	}
	for k := range in.ToolInput {
		if _, said := u.run.out().ToolInput[k]; !said {
			return true
		}
	}
	return false
}

// replaces: the answer replaces a chunk there too.
func (u upstream) replaces() bool {
	response, _ := u.nested["llm_response"].(map[string]any)
	return u.run.out().LLMResponse != nil && response["candidates"] != nil && len(u.run.out().LLMResponse.Parts) > 0
}

func (u upstream) wipesSettings() bool {
	config, ok := u.request["config"].(map[string]any)
	if !ok {
		return false
	}
	for _, k := range []string{"temperature", "maxOutputTokens", "topP", "topK"} {
		if config[k] == nil {
			return true
		}
	}
	return false
}

// selects: the answer selects tools there too.
func (u upstream) selects() bool {
	config, ok := u.nested["toolConfig"].(map[string]any)
	return ok && config["functionCallingConfig"] == nil
}

func (u upstream) older() bool {
	for _, f := range protocol.Gemini().Fields() {
		if f.Older && u.answer[f.Name] != nil && slices.Contains(f.Events, u.ev) && u.ev != protocol.BeforeToolSelection {
			return true
		}
	}
	return false
}

// matcherCounts: the hook has a matcher that looks at a trigger.
func (u upstream) matcherCounts() bool {
	m := strings.TrimSpace(u.run.Hook.Matcher)
	return m != "" && m != "*" && u.ev.Triggers() != nil
}

func (u upstream) exactMatcher() bool {
	return slices.Contains(u.ev.Triggers(), strings.TrimSpace(u.run.Hook.Matcher)) || u.ev == protocol.Notification
}
