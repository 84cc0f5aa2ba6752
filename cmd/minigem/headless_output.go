package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/output"
)

// A headlessOutput tells what happens in a run without a terminal, in one of
// three formats. What it is told before begin is about the start.
type headlessOutput interface {
	event.Sink
	begin(r *rig, prompt string)
	hook(hooks.Report)
	warn(text string)
	// fatal ends a run that never began; finish one that did. Both return the
	// error to exit with.
	fatal(err error) error
	finish(res agent.Result, err error) error
}

// newOutput makes the output that the flags ask for. broken hears that nobody
// reads standard output any more.
func newOutput(sys *system, f *flags, broken func(error)) headlessOutput {
	told := &stderrOutput{sys: sys}
	switch f.outputFormat {
	case "json":
		return &jsonOutput{stderrOutput: told, JSON: &output.JSON{Out: sys.Stdout, Err: sys.Stderr, Stats: &output.Stats{}}, session: f.sessionID}
	case "stream-json":
		return &streamOutput{stderrOutput: told, flags: f, StreamJSON: &output.StreamJSON{
			Out: sys.Stdout, Stats: &output.Stats{}, Now: sys.Now, Broken: broken}}
	}
	return &textOutput{stderrOutput: told, Text: &output.Text{Out: sys.Stdout, Err: sys.Stderr, Raw: f.rawOutput, Broken: broken}}
}

// stderrOutput is what all formats say on standard error.
type stderrOutput struct{ sys *system }

func (o *stderrOutput) warn(text string) {
	fmt.Fprintf(o.sys.Stderr, "[WARNING] %s\n", strings.TrimRight(text, "\n"))
}

// hook tells what hooks have to say to the user. Notes were told at the start.
func (o *stderrOutput) hook(r hooks.Report) {
	for _, m := range r.Messages {
		switch {
		case m.Suppressed || m.Kind == hooks.MessageNote:
		case m.Kind == hooks.MessageSystem:
			fmt.Fprintf(o.sys.Stderr, "Hook system message: %s [%s]\n", m.Text, m.Hook)
		default:
			o.warn(m.Text)
		}
	}
}

// textOutput streams the answer.
type textOutput struct {
	*stderrOutput
	*output.Text
}

func (o *textOutput) begin(*rig, string) {}

func (o *textOutput) fatal(err error) error { return err }

func (o *textOutput) finish(_ agent.Result, err error) error {
	o.Close()
	return err
}

// jsonOutput writes one document at the end.
type jsonOutput struct {
	*stderrOutput
	*output.JSON
	session string
}

func (o *jsonOutput) begin(r *rig, _ string) { o.session = r.session.ID() }

func (o *jsonOutput) fatal(err error) error { return o.finish(agent.Result{}, err) }

func (o *jsonOutput) finish(res agent.Result, err error) error {
	failure, code := failureOf(err)
	if werr := o.Finish(o.session, res.Response, failure); werr != nil {
		return silent(code) // nobody reads what could be said
	}
	if failure == nil {
		return nil
	}
	return silent(code)
}

// streamOutput writes an event a line.
type streamOutput struct {
	*stderrOutput
	*output.StreamJSON
	flags *flags
}

func (o *streamOutput) begin(r *rig, prompt string) { o.Begin(r.session.ID(), r.modelName, prompt) }

func (o *streamOutput) hook(r hooks.Report) {
	o.stderrOutput.hook(r)
	if o.flags.includeHookEvents {
		o.Hook(r)
	}
}

func (o *streamOutput) fatal(err error) error { return o.finish(agent.Result{}, err) }

func (o *streamOutput) finish(_ agent.Result, err error) error {
	failure, code := failureOf(err)
	o.Finish(failure)
	if failure == nil {
		return nil
	}
	o.stderrOutput.warn(failure.Message)
	return silent(code)
}

// failureOf is err as programs read it, and the exit code; nil and 0 for nil.
func failureOf(err error) (*output.Failure, int) {
	if err == nil {
		return nil, exitOK
	}
	code := exitGeneric
	var e *exitError
	if errors.As(err, &e) {
		code, err = e.code, cmp.Or(e.err, err)
	}
	return output.FailureOf(err, code), code
}
