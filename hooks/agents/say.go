package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/text"
)

// ToolFailed is the point after a tool that failed, where agents have one of its
// own. Nobody measured what they make of answers there.
const ToolFailed Point = "tool_failed"

// Meant is what a hook wants, in the words of no agent: the inverse of what Read
// returns.
type Meant struct {
	Kind    Kind
	Reason  string         // why; the model should read it
	Context string         // what else the model should read
	ToUser  string         // what the user should read
	Input   map[string]any // of Rewritten: all arguments, in the agent's own names; nil: they have none
	Native  string         // the event's own name, where it is not that of the point
	Result  any            // of Replaced: the tool's result as the agent showed it
}

// Said is how a hook says it: what it must print, and how it must exit.
type Said struct {
	Exit   int
	Stdout string
	Stderr string
	// Lost is what this agent's hooks cannot say, and what happens instead.
	Lost []string
}

// ladder holds, for what is meant, what may be said in its place: what stands
// first is best, and each is safer than letting the action pass.
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

// Say says to an agent what is meant, so that Read makes that of it. What cannot
// be said falls to the safe side, and Lost says so. Each thing is read back
// before it is said: an answer that this agent would take otherwise is not
// printed.
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

// plain is a reason that no agent takes for JSON, and that says something.
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

// verbs are what hooks do, for sentences.
var verbs = map[Kind]string{
	Refused: "refuse a call", Asked: "ask", Rewritten: "change the arguments of this call", RunEnded: "end the run here",
	Replaced: "replace this result",
	Appended: "tell the model more here", Context: "tell the model more here", PromptBlocked: "block the prompt",
	Retry: "send the answer back",
}

// instead is what happens in place of it.
var instead = map[Kind]string{
	Allowed: "that is left out", Refused: "the call is refused", RunEnded: "the run ends",
	Replaced: "the result is replaced",
	Appended: "the text comes after the result", PromptBlocked: "the prompt is blocked",
}

// lost is what of m does not arrive.
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

func unescape(s string) string { return strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(s) }

// sayUnread is for points and agents whose reading of answers is unknown.
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

// sayFailed is for tools that failed: there is nothing to hold back, and the
// model can at most get more to read.
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
	said.Lost = append(said.Lost, "nobody measured what "+a.Title()+" makes of answers at "+m.Native)
	return said
}

// universal is the one answer that refuses on every agent that was run: exit 2,
// the reason on stderr, and an object that each of them reads in its own way.
func universal(m Meant) Said {
	return Said{Exit: 2, Stderr: joined(m.Reason, m.Context), Stdout: asLine(map[string]any{
		"decision": "block", "reason": m.Reason, "permissionDecision": "deny", "permissionDecisionReason": m.Reason,
		"cancel": true, "errorMessage": m.Reason,
	})}
}

// Refusal refuses whatever agent reads it, for hooks that do not know which.
func Refusal(reason string) Said { return universal(Meant{Reason: plain(reason)}) }

// asLine is JSON on one line; empty for an empty object.
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
	return string(text.JSON([]byte(b.String()))) // who cleans what is printed must not make it another answer
}
