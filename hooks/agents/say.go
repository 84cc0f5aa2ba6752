package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// ToolFailed is the point after a tool that failed, for agents that have a separate event
// for it. How they treat answers there was not measured.
const ToolFailed Point = "tool_failed"

// Meant is what a hook wants, independent of any agent. It is the input of [Agent.Say]
// and the inverse of what [Agent.Read] returns.
type Meant struct {
	// Kind is the effect that the hook wants.
	Kind Kind
	// Reason is why; the model should read it. An empty one becomes "refused by a hook".
	Reason string
	// Context is what else the model should read.
	Context string
	// ToUser is what the user should read.
	ToUser string
	// Input holds all arguments of a Rewritten call, in the agent's own names; nil means
	// that they cannot be expressed.
	Input map[string]any
	// Native is the event's own name; empty for the first event of the point.
	Native string
	// Result is the tool's result as the agent showed it. Replaced only.
	Result any
}

// Said is how a hook must answer: what it must print, and how it must exit.
type Said struct {
	// Exit is the exit status of the hook.
	Exit int
	// Stdout is what the hook must print, without a final line break; may be empty.
	Stdout string
	// Stderr is what the hook must print there; may be empty.
	Stderr string
	// Lost says, in sentences, what this agent's hooks cannot express, and what happens
	// instead.
	Lost []string
}

// ladder lists acceptable substitutes for each intent, best first. Each is safer than
// letting the action pass.
var ladder = map[Point]map[Kind][]Kind{
	BeforeTool: {
		Refused: {Refused, RunEnded}, Asked: {Asked, Refused, RunEnded}, Rewritten: {Rewritten, Refused, RunEnded},
		RunEnded: {RunEnded, Refused}, Context: {Context, Allowed},
	},
	AfterTool: {
		Replaced: {Replaced, Appended}, RunEnded: {RunEnded, Replaced, Appended}, Appended: {Appended, Allowed},
	},
	BeforePrompt: {PromptBlocked: {PromptBlocked}, RunEnded: {PromptBlocked}, Context: {Context, Allowed}},
	AgentStop:    {Retry: {Retry}, RunEnded: {Allowed}},
	SessionStart: {Context: {Context, Allowed}, RunEnded: {RunEnded, Allowed}},
}

// Say returns the answer with which a hook expresses m to this agent at p. What cannot be
// expressed falls to the safe side, such as a refusal instead of a question, and Lost
// says so. Each answer is first read back with [Agent.Read]: one that this agent would
// misread is not used.
func (a *Agent) Say(p Point, m Meant) Said {
	if p == ToolFailed {
		return a.sayFailed(m)
	}
	m.Reason = plain(m.Reason)
	kinds := ladder[p][m.Kind]
	if m.Kind == Allowed || kinds == nil {
		kinds = []Kind{Allowed}
	}
	if !a.Reads(p) {
		return a.sayUnread(p, m, kinds[0])
	}
	for _, kind := range kinds {
		want := m
		if want.Kind = kind; kind == Allowed {
			want.Context = ""
		}
		for _, said := range a.spell(p, want) {
			got := a.Read(Answer{Point: p, Exit: said.Exit, Stdout: said.Stdout, Stderr: said.Stderr})
			if got.Ran || got.Kind != kind && !(kind == Allowed && got.Kind == Unknown) {
				continue
			}
			said.Lost = append(said.Lost, a.lost(m, kind, got)...)
			return said
		}
	}
	said := universal(m)
	said.Lost = append(said.Lost, fmt.Sprintf("a hook of %s cannot %s: it goes on", a.Title(), verbs[m.Kind]))
	return said
}

// plain returns a reason that is not empty and that no agent takes for JSON.
func plain(reason string) string {
	reason = jsTrim(reason)
	switch {
	case reason == "":
		return "refused by a hook"
	case json.Valid([]byte(reason)) || reason[0] == '{' || reason[0] == '[':
		return "Refused: " + reason
	}
	return reason
}

// verbs describes, for sentences, what hooks do.
var verbs = map[Kind]string{
	Refused: "refuse a call", Asked: "ask", Rewritten: "change the arguments of this call", RunEnded: "end the run here",
	Replaced: "replace this result",
	Appended: "tell the model more here", Context: "tell the model more here", PromptBlocked: "block the prompt",
	Retry: "send the answer back",
}

// instead describes, for sentences, what happens instead.
var instead = map[Kind]string{
	Allowed: "that is left out", Refused: "the call is refused", RunEnded: "the run ends",
	Replaced: "the result is replaced",
	Appended: "the text comes after the result", PromptBlocked: "the prompt is blocked",
}

// lost returns what of m does not arrive.
func (a *Agent) lost(m Meant, kind Kind, got Effect) []string {
	var out []string
	if kind != m.Kind {
		out = append(out, fmt.Sprintf("a hook of %s cannot %s: %s", a.Title(), verbs[m.Kind], instead[kind]))
	}
	reads := got.Reason + "\n" + got.Context
	if slices.Contains([]Kind{Refused, Retry, Replaced}, m.Kind) && !strings.Contains(reads, m.Reason) {
		out = append(out, "the model of "+a.Title()+" does not read why")
	}
	if m.Context != "" && kind != Allowed && kind != PromptBlocked && kind != RunEnded &&
		!strings.Contains(unescape(reads), jsTrim(m.Context)) {
		out = append(out, fmt.Sprintf("a hook of %s cannot %s: that is left out", a.Title(), verbs[Context]))
	}
	return out
}

// unescape undoes the escaping of "<" and ">" with which a reason was quoted.
func unescape(s string) string { return strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(s) }

// sayUnread answers at points where the agent's reading of answers is unknown.
func (a *Agent) sayUnread(p Point, m Meant, kind Kind) Said {
	if kind == Allowed && m.Kind == Allowed {
		return Said{}
	}
	if _, ok := ladder[p]; !ok {
		return Said{Lost: []string{fmt.Sprintf("nothing can be refused or added at %s of %s", m.Native, a.Name)}}
	}
	switch m.Kind {
	case Refused, Asked, Rewritten, RunEnded, PromptBlocked, Retry:
		said := universal(m)
		if m.Kind != Refused && m.Kind != PromptBlocked {
			said.Lost = []string{fmt.Sprintf("it is unknown how a hook of %s can %s: it exits with 2, which refuses", a.Name,
				verbs[m.Kind])}
		}
		return said
	}
	return Said{Lost: []string{
		fmt.Sprintf("it is unknown how a hook of %s can %s: that is left out", a.Name, verbs[m.Kind])}}
}

// sayFailed answers after tools that failed: there is nothing to block, and the model can
// at most get more to read.
func (a *Agent) sayFailed(m Meant) Said {
	if m.Kind == Allowed {
		return Said{}
	}
	m.Context, m.Kind = joined(m.Reason, m.Context), Appended
	if m.Context == "" {
		return Said{}
	}
	var said Said
	if all := a.spell(AfterTool, m); len(all) > 0 && all[0].Exit == 0 {
		said = all[0]
	}
	said.Lost = append(said.Lost, "not measured: what "+a.Title()+" makes of answers at "+m.Native)
	return said
}

// universal returns the answer that refuses on every agent that was run: exit 2, the
// reason on stderr, and an object that each of them reads in its own way.
func universal(m Meant) Said {
	return Said{Exit: 2, Stderr: joined(m.Reason, m.Context), Stdout: asLine(map[string]any{
		"decision": "block", "reason": m.Reason, "permissionDecision": "deny", "permissionDecisionReason": m.Reason,
		"cancel": true, "errorMessage": m.Reason,
	})}
}

// Refusal returns an answer that refuses on every agent that was run, for hooks that do
// not know which agent runs them.
func Refusal(reason string) Said { return universal(Meant{Reason: plain(reason)}) }

// asLine returns v as JSON on one line; empty for an empty object.
func asLine(v map[string]any) string {
	if len(v) == 0 {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "" // unreachable: it came from JSON
	}
	return string(text.JSON([]byte(b.String()))) // cleaned here, so that cleaning it later cannot change the answer
}
