package played

import (
	"cmp"
	"slices"
	"strings"

	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
)

// effects determines the effects of hooks' answers.
type effects struct {
	*scene
	calls  *calls
	course *course
	reads  *payloads
}

// effect returns how the agent treats one run.
func (p *effects) effect(f hooks.Firing, r hooks.Run) tables.Effect {
	a, x := p.agentOf(r.Hook), elsewhere.AnswerOf(&r, played[f.Event])
	if r.Hook.Event == toolFailed {
		x.Point = failedPoint
	}
	silent := x.Exit == 0 && !x.Odd && !x.Killed && !x.TimedOut && strings.TrimSpace(x.Stdout+x.Stderr) == ""
	if silent || x.Point == sessionEnd {
		return tables.Effect{Kind: tables.Allowed}
	}
	e := a.ReadRun(x)
	if e.Kind == tables.Asked && p.agent.Play.Asked == "ends" {
		e.Kind = tables.RunEnded
	}
	return e
}

// Read implements hooks.Rules.
func (p *Player) Read(f hooks.Firing, r *hooks.Run, _ hooks.Payload) {
	e := p.does.effect(f, *r)
	r.Warnings = append(r.Warnings, e.Why...)
	o := &r.Reading.Output
	o.Reason, o.AdditionalContext = e.Reason, e.Context
	switch e.Kind {
	case tables.Unknown:
		p.unknown("not measured: what %s makes of this answer at %s: %s", p.agentOf(r.Hook).Title(), p.reads.name(f),
			summary(*r))
	case tables.Refused, tables.Asked, tables.PromptBlocked, tables.Answered, tables.Retry:
		o.Decision, r.Decision = protocol.Deny, hooks.Deny
	case tables.RunEnded:
		if !e.Ran {
			o.Stop, o.StopReason, r.Decision = true, e.Reason, hooks.Stop
		}
	case tables.Rewritten:
		o.ToolInput, o.WholeToolInput = e.Input, !e.Merge
	}
}

func summary(r hooks.Run) string {
	s := r.Hook.ID()
	switch {
	case r.Failed != "":
		return s + " " + r.Failed
	case len(r.Exit.Stdout) > 0:
		return s + " printed " + strings.TrimSpace(string(r.Exit.Stdout[:min(len(r.Exit.Stdout), 120)]))
	}
	return s + " printed " + strings.TrimSpace(string(r.Exit.Stderr[:min(len(r.Exit.Stderr), 120)])) + " on stderr"
}

// one is a run with its effect.
type one struct {
	hooks.Run
	tables.Effect
}

func (o one) ended() int64 { return o.Started.Add(o.Exit.Duration).UnixNano() }

// settle combines the answers of all runs.
func (p *effects) settle(f hooks.Firing, runs []hooks.Run) hooks.Settled {
	var all []one
	acting := 0
	for _, r := range runs {
		if !r.Ran() || r.Left {
			continue
		}
		o := one{r, p.effect(f, r)}
		if o.Kind != tables.Allowed {
			acting++
		}
		all = append(all, o)
	}
	if acting > 1 && p.agent.Play.Several.Order == "" {
		p.unknown("not measured: the outcome of several hooks' answers at %s in %s", p.reads.name(f),
			p.agent.Title())
	}
	switch f.Event {
	case protocol.BeforeTool:
		return p.settleBefore(f, all)
	case protocol.AfterTool:
		return p.settleAfter(f, all)
	case protocol.BeforeAgent:
		return p.settlePrompt(all)
	case protocol.AfterAgent:
		return p.settleStop(all)
	case protocol.SessionStart:
		if i := slices.IndexFunc(all, func(o one) bool { return o.Kind == tables.RunEnded }); i >= 0 {
			p.course.note(func(at *progress) { at.ended = "a hook at the start of the session ended the run" })
		}
		more := p.texts(p.agent.Play.Several.Contexts, all, contextOf)
		if p.agent.Play.StartInSystem {
			p.course.note(func(at *progress) { at.system = more })
			more = ""
		}
		return hooks.Settled{Output: protocol.Output{AdditionalContext: more}}
	}
	return hooks.Settled{}
}

// having returns the runs with one of these effects.
func having(all []one, kinds ...tables.Kind) []one {
	var out []one
	for _, o := range all {
		if slices.Contains(kinds, o.Kind) {
			out = append(out, o)
		}
	}
	return out
}

// chosen returns the runs that count according to a rule of tables.Several.
func (p *effects) chosen(rule string, all []one) []one {
	if len(all) < 2 {
		return all
	}
	ended := slices.Clone(all)
	slices.SortStableFunc(ended, func(a, b one) int { return cmp.Compare(a.ended(), b.ended()) })
	switch rule {
	case "first":
		return all[:1]
	case "last":
		return all[len(all)-1:]
	case "ended last":
		return ended[len(ended)-1:]
	case "all as ended":
		return ended
	case "all":
		return all
	}
	p.unknown("not measured: whose answer counts in %s if several hooks give the same one", p.agent.Title())
	return all
}

// texts joins the texts of the runs that count.
func (p *effects) texts(rule string, all []one, text func(one) string) string {
	all = slices.DeleteFunc(slices.Clone(all), func(o one) bool { return text(o) == "" })
	var parts []string
	for _, o := range p.chosen(rule, all) {
		parts = append(parts, text(o))
	}
	return strings.Join(parts, "\n")
}

func reasonOf(o one) string  { return o.Reason }
func contextOf(o one) string { return o.Context }

// settleBefore merges the answers before an event. Ending the run wins over refusing, that
// over asking, and that over changing arguments.
func (p *effects) settleBefore(f hooks.Firing, all []one) hooks.Settled {
	if p.agent.Play.Several.Nested {
		all = p.nested(all)
	}
	refuse, ask := having(all, tables.Refused), having(all, tables.Asked)
	ends := having(all, tables.RunEnded)
	if p.agent.Play.Several.Asks {
		refuse = having(all, tables.Refused, tables.Asked)
		ask = nil
	} else if len(refuse) == 0 {
		refuse, ask = ask, nil
	}
	more := p.texts(p.agent.Play.Several.Contexts, all, contextOf)
	now := slices.DeleteFunc(slices.Clone(ends), func(o one) bool { return o.Effect.Ran })
	if len(now) > 0 || len(refuse) > 0 && slices.ContainsFunc(all, func(o one) bool {
		return o.Kind == tables.RunEnded || o.Ends
	}) {
		o := cmpOne(now, ends, refuse)
		return hooks.Settled{Decision: hooks.Stop, Hook: o.Hook.ID(),
			Output: protocol.Output{Stop: true, StopReason: cmp.Or(o.Reason, "a hook ended the run")}}
	}
	if len(refuse) > 0 {
		why := p.texts(p.agent.Play.Several.Refusals, refuse, reasonOf)
		if p.agent.Play.Several.ContextFirst {
			why, more = more, why
		}
		return hooks.Settled{Decision: hooks.Deny, Hook: refuse[0].Hook.ID(),
			Output: protocol.Output{Decision: protocol.Deny, Reason: strings.TrimSpace(why + "\n" + more)}}
	}
	c := p.calls.of(f)
	c.pending(more, len(ends) > 0)
	approves := p.agent.Approves != nil && p.agent.Approves.Is && slices.ContainsFunc(all, one.allows)
	if p.confirms() && !readOnly(c.kind) && !approves {
		return hooks.Settled{
			Decision: hooks.Deny,
			Output:   protocol.Output{Decision: protocol.Deny, Reason: "it has to be confirmed, and there is nobody to ask"}}
	}
	rewrites := p.chosen(p.agent.Play.Several.Rewrites, having(all, tables.Rewritten))
	if len(rewrites) == 0 {
		return hooks.Settled{}
	}
	last := rewrites[len(rewrites)-1]
	args, err := p.calls.rewrite(c, last)
	if err != nil {
		p.unknown("%v", err)
	}
	return hooks.Settled{Hook: last.Hook.ID(), Output: protocol.Output{ToolInput: args, WholeToolInput: true}}
}

// nested keeps only the answers with a permissionDecision, if there are any, because they
// win over answers in other formats.
func (p *effects) nested(all []one) []one {
	said := slices.DeleteFunc(slices.Clone(all), func(o one) bool {
		return o.Exit.Code == 2 || !strings.Contains(string(o.Exit.Stdout), `"permissionDecision"`)
	})
	if len(said) == 0 {
		return all
	}
	if len(said) > 1 && len(having(said, tables.Allowed)) != len(said) && len(having(said, tables.Refused)) != len(
		said) {
		p.unknown("not measured: which of several permissionDecisions counts in %s", p.agent.Title())
	}
	return said
}

// cmpOne returns the first run of the first non-empty list.
func cmpOne(lists ...[]one) one {
	for _, l := range lists {
		if len(l) > 0 {
			return l[0]
		}
	}
	return one{}
}

// allows reports whether the answer approves a call that needs confirmation.
func (o one) allows() bool {
	return o.Exit.Code == 0 && strings.Contains(strings.ReplaceAll(string(o.Exit.Stdout), " ", ""),
		`"permissionDecision":"allow"`)
}

func (p *effects) settleAfter(f hooks.Firing, all []one) hooks.Settled {
	c := p.calls.of(f)
	var s hooks.Settled
	more := p.texts(p.agent.Play.Several.Contexts, all, func(o one) string {
		if o.Kind == tables.Appended {
			return strings.TrimSpace(o.Reason + "\n" + o.Context)
		}
		return o.Context
	})
	s.Output.AdditionalContext = strings.TrimSpace(c.added + "\n" + more)
	if instead := having(all, tables.Replaced); len(instead) > 0 {
		text := p.texts(p.agent.Play.Several.Results, instead, func(o one) string { return cmp.Or(o.Reason, o.Context) })
		if !slices.ContainsFunc(instead, func(o one) bool { return o.Reason != "" }) {
			s.Output.AdditionalContext = strings.TrimSpace(c.added)
		}
		s.Instead, s.Hook = &text, instead[0].Hook.ID()
	}
	if ends := having(all, tables.RunEnded); len(ends) > 0 || c.ends ||
		slices.ContainsFunc(all, func(o one) bool { return o.Ends }) {
		s.Decision, s.Output.Stop, s.Output.StopReason = hooks.Stop, true, "a hook ended the run"
	}
	if again(p.agent, "tools") && p.course.now().prompts {
		p.unknown("%s fires its event for prompts again for the results of tools, and what a hook's answer does then was "+
			"not measured", p.agent.Title())
	}
	return s
}

func again(a *tables.Agent, what string) bool { return slices.Contains(a.Play.Again, what) }

func (p *effects) settlePrompt(all []one) hooks.Settled {
	acted := slices.ContainsFunc(all, func(o one) bool { return o.Kind != tables.Allowed })
	if ended := p.course.note(func(at *progress) { at.prompts = at.prompts || acted }).ended; ended != "" {
		return hooks.Settled{Decision: hooks.Deny, Output: protocol.Output{Decision: protocol.Deny, Reason: ended}}
	}
	if blocks := having(all, tables.PromptBlocked, tables.Answered, tables.RunEnded, tables.Refused); len(blocks) > 0 {
		return hooks.Settled{Decision: hooks.Deny, Hook: blocks[0].Hook.ID(),
			Output: protocol.Output{Decision: protocol.Deny, Reason: cmp.Or(blocks[0].Reason, "a hook blocked the prompt")}}
	}
	rule := cmp.Or(p.agent.Play.Several.Prompts, p.agent.Play.Several.Contexts)
	return hooks.Settled{Output: protocol.Output{AdditionalContext: p.texts(rule, all, contextOf)}}
}

func (p *effects) settleStop(all []one) hooks.Settled {
	again := having(all, tables.Retry)
	if len(again) == 0 {
		return hooks.Settled{}
	}
	at := p.course.note(func(at *progress) { at.retrying, at.goneOn = true, at.goneOn+1 })
	if at.goneOn > 1 && p.agent.Stop == (tables.Stop{}) {
		p.unknown("not measured: how often a hook can make %s go on", p.agent.Title())
	}
	why := p.texts(p.agent.Play.Several.Stops, again, func(o one) string {
		return strings.TrimSpace(o.Reason + "\n" + o.Context)
	})
	return hooks.Settled{Decision: hooks.Deny, Hook: again[0].Hook.ID(),
		Output: protocol.Output{Decision: protocol.Deny, Reason: why}}
}
