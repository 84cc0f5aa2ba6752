// Package elsewhere says how other agents would treat the answers that hooks give here,
// and where Gemini CLI 0.61 would handle a run or a plan differently.
//
// [Compare] adds the differences to a report's runs; [Elsewhere], [Portable] and [On]
// compare one run with one agent:
//
//	codex, err := agents.Find("codex")
//	if why := elsewhere.Portable(run, report.Event, codex); why != "" {
//		fmt.Println("does not hold there:", why)
//	}
//
// Nothing is run: the rules of agents come from hooks/agents, those of Gemini CLI are in
// upstream.go and [Differences].
package elsewhere

// How other agents treat the answers that hooks give here, by the tables of
// hooks/agents.

import (
	"fmt"
	"strings"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/protocol"
)

// agentOf returns the agent for which a hook is written, by its dialect. It returns nil
// for Gemini CLI, whose differences are in [Differences].
func agentOf(h hooks.Hook) *agents.Agent {
	if h.Dialect == "" || h.Dialect == protocol.Gemini().Name {
		return nil
	}
	a, err := agents.Find(h.Dialect)
	if err != nil {
		return nil
	}
	return a
}

// pointOf returns the point of an event; empty if it has none.
func pointOf(ev protocol.Event) agents.Point {
	gemini, err := agents.Find("gemini")
	if err != nil {
		return "" // unreachable: it is in the table
	}
	return gemini.PointOf(string(ev))
}

// AnswerOf returns r at a point as the tables of agents describe it.
func AnswerOf(r *hooks.Run, p agents.Point) agents.Answer {
	return agents.Answer{
		Point: p, Exit: r.Exit.Code, Stdout: string(r.Exit.Stdout), Stderr: string(r.Exit.Stderr),
		TimedOut: r.TimedOut, Killed: !r.TimedOut && r.Exit.Signal != "", Odd: !r.TimedOut && r.Exit.Signal == "" &&
			r.Exit.Err != nil,
	}
}

// effectOf returns what r does here, in the tables' terms.
func effectOf(r *hooks.Run, ev protocol.Event) agents.Effect {
	o := &r.Reading.Output
	e := agents.Effect{Kind: agents.Allowed, Reason: r.GivenReason(), Context: o.AdditionalContext}
	context := agents.Context
	switch ev {
	case protocol.BeforeTool:
		e.Kind = [...]agents.Kind{hooks.Ask: agents.Asked, hooks.Deny: agents.Refused, hooks.Stop: agents.RunEnded,
			hooks.Proceed: agents.Allowed}[r.Decision]
		if o.ToolInput != nil && e.Kind == agents.Allowed {
			e.Kind, e.Input, e.Merge = agents.Rewritten, o.ToolInput, !o.WholeToolInput
		}
	case protocol.AfterTool:
		context = agents.Appended
		switch {
		case r.Decision == hooks.Stop:
			e.Kind = agents.RunEnded
		case r.Decision == hooks.Deny || o.TailToolCall != nil || o.UpdatedOutput != nil:
			e.Kind = agents.Replaced
		}
	case protocol.BeforeAgent:
		if r.Decision >= hooks.Deny {
			e.Kind = agents.PromptBlocked
		}
	case protocol.AfterAgent:
		if r.Decision == hooks.Deny || r.Decision < hooks.Deny && o.AdditionalContext != "" {
			e.Kind = agents.Retry
		}
	}
	switch {
	case e.Kind == agents.Allowed && o.AdditionalContext != "":
		e.Kind = context
	case e.Kind == agents.PromptBlocked || e.Kind == agents.RunEnded:
		e.Context = "" // no request follows
	case ev == protocol.BeforeTool && r.Decision == hooks.Deny:
		e.Context = "" // the model reads only the reason
	}
	return e
}

// Elsewhere says what agent does with r's answer if that differs from what r did here.
// d is nil if it is the same or unknown, and if the hook did not run or is still
// running. breaks reports that the effect of r here does not happen there, so that it
// cannot be relied on. A missing reason, for example, does not break.
func Elsewhere(r hooks.Run, ev protocol.Event, agent *agents.Agent) (d *hooks.Difference, breaks bool) {
	if !r.Ran() || r.Left || !agent.Reads(pointOf(ev)) {
		return nil, false
	}
	here, there := effectOf(&r, ev), agent.Read(AnswerOf(&r, pointOf(ev)))
	if there.Kind == agents.Unknown {
		return nil, false
	}
	says, breaks := contrast(pointOf(ev), here, there)
	if says == "" {
		return nil, false
	}
	if why := there.Because(); why != "" {
		says += ", because " + why
	}
	return &hooks.Difference{
		ID: "answer-" + agent.ID, Agent: agent.Title(), When: "this answer", There: says,
		Here: does(pointOf(ev), here), Shown: InReport,
	}, breaks
}

// contrast returns what happens there, if it differs from what happens here.
func contrast(p agents.Point, here, there agents.Effect) (says string, breaks bool) {
	ends := func(e agents.Effect) bool { return e.Kind == agents.RunEnded || e.Ends }
	switch {
	case here.Prevents() != there.Prevents():
		return does(p, there), true
	case ends(here) != ends(there):
		return does(p, there), true
	case here.Kind == agents.Replaced != (there.Kind == agents.Replaced):
		return does(p, there), true
	case here.Kind == agents.Rewritten != (there.Kind == agents.Rewritten):
		return does(p, there), true
	case (here.Kind == agents.Asked) != (there.Kind == agents.Asked):
		return does(p, there), false
	case here.Context != "" && there.Context == "":
		return "does not tell the model what the hook adds", true
	case here.Context == "" && there.Context != "" && here.Kind != there.Kind:
		return does(p, there), true
	case modelReads(p, here) && !strings.Contains(there.Reason, firstLine(here.Reason)):
		return does(p, there) + ", and the model does not read why", false
	}
	return "", false
}

// modelReads reports whether e has a reason for the model.
func modelReads(p agents.Point, e agents.Effect) bool {
	return e.Reason != "" && (e.Kind == agents.Refused || e.Kind == agents.Retry || e.Kind == agents.Replaced)
}

// firstLine returns the first line of s, by which reasons are recognized in other texts.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// passes describes what happens at a point if nothing prevents it.
var passes = map[agents.Point]string{
	agents.BeforeTool: "runs the tool", agents.AfterTool: "leaves the result as it is",
	agents.BeforePrompt: "sends the prompt",
	agents.AgentStop:    "ends the turn", agents.SessionStart: "starts the session",
}

// does describes an effect, beginning with a verb.
func does(p agents.Point, e agents.Effect) string {
	var says string
	switch e.Kind {
	case agents.Allowed, agents.Unknown:
		says = passes[p]
	case agents.Refused:
		says = "refuses the tool"
	case agents.Asked:
		says = "asks before it runs the tool, and refuses it if there is nobody to ask"
	case agents.Rewritten:
		says = "runs the tool with other arguments"
	case agents.Replaced:
		says = "replaces the result"
	case agents.Appended:
		says = "leaves the result, and puts the text after it"
	case agents.Context:
		says = passes[p] + ", and tells the model what the hook adds"
	case agents.Retry:
		says = "goes on with the turn"
	case agents.PromptBlocked:
		says = "does not send the prompt"
	case agents.Answered:
		says = "takes the hook's answer for the model's"
	case agents.RunEnded:
		says = "ends the run"
		if e.Ran {
			says = "runs the tool, and then ends the run"
		}
	}
	if e.Ends && e.Kind != agents.RunEnded {
		says += ", and ends the run"
	}
	return says
}

// Portable says why the effect of r at ev does not hold on agent, in a sentence. It is
// empty if the effect holds, or if the hook did not run. What is unknown does not hold.
func Portable(r hooks.Run, ev protocol.Event, agent *agents.Agent) string {
	if !r.Ran() || r.Left {
		return ""
	}
	p := pointOf(ev)
	native, has := agent.Event(p)
	switch {
	case p == "" || !has:
		return fmt.Sprintf("%s has no event at %s, so the hook does not run there", agent.Title(), ev)
	case native.Fires == "no":
		return fmt.Sprintf("%s does not fire %s in a run without a terminal", agent.Title(), native.Native)
	case agent.Reads(p):
		if agent.Read(AnswerOf(&r, pointOf(ev))).Kind == agents.Unknown {
			return fmt.Sprintf("not measured: what %s makes of this answer", agent.Title())
		}
		if d, breaks := Elsewhere(r, ev, agent); breaks {
			return d.Agent + " " + d.There
		}
	case r.Decision != hooks.Proceed || r.Reading.Output.AdditionalContext != "":
		return fmt.Sprintf("not measured: what %s makes of answers at %s", agent.Title(), native.Native)
	}
	return ""
}

// On says what agent does with r's answer at ev, beginning with a verb; "the same" if it
// does what minigem does.
func On(r hooks.Run, ev protocol.Event, agent *agents.Agent) string {
	switch why := Portable(r, ev, agent); {
	case !r.Ran() || r.Left:
		return "nothing: the hook did not run"
	case why != "":
		return strings.TrimPrefix(why, agent.Title()+" ")
	}
	if d, _ := Elsewhere(r, ev, agent); d != nil {
		return d.There
	}
	return "the same"
}
