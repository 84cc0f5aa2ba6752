package hooks

// The JSON form of a Report: one object with stable names in snake_case and durations in
// milliseconds. What hooks read and printed are strings, byte for byte. Trace files hold
// it; docs/EVENTS.md describes it.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"minigem/hooks/protocol"
)

// wireReport is the JSON form of a Report. docs/EVENTS.md documents each field.
type wireReport struct {
	Seq        int            `json:"seq"`
	Event      protocol.Event `json:"event"`
	Subject    string         `json:"subject,omitempty"`
	AgentID    string         `json:"agent_id,omitempty"`
	AgentType  string         `json:"agent_type,omitempty"`
	Started    time.Time      `json:"started"`
	DurationMS float64        `json:"duration_ms"`
	Sequential bool           `json:"sequential,omitempty"`
	Late       bool           `json:"late,omitempty"`
	Input      string         `json:"input,omitempty"`
	Runs       []wireRun      `json:"runs"`
	Merge      []wireStep     `json:"merge,omitempty"`
	Verdict    wireVerdict    `json:"verdict"`
	Effect     wireEffect     `json:"effect"`
	Messages   []wireMessage  `json:"messages,omitempty"`
	Warnings   []string       `json:"warnings,omitempty"`
}

// wireRun is the JSON form of a Run. Exit is absent if the hook did not exit by itself.
type wireRun struct {
	Hook       wireHook     `json:"hook"`
	Status     string       `json:"status"` // "ran", "skipped", "left"
	Skipped    string       `json:"skipped,omitempty"`
	Matched    bool         `json:"matched"`
	Started    *time.Time   `json:"started,omitempty"`
	DurationMS float64      `json:"duration_ms,omitempty"`
	Stdin      string       `json:"stdin,omitempty"`
	Stdout     string       `json:"stdout,omitempty"`
	Stderr     string       `json:"stderr,omitempty"`
	StdoutCut  bool         `json:"stdout_cut,omitempty"`
	StderrCut  bool         `json:"stderr_cut,omitempty"`
	Exit       *int         `json:"exit,omitempty"`
	Signal     string       `json:"signal,omitempty"`
	Error      string       `json:"error,omitempty"`
	TimedOut   bool         `json:"timed_out,omitempty"`
	Failed     string       `json:"failed,omitempty"`
	Reading    *wireReading `json:"reading,omitempty"`
	Decision   string       `json:"decision,omitempty"`
	Warnings   []string     `json:"warnings,omitempty"`
	Upstream   []string     `json:"upstream,omitempty"`
}

// wireReading is the JSON form of a protocol.Reading. Its warnings are the run's.
type wireReading struct {
	From    string          `json:"from,omitempty"`
	Output  protocol.Output `json:"output"`
	Garbled bool            `json:"garbled,omitempty"`
}

// wireHook is the JSON form of a Hook and its Source, flattened.
type wireHook struct {
	Event       protocol.Event    `json:"event"`
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Command     string            `json:"command"`
	Matcher     string            `json:"matcher,omitempty"`
	If          string            `json:"if,omitempty"`
	Sequential  bool              `json:"sequential,omitempty"`
	TimeoutMS   int64             `json:"timeout_ms,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	OnError     string            `json:"on_error,omitempty"`
	Dialect     string            `json:"dialect,omitempty"`
	Handler
	Layer     Layer  `json:"layer,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Extension string `json:"extension,omitempty"`
	InProject bool   `json:"in_project,omitempty"`
	Within    string `json:"within,omitempty"`
	Disabled  string `json:"disabled,omitempty"`
	Untrusted string `json:"untrusted,omitempty"`
	Note      string `json:"note,omitempty"`
}

// wireStep is the JSON form of a Step.
type wireStep struct {
	Hook string `json:"hook"`
	What string `json:"what"`
}

// wireVerdict is the JSON form of a Verdict, with the decision as a word.
type wireVerdict struct {
	Decision      string   `json:"decision"`
	Reason        string   `json:"reason,omitempty"`
	SystemMessage string   `json:"system_message,omitempty"`
	Hooks         []string `json:"hooks,omitempty"`
}

// wireEffect is the JSON form of an Effect.
type wireEffect struct {
	Kind   string          `json:"kind"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// wireMessage is the JSON form of a Message.
type wireMessage struct {
	Hook       string `json:"hook"`
	Kind       string `json:"kind"`
	Text       string `json:"text"`
	Suppressed bool   `json:"suppressed,omitempty"`
}

// MarshalJSON writes r on one line. Secrets are masked if r comes from an engine with a
// [Engine.Mask]. Headers and URLs of hooks are written as [Handler.Shown] has them.
func (r Report) MarshalJSON() ([]byte, error) {
	w := wireReport{
		Seq: r.Seq, Event: r.Event, Subject: r.Subject, AgentID: r.Agent.ID, AgentType: r.Agent.Type, Started: r.Started,
		DurationMS: milliseconds(r.Duration),
		Sequential: r.Sequential, Late: r.Late, Input: r.Input.String(), Runs: []wireRun{},
		Verdict: wireVerdict{r.Verdict.Decision.String(), r.Verdict.Reason, r.Verdict.SystemMessage, r.Verdict.Hooks},
		Effect:  wireEffect{r.Effect.Kind, r.Effect.Before, r.Effect.After}, Warnings: r.Warnings,
	}
	for _, run := range r.Runs {
		w.Runs = append(w.Runs, run.wire())
	}
	for _, s := range r.Merge {
		w.Merge = append(w.Merge, wireStep(s))
	}
	for _, m := range r.Messages {
		w.Messages = append(w.Messages, wireMessage(m))
	}
	data, err := protocol.Encode(w)
	if err != nil || r.mask == nil {
		return data, err
	}
	return maskStrings(data, r.mask), nil
}

// wire converts a run. What a skipped or unfinished run does not have is left out.
func (r Run) wire() wireRun {
	w := wireRun{
		Hook: r.Hook.wire(), Skipped: r.Skipped, Matched: r.Matched, Status: "ran", Stdin: r.Stdin.String(),
		Warnings: r.Warnings,
	}
	for _, d := range r.Upstream {
		w.Upstream = append(w.Upstream, d.String())
	}
	switch {
	case r.Skipped != "":
		w.Status = "skipped"
		return w
	case r.Left:
		w.Status = "left"
		return w
	}
	x := r.Exit
	w.Started, w.DurationMS = &r.Started, milliseconds(x.Duration)
	w.Stdout, w.Stderr, w.StdoutCut, w.StderrCut = string(x.Stdout), string(x.Stderr), x.StdoutTruncated, x.StderrTruncated
	w.Signal, w.TimedOut, w.Failed, w.Decision = x.Signal, r.TimedOut, r.Failed, r.Decision.String()
	if x.Err != nil {
		w.Error = x.Err.Error()
	} else if x.Signal == "" {
		w.Exit = &x.Code
	}
	w.Reading = &wireReading{r.Reading.From, r.Reading.Output, r.Reading.Garbled}
	return w
}

// wire converts a hook, without the values of its headers.
func (h Hook) wire() wireHook {
	return wireHook{
		Event: h.Event, Name: h.Name, Description: h.Description, Command: h.Command, Matcher: h.Matcher, If: h.If,
		Sequential: h.Sequential, TimeoutMS: h.Timeout.Milliseconds(), Env: h.Env, OnError: h.OnError, Dialect: h.Dialect,
		Handler: h.Handler.Shown(), Within: h.Within.String(),
		Layer: h.Source.Layer, File: h.Source.File, Line: h.Source.Line, Extension: h.Source.Extension,
		InProject: h.Source.InProject,
		Disabled:  h.Disabled, Untrusted: h.Untrusted, Note: h.Note,
	}
}

// milliseconds returns d with microseconds as its fraction.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// UnmarshalJSON reads what MarshalJSON writes, for programs that read traces. Some things
// do not come back: [Exit.Err] is a plain error with the old text, an Upstream difference
// has only its text, a subagent has no File, a hook has no MayAllow, and masked text
// stays masked.
func (r *Report) UnmarshalJSON(data []byte) error {
	var w wireReport
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading hook report: %w", err)
	}
	*r = Report{
		Seq: w.Seq, Event: w.Event, Subject: w.Subject, Agent: Subagent{ID: w.AgentID, Type: w.AgentType}, Started: w.Started,
		Duration:   duration(w.DurationMS),
		Sequential: w.Sequential, Late: w.Late, Input: payloadOf(w.Input),
		Verdict: Verdict{decisionOf(w.Verdict.Decision), w.Verdict.Reason, w.Verdict.SystemMessage, w.Verdict.Hooks},
		Effect:  Effect{w.Effect.Kind, w.Effect.Before, w.Effect.After}, Warnings: w.Warnings,
	}
	for _, run := range w.Runs {
		r.Runs = append(r.Runs, run.run())
	}
	for _, s := range w.Merge {
		r.Merge = append(r.Merge, Step(s))
	}
	for _, m := range w.Messages {
		r.Messages = append(r.Messages, Message(m))
	}
	return nil
}

// run is the inverse of Run.wire.
func (w wireRun) run() Run {
	r := Run{
		Hook: w.Hook.hook(), Skipped: w.Skipped, Matched: w.Matched, Left: w.Status == "left", TimedOut: w.TimedOut,
		Failed: w.Failed, Decision: decisionOf(w.Decision), Warnings: w.Warnings, Stdin: payloadOf(w.Stdin),
		Exit: Exit{
			Signal: w.Signal, Stdout: bytesOf(w.Stdout), Stderr: bytesOf(w.Stderr),
			StdoutTruncated: w.StdoutCut, StderrTruncated: w.StderrCut, Duration: duration(w.DurationMS),
		},
	}
	for _, u := range w.Upstream {
		r.Upstream = append(r.Upstream, Difference{There: u})
	}
	if w.Started != nil {
		r.Started = *w.Started
	}
	if w.Exit != nil {
		r.Exit.Code = *w.Exit
	}
	if w.Error != "" {
		r.Exit.Err = errors.New(w.Error)
	}
	if g := w.Reading; g != nil {
		r.Reading = protocol.Reading{Output: g.Output, From: g.From, Garbled: g.Garbled, Failed: w.Failed}
	}
	return r
}

// hook is the inverse of Hook.wire, except for the values that it hides.
func (w wireHook) hook() Hook {
	return Hook{
		Event: w.Event, Name: w.Name, Description: w.Description, Command: w.Command, Matcher: w.Matcher, If: w.If,
		Sequential: w.Sequential, Timeout: time.Duration(w.TimeoutMS) * time.Millisecond, Env: w.Env, OnError: w.OnError,
		Dialect: w.Dialect, Handler: w.Handler, Within: partOf(w.Within),
		Source:   Source{Layer: w.Layer, File: w.File, Line: w.Line, Extension: w.Extension, InProject: w.InProject},
		Disabled: w.Disabled, Untrusted: w.Untrusted, Note: w.Note,
	}
}

// duration is the inverse of milliseconds.
func duration(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// payloadOf is the inverse of Payload.String.
func payloadOf(s string) Payload {
	if s == "" {
		return nil
	}
	return Payload{[]byte(s)}
}

// bytesOf returns s as bytes; nil for "", as a hook that printed nothing has.
func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// decisionOf is the inverse of Decision.String; unknown words mean Proceed.
func decisionOf(word string) Decision {
	for d := Proceed; d <= Stop; d++ {
		if d.String() == word {
			return d
		}
	}
	return Proceed
}
