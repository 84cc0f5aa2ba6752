package replay

import (
	"context"
	"slices"
	"time"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// Decided is what the hooks say about one step, now and then.
type Decided struct {
	// Session is the path of the session's file.
	Session string `json:"session"`
	// Step is the number of the step, from 1.
	Step int `json:"step"`
	// Kind is the kind of the step.
	Kind Kind `json:"kind"`
	// Event is the event that was fired. A call has two: BeforeTool and AfterTool.
	Event protocol.Event `json:"event"`
	// Subject is the tool's name; empty for prompts and answers.
	Subject string `json:"subject,omitempty"`
	// Text is the beginning of what the step is about, at most 80 characters.
	Text string `json:"text,omitempty"`
	// Now is the word of the [hooks.Decision] now.
	Now string `json:"now"`
	// Reason is the reason of the decision now; may be empty.
	Reason string `json:"reason,omitempty"`
	// Hooks lists the hooks that decided.
	Hooks []string `json:"hooks,omitempty"`
	// Effect is the kind of the [hooks.Effect] now.
	Effect string `json:"effect"`
	// Then is "proceed" or "deny", as far as the file shows it.
	Then string `json:"then"`
	// Was is the reason that a hook gave then.
	Was string `json:"was,omitempty"`
	// Differs says that what happened then would not happen now, or the other way round.
	// A question always differs.
	Differs bool `json:"differs"`
}

// HookTime is what one hook did in all sessions, with its times in milliseconds.
type HookTime struct {
	// ID is [hooks.Hook.ID].
	ID string `json:"id"`
	// Event is the event of the runs.
	Event protocol.Event `json:"event"`
	// File and Line say where the hook is configured; equal hooks in several places are
	// counted separately.
	File string `json:"file"`
	// Line counts from 1; 0 means unknown.
	Line int `json:"line"`
	// Runs counts the hook's runs, failed ones included.
	Runs int `json:"runs"`
	// Failed counts the runs that failed.
	Failed int `json:"failed"`
	// Decisions counts the runs by the word of their decision.
	Decisions map[string]int `json:"decisions"`
	// P50MS and P95MS are percentiles of the time per run; see [Percentile].
	P50MS float64 `json:"p50_ms"`
	// P95MS is the time that 95 % of the runs did not exceed.
	P95MS float64 `json:"p95_ms"`
	// TotalMS is the sum of all runs.
	TotalMS float64 `json:"total_ms"`

	times []time.Duration
}

// Result is the outcome of replaying sessions.
type Result struct {
	// Sessions counts the sessions that were replayed.
	Sessions int `json:"sessions"`
	// Prompts, Calls and Answers count the steps that were fired.
	Prompts int `json:"prompts"`
	// Calls counts the tool calls among them.
	Calls int `json:"calls"`
	// Answers counts the final answers among them.
	Answers int `json:"answers"`
	// Decided lists the steps about which hooks decided anything, now or then.
	Decided []Decided `json:"decided"`
	// Hooks lists the hooks that ran, in the order of their first run, and those that are
	// configured for the events that were fired and never ran.
	Hooks []HookTime `json:"hooks"`
	// Skipped lists the parts of the files that could not be used.
	Skipped []string `json:"skipped,omitempty"`

	index map[place]int
}

// place identifies a hook. The same command may be configured in several places.
type place struct {
	event protocol.Event
	id    string
	file  string
	line  int
}

// Differ counts the steps that would be decided differently now.
func (r *Result) Differ() int {
	n := 0
	for _, d := range r.Decided {
		if d.Differs {
			n++
		}
	}
	return n
}

// Run fires what happened in sessions at e's hooks: BeforeAgent for prompts, BeforeTool
// for calls, AfterTool for the results of calls that would go on now, and AfterAgent for
// answers. No tool runs. Run sets e.Report and e.ReportIdle, and gives each session's id
// and path to e's Origin. If ctx ends, it returns what it has so far.
func Run(ctx context.Context, e *hooks.Engine, sessions []*Session) *Result {
	r := &Result{Decided: []Decided{}, Hooks: []HookTime{}, index: map[place]int{}}
	var last hooks.Report
	e.ReportIdle = true
	e.Report = func(rep hooks.Report) {
		last = rep
		r.time(rep)
	}
	home := e.Origin
	for _, s := range sessions {
		r.Sessions++
		r.Skipped = append(r.Skipped, s.Skipped...)
		o := home
		o.SessionID, o.TranscriptPath = s.ID, s.Path
		e.SetOrigin(o)
		r.session(ctx, e, s, &last)
	}
	for i := range r.Hooks {
		r.Hooks[i].sum()
	}
	return r
}

// session fires the events of one session, in its order. A call that hooks deny now is
// not followed by AfterTool.
func (r *Result) session(ctx context.Context, e *hooks.Engine, s *Session, last *hooks.Report) {
	prompt, retry := "", false
	for i, step := range s.Steps {
		if ctx.Err() != nil {
			return
		}
		switch step.Kind {
		case KindPrompt:
			r.Prompts++
			prompt, retry = step.Text, step.Retry
			e.BeforeAgent(ctx, step.Text)
		case KindCall:
			r.Calls++
			e.BeforeTool(ctx, hooks.ToolUse{Call: step.Call})
		case KindAnswer:
			r.Answers++
			e.AfterAgent(ctx, prompt, step.Text, retry)
		}
		r.decide(s, i, *last)
		if step.Kind == KindCall && last.Verdict.Decision < hooks.Deny && step.Response != nil {
			e.AfterTool(ctx, hooks.ToolUse{Call: step.Call}, *step.Response)
			r.decide(s, i, *last)
		}
	}
}

// decide records what the hooks did with a step, if they did anything.
func (r *Result) decide(s *Session, i int, rep hooks.Report) {
	step := s.Steps[i]
	d := Decided{
		Session: s.Path, Step: i + 1, Kind: step.Kind, Event: rep.Event, Subject: rep.Subject, Text: head(step),
		Now: rep.Verdict.Decision.String(), Reason: rep.Verdict.Reason, Hooks: rep.Verdict.Hooks, Effect: rep.Effect.Kind,
		Then: hooks.Proceed.String(),
	}
	if step.Denied && rep.Event != protocol.AfterTool {
		d.Then, d.Was = hooks.Deny.String(), step.Reason
	}
	d.Differs = d.Now == hooks.Ask.String() || rep.Verdict.Denied() != (d.Then == hooks.Deny.String())
	if d.Differs || d.Now != d.Then || rep.Verdict.Decision != hooks.Proceed || rep.Effect.Kind != hooks.EffectNone {
		r.Decided = append(r.Decided, d)
	}
}

// head returns the beginning of a step's text.
func head(s Step) string {
	text := s.Text
	if s.Kind == KindCall {
		data, err := protocol.Encode(s.Call.Args)
		if err != nil {
			return ""
		}
		text = string(data)
	}
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return text
}

// time adds the runs of one event to the hooks' times.
func (r *Result) time(rep hooks.Report) {
	for _, run := range rep.Runs {
		at := place{rep.Event, run.Hook.ID(), run.Hook.Source.File, run.Hook.Source.Line}
		i, ok := r.index[at]
		if !ok {
			i = len(r.Hooks)
			r.index[at] = i
			r.Hooks = append(
				r.Hooks, HookTime{ID: at.id, Event: at.event, File: at.file, Line: at.line, Decisions: map[string]int{}})
		}
		if h := &r.Hooks[i]; run.Ran() {
			h.Runs++
			h.Decisions[run.Decision.String()]++
			h.times = append(h.times, run.Exit.Duration)
			if run.Failed != "" {
				h.Failed++
			}
		}
	}
}

// sum computes the percentiles and the sum once all runs are known.
func (h *HookTime) sum() {
	h.P50MS, h.P95MS = milliseconds(Percentile(h.times, 50)), milliseconds(Percentile(h.times, 95))
	for _, t := range h.times {
		h.TotalMS += milliseconds(t)
	}
}

// Percentile returns the smallest of times that p percent of them do not exceed; 0 if
// there are none. times is not changed.
func Percentile(times []time.Duration, p int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(times))[max(0, (len(times)*p+99)/100-1)]
}

// milliseconds returns d with microseconds as its fraction.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
