package elsewhere

// How Gemini CLI 0.61 treats the same run, if that differs (core/hooks), because
// authors test their hooks here and use them there.

import (
	"encoding/json"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// upstream is a run as Gemini CLI sees it.
type upstream struct {
	ev      protocol.Event
	run     *hooks.Run
	exited  bool // it ended by itself
	code    int
	kind    string         // what it parses: "", "text", "object", "value"
	answer  map[string]any // the object, or nil
	nested  map[string]any // its hookSpecificOutput, or nil
	request map[string]any // its llm_request, or nil
}

// runDifferences lists the differences that a single run can show, and when it does.
var runDifferences = []struct {
	hooks.Difference
	when func(u upstream) bool
}{
	{DifferenceByID("exit-2-silent"), func(u upstream) bool { return u.blocked() && u.kind == "" }},
	{DifferenceByID("exit-2-json"), func(u upstream) bool {
		return u.blocked() && (u.kind == "object" || u.kind == "value") && !u.denies()
	}},
	{DifferenceByID("exit-above-2"), func(u upstream) bool {
		return u.exited && u.code > 2 && u.kind == "text" && u.ev.CanBlock()
	}},
	{DifferenceByID("deny-in-noise"), func(u upstream) bool { return u.exited && u.code < 2 && u.holdsAmongNoise() }},
	{DifferenceByID("timeout-deny"), func(u upstream) bool { return u.run.TimedOut && u.run.Decision > hooks.Proceed }},
	{DifferenceByID("stderr-shown"), func(u upstream) bool {
		return u.exited && u.code == 0 && u.kind == "text" && blank(u.run.Exit.Stdout)
	}},
	{DifferenceByID("output-not-object"), func(u upstream) bool {
		return u.answer["hookSpecificOutput"] != nil && u.nested == nil
	}},
	{DifferenceByID("ask"), func(u upstream) bool { return u.run.Decision == hooks.Ask }},
	{DifferenceByID("whole-input"), func(u upstream) bool {
		return u.run.Reading.Output.ToolInput != nil && u.leavesOutArguments()
	}},
	{DifferenceByID("context-more"), func(u upstream) bool {
		return u.run.Reading.Output.AdditionalContext != "" && (u.ev == protocol.BeforeTool || u.ev == protocol.AfterAgent ||
			u.ev == protocol.PreCompress)
	}},
	{DifferenceByID("updated-output"), func(u upstream) bool { return u.run.Reading.Output.UpdatedOutput != nil }},
	{DifferenceByID("malformed-response"), func(u upstream) bool {
		return u.ev == protocol.BeforeModel && u.run.Decision == hooks.Deny && u.nested["llm_response"] != nil &&
			u.candidates() == nil
	}},
	{DifferenceByID("response-alone"), func(u upstream) bool {
		return u.ev == protocol.BeforeModel && u.run.Reading.Output.LLMResponse != nil && u.run.Decision < hooks.Deny
	}},
	{DifferenceByID("replacement-ignored"), func(u upstream) bool {
		return u.ev == protocol.AfterModel && u.run.Reading.Output.LLMResponse != nil && !u.replaces()
	}},
	{DifferenceByID("chunk-shown"), func(u upstream) bool { return u.ev == protocol.AfterModel && u.replaces() }},
	{DifferenceByID("chunk-denied"), func(u upstream) bool {
		return u.ev == protocol.AfterModel && u.run.Decision == hooks.Deny
	}},
	{DifferenceByID("messages-by-position"), func(u upstream) bool { return u.request["messages"] != nil }},
	{DifferenceByID("config-erased"), func(u upstream) bool { return u.wipesSettings() }},
	{DifferenceByID("selection-auto"), func(u upstream) bool {
		return u.ev == protocol.BeforeToolSelection && u.kind != "" && !u.selects()
	}},
	{DifferenceByID("auto-list"), func(u upstream) bool {
		return u.ev == protocol.BeforeToolSelection && u.selects() && u.listsInAuto()
	}},
	{DifferenceByID("older-field"), func(u upstream) bool { return u.older() }},
	{DifferenceByID("matcher-notification"), func(u upstream) bool {
		return u.matcherCounts() && u.ev == protocol.Notification
	}},
	{DifferenceByID("trigger-added"), func(u upstream) bool { return u.run.Matched && NamesAddedTrigger(u.run.Hook) }},
	{DifferenceByID("head"), func(u upstream) bool { return u.run.Hook.Within != (hooks.Part{}) }},
	{DifferenceByID("matcher-trigger"), func(u upstream) bool {
		return u.matcherCounts() && u.run.Matched && !u.exactMatcher()
	}},
}

// Differences that depend on more than the hook's answer.
var laterAllow, eventAdded = DifferenceByID("later-allow"), DifferenceByID("event-added")

// Compare appends, to the Upstream of each run in a report, what the agent for which the
// hook is written does differently: Gemini CLI or, by the hook's dialect, Claude Code.
// Call it once per report.
func Compare(rep *hooks.Report) { compare(rep.Event, rep.Runs) }

// Explained is [Compare] for a report of [hooks.Engine.Explain], in which nothing ran. It
// also compares matchers of tools.
func Explained(rep *hooks.Report) {
	Compare(rep)
	ev := rep.Event
	for i := range rep.Runs {
		if run := &rep.Runs[i]; ev.IsTool() && !ev.IsAdded() && run.Matched &&
			!upstreamMatches(run.Hook.Matcher, rep.Subject) {
			run.Upstream = append(run.Upstream, toolMatcher)
		}
	}
}

// toolMatcher is the difference in how matchers of tools are compared.
var toolMatcher = DifferenceByID("matcher-tool")

// upstreamMatches reports whether Gemini CLI's matcher finds the tool. It does not know a
// tool's other names (core/hooks/hookPlanner.ts).
func upstreamMatches(pattern, tool string) bool {
	pattern = strings.TrimSpace(pattern)
	return pattern == "" || pattern == "*" || hooks.Matcher(pattern).Finds(tool)
}

// compare appends differences to runs. A later allow concerns two runs, so it is looked
// for here.
func compare(ev protocol.Event, runs []hooks.Run) {
	for i := range runs {
		r := &runs[i]
		if r.Left {
			continue
		}
		if agent := agentOf(r.Hook); agent != nil {
			if d, _ := Elsewhere(*r, ev, agent); d != nil {
				r.Upstream = append(r.Upstream, *d)
			}
			continue
		}
		if ev.IsAdded() {
			r.Upstream = append(r.Upstream, eventAdded)
			continue
		}
		u := look(ev, r)
		for _, d := range runDifferences {
			if d.when(u) {
				r.Upstream = append(r.Upstream, d.Difference)
			}
		}
		if (ev == protocol.BeforeModel || ev == protocol.AfterModel) && r.Decision == hooks.Deny &&
			slices.ContainsFunc(runs[i+1:], overturns) {
			r.Upstream = append(r.Upstream, laterAllow)
		}
	}
}

// overturns reports whether Gemini CLI lets r, which runs later, take back a denial of a
// model event (core/hooks/hookAggregator.ts).
func overturns(r hooks.Run) bool {
	return r.Ran() && !r.Left && r.Decision == hooks.Proceed &&
		(r.Reading.Output.Decision == protocol.Allow || r.Reading.From == "text")
}

// look parses a run's output as Gemini CLI does: JSON on stdout or, if that is empty, on
// stderr, and a string that holds JSON once more (core/hooks/hookRunner.ts).
func look(ev protocol.Event, r *hooks.Run) upstream {
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

// trim works like JavaScript's, for which a byte order mark is white space.
func trim(b []byte) string { return strings.Trim(string(b), " \t\r\n\v\f\u00a0\ufeff\u2028\u2029") }

// blank reports whether b has nothing but white space.
func blank(b []byte) bool { return trim(b) == "" }

// holdsAmongNoise reports whether a decision counts here although the output as a whole
// is not an answer.
func (u upstream) holdsAmongNoise() bool {
	from := u.run.Reading.From
	return u.run.Decision > hooks.Proceed && (from == "stdout" || from == "stderr") &&
		(u.kind == "text" || u.kind == "value")
}

// blocked reports whether Gemini CLI takes the run for a denial by its exit code.
func (u upstream) blocked() bool { return u.exited && u.code == 2 && u.ev.CanBlock() }

// denies reports whether the answer denies or stops in one of the spellings that Gemini
// CLI reads.
func (u upstream) denies() bool {
	return u.answer["decision"] == "deny" || u.answer["decision"] == "block" || u.answer["continue"] == false
}

// leavesOutArguments reports whether an argument that the hook read is missing in its
// tool_input.
func (u upstream) leavesOutArguments() bool {
	var in protocol.BeforeToolInput
	if json.Unmarshal(u.run.Stdin.Bytes(), &in) != nil {
		return false
	}
	for k := range in.ToolInput {
		if _, said := u.run.Reading.Output.ToolInput[k]; !said {
			return true
		}
	}
	return false
}

// candidates returns the candidates of the llm_response; nil if Gemini CLI finds none.
func (u upstream) candidates() any {
	response, _ := u.nested["llm_response"].(map[string]any)
	return response["candidates"]
}

// replaces reports whether the answer replaces a chunk there too.
func (u upstream) replaces() bool {
	return u.run.Reading.Output.LLMResponse != nil && u.candidates() != nil &&
		len(u.run.Reading.Output.LLMResponse.Parts) > 0
}

// listsInAuto reports whether the toolConfig has names, and the mode AUTO or no mode.
func (u upstream) listsInAuto() bool {
	config, _ := u.nested["toolConfig"].(map[string]any)
	names, _ := config["allowedFunctionNames"].([]any)
	mode, _ := config["mode"].(string)
	return len(names) > 0 && (mode == "" || strings.EqualFold(mode, "AUTO"))
}

// wipesSettings reports whether llm_request.config leaves out a setting, which Gemini CLI
// then erases.
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

// selects reports whether the answer selects tools there too.
func (u upstream) selects() bool {
	config, ok := u.nested["toolConfig"].(map[string]any)
	return ok && config["functionCallingConfig"] == nil
}

// older reports whether the answer has a field in an older spelling that counts here.
func (u upstream) older() bool {
	for _, f := range protocol.Gemini().Fields() {
		if f.Older && u.answer[f.Name] != nil && slices.Contains(f.Events, u.ev) && u.ev != protocol.BeforeToolSelection {
			return true
		}
	}
	return false
}

// matcherCounts reports whether the hook has a matcher for a trigger.
func (u upstream) matcherCounts() bool {
	m := strings.TrimSpace(u.run.Hook.Matcher)
	return m != "" && m != "*" && u.ev.Triggers() != nil
}

// NamesAddedTrigger reports whether the hook's matcher names a trigger with which Gemini
// CLI never fires the hook's event, such as "compact" at SessionStart.
func NamesAddedTrigger(h hooks.Hook) bool {
	return slices.ContainsFunc(strings.Split(h.Matcher, "|"), func(t string) bool {
		return protocol.Gemini().Lacks(h.Event, strings.TrimSpace(t))
	})
}

// exactMatcher reports whether the matcher is one trigger exactly, which Gemini CLI
// compares literally (core/hooks/hookPlanner.ts).
func (u upstream) exactMatcher() bool {
	return slices.Contains(u.ev.Triggers(), strings.TrimSpace(u.run.Hook.Matcher)) || u.ev == protocol.Notification
}
