package headless

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/output"
	"minigem/internal/text"
	"minigem/internal/wiring"
)

// Output writes what happens in a run without a terminal, in one of three formats.
// Calls before Start are about the start.
type Output interface {
	event.Sink
	Start(r *wiring.Runtime, prompt string)
	Report(hooks.Report)
	Notice(text string)
	// Refuse ends a run that never began, and End one that did. Both return the error
	// to exit with.
	Refuse(err error) error
	End(res agent.Result, err error) error
}

// New makes the output for the flags. broken is called when standard output is no
// longer being read.
func New(sys *app.System, f *app.Options, broken func(error)) Output {
	stderr := &stderrOutput{sys: sys}
	switch f.OutputFormat {
	case "json":
		return &jsonOutput{stderrOutput: stderr, JSON: &output.JSON{Out: sys.Stdout, Err: sys.Stderr, Stats: &output.Stats{}},
			session: f.SessionID}
	case "stream-json":
		return &streamOutput{stderrOutput: stderr, flags: f, StreamJSON: &output.StreamJSON{
			Out: sys.Stdout, Stats: &output.Stats{}, Now: sys.Now, Broken: broken}}
	}
	out := sys.Stdout
	if f.RawOutput {
		out = text.Raw(out)
	}
	return &textOutput{stderrOutput: stderr, Text: &output.Text{Out: out, Err: sys.Stderr, Raw: f.RawOutput,
		Whole: !sys.StdoutTTY, Broken: broken}}
}

// stderrOutput writes what all formats write to standard error.
type stderrOutput struct{ sys *app.System }

func (o *stderrOutput) Notice(text string) {
	fmt.Fprintf(o.sys.Stderr, "[WARNING] %s\n", strings.TrimRight(text, "\n"))
}

// Report prints the messages of hooks to the user. Notes were printed at the start.
func (o *stderrOutput) Report(r hooks.Report) {
	for _, m := range r.Messages {
		switch {
		case m.Suppressed || m.Kind == hooks.MessageNote:
		case m.Kind == hooks.MessageSystem:
			fmt.Fprintf(o.sys.Stderr, "Hook system message: %s [%s]\n", m.Text, m.Hook)
		default:
			o.Notice(m.Text)
		}
	}
}

// warnUnfinished tells people what the format tells programs.
func (o *stderrOutput) warnUnfinished(res agent.Result) {
	if res.Unfinished != "" {
		o.Notice(agent.Unfinished(res.Unfinished))
	}
}

// textOutput writes the answer: for a person as it arrives, for a program each round
// once it counts.
type textOutput struct {
	*stderrOutput
	*output.Text
}

func (o *textOutput) Start(*wiring.Runtime, string) {}

func (o *textOutput) Refuse(err error) error { return err }

func (o *textOutput) End(_ agent.Result, err error) error {
	o.Close()
	return err
}

// jsonOutput writes one document at the end.
type jsonOutput struct {
	*stderrOutput
	*output.JSON
	session string
}

func (o *jsonOutput) Start(r *wiring.Runtime, _ string) { o.session = r.Session.ID() }

// Refuse gives a run that never began a session id that no session has, because
// programs expect one in each error.
func (o *jsonOutput) Refuse(err error) error {
	o.session = cmp.Or(o.session, uuid.NewString())
	return o.End(agent.Result{}, err)
}

func (o *jsonOutput) End(res agent.Result, err error) error {
	failure, code := FailureOf(err)
	answer := output.Answer{Session: o.session, Text: res.Response, Unfinished: res.Unfinished}
	if werr := o.Finish(answer, failure); werr != nil {
		return exit.Silent(code) // it would not be read
	}
	if failure == nil {
		o.warnUnfinished(res)
		return nil
	}
	return exit.Silent(code)
}

// streamOutput writes one event per line.
type streamOutput struct {
	*stderrOutput
	*output.StreamJSON
	flags *app.Options
}

func (o *streamOutput) Start(r *wiring.Runtime, prompt string) {
	o.Begin(r.Session.ID(), r.Models.Name, prompt)
}

func (o *streamOutput) Report(r hooks.Report) {
	o.stderrOutput.Report(r)
	if o.flags.IncludeHookEvents {
		o.Hook(r)
	}
}

func (o *streamOutput) Refuse(err error) error { return o.End(agent.Result{}, err) }

func (o *streamOutput) End(res agent.Result, err error) error {
	failure, code := FailureOf(err)
	o.Finish(res.Unfinished, failure)
	if failure == nil {
		o.warnUnfinished(res)
		return nil
	}
	o.stderrOutput.Notice(failure.Message)
	return exit.Silent(code)
}

// FailureOf returns err in the form for programs, and its exit code. For nil it returns
// nil and 0.
func FailureOf(err error) (*output.Failure, int) {
	if err == nil {
		return nil, exit.OK
	}
	code := exit.Failed
	var e *exit.Error
	if errors.As(err, &e) {
		code, err = e.Code, cmp.Or(e.Err, err)
	}
	return output.FailureOf(err, code), code
}
