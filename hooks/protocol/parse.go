package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Ran is a finished run, as far as it is needed to interpret it.
type Ran struct {
	// Code is the exit status. If Failed is set, it is the status of a run that exited
	// when it was told to end, or else -1 or 0.
	Code int
	// Failed says why the run did not exit by itself, such as a signal, a timeout or a
	// failed start; empty if it did.
	Failed string
	// Cut names the streams that were longer than what was kept; empty if none was.
	// [CutStreams] makes it.
	Cut string
	// Stdout and Stderr are raw bytes. UTF-16 and a byte order mark are accepted, with a
	// warning for UTF-16.
	Stdout []byte
	// Stderr is read as an answer if Stdout is empty; otherwise it serves as a reason.
	Stderr []byte
	// Tool is our name of the tool that the event is about. Tool events only.
	Tool string
	// Tools names the tools that the model is offered. BeforeToolSelection only.
	Tools []string
	// Input is what the hook read, in Gemini CLI's form; may be nil. It is used at
	// BeforeTool and PermissionRequest, to translate arguments back.
	Input []byte
	// Read returns what the hook read, exactly. Fields that the hook merely echoes are
	// not warned about. It is called only if something is ignored; nil means unknown.
	Read func() []byte
}

// Reading is what a hook's output and exit were taken to mean.
type Reading struct {
	// Output is the answer; zero if the hook said nothing that counts.
	Output Output
	// From says what was obeyed: "stdout", "stderr", "exit 2", "text" (plain text on
	// stdout) or "" (nothing).
	From string
	// Warnings name every field that was ignored, and why. There are at most 21: the last
	// may say that there are more.
	Warnings []string
	// Failed says why the run counts as failed; empty if it does not. A failed run may
	// still deny, stop or ask.
	Failed string
	// Garbled says that the output, or the part of it that decides, could not be taken as
	// an answer. With onError "block" that blocks.
	Garbled bool
}

// maxWarnings bounds the warnings of one reading.
const maxWarnings = 20

// Parse is [Dialect.Parse] of Gemini CLI's dialect.
func Parse(event Event, ran Ran) Reading { return gemini.Parse(event, ran) }

// Parse interprets a finished run. It never fails: what cannot be understood is ignored
// with a warning. The rules are:
//
//	exit 0   a JSON object on stdout is obeyed, or on stderr if stdout is empty;
//	         other output is text for the user or the model, but what denies,
//	         stops or asks in it still does: an object among it, on stderr too,
//	         and an object that is not valid JSON
//	exit 2   blocks, whatever was printed, also after the signal of a timeout
//	other    the run failed; a JSON object counts if it denies, stops or asks
//
// A run whose streams were cut has failed and blocks at every event that can be blocked,
// because its decision may be in the missing part. A denial without a reason gets the
// best text there is: at exit 2 stderr or stdout, else a stop reason or a system message.
func (d *Dialect) Parse(event Event, ran Ran) Reading {
	r := &reader{event: event, dialect: d, tool: ran.Tool, input: ran.Input, read: ran.Read}
	blocks := slices.Contains(d.Blocks, ran.Code)
	failed := !blocks && (ran.Failed != "" || ran.Code != 0 || ran.Cut != "")
	stdout, stderr := r.clean("stdout", ran.Stdout), r.clean("stderr", ran.Stderr)
	from := r.readStreams(stdout, stderr)
	if from == "" {
		held := r.holdAmongNoise(stdout, stderr)
		if stdout != "" && !failed && !blocks {
			from = r.text(stdout, ran.Tools)
		} else if stdout != "" && held == "" {
			r.explainNoise(stdout)
		}
		if held != "" {
			from = held
		}
	}
	if blocks && event.CanBlock() {
		r.block(stdout, stderr)
	}
	r.settle()
	reading := Reading{From: from, Failed: r.failed}
	switch {
	case blocks && event.CanBlock():
		reading.From = fmt.Sprintf("exit %d", ran.Code)
		if ran.Failed != "" {
			r.values.warn("it %s, and exited with %d when it was told to end: that blocks too", ran.Failed, ran.Code)
			reading.Failed = ran.Failed
		}
	case blocks && ran.Failed == "":
		r.values.warn("exit %d cannot block %s", ran.Code, event)
		reading.Failed = cause(fmt.Sprintf("exit status %d", ran.Code), stderr)
	case failed, blocks:
		r.keepDecision()
		reading.Failed = failure(ran, stderr)
	}
	if ran.Cut != "" {
		r.cut(ran.Cut)
	}
	for _, w := range r.foreign {
		if r.out.Decision != Deny { // else those fields tell other agents the same
			r.values.warn("%s", w)
		}
	}
	reading.Output, reading.Warnings, reading.Garbled = r.out, r.values.warnings, r.garbled
	return reading
}

// readStreams obeys the JSON object on stdout, or on stderr if stdout is empty, and
// returns which stream it was.
func (r *reader) readStreams(stdout, stderr string) (from string) {
	if fields, ok := object(stdout); ok {
		r.fields(fields)
		return "stdout"
	}
	if stdout != "" {
		return ""
	}
	if fields, ok := object(stderr); ok {
		r.fields(fields)
		return "stderr"
	}
	return ""
}

// text handles stdout that is not a JSON object.
func (r *reader) text(stdout string, tools []string) (from string) {
	if names := listed(stdout, tools); names != nil && r.event == BeforeToolSelection {
		r.out.ToolConfig = &ToolConfig{Mode: "ANY", AllowedFunctionNames: names}
		return "text"
	}
	if r.out.Decision == "" && !r.out.Stop {
		r.explainNoise(stdout)
	}
	if slices.Contains(r.dialect.TextIsContext, r.event) {
		r.out.AdditionalContext = stdout
	} else {
		r.out.SystemMessage = stdout
	}
	return "text"
}

// listed splits a plain list of names; nil unless every one is among tools.
func listed(text string, tools []string) []string {
	var names []string
	for n := range strings.SplitSeq(text, ",") {
		n = strings.TrimSpace(n)
		if !slices.Contains(tools, n) {
			return nil
		}
		names = append(names, n)
	}
	return names
}

// block turns the answer into a denial. Without a reason in it, stderr is the reason, else
// stdout; else settle finds one.
func (r *reader) block(stdout, stderr string) {
	if r.out.Decision == Allow || r.out.Decision == Ask {
		r.values.warn("exit 2 blocks, although decision says %q", r.out.Decision)
		r.out.Reason = ""
	}
	r.out.Decision = Deny
	if r.out.Reason != "" {
		return
	}
	if fields, ok := object(stderr); ok {
		other := &reader{event: r.event, dialect: r.dialect}
		other.fields(fields)
		stderr = other.out.Reason
	}
	if _, ok := object(stdout); ok {
		stdout = ""
	}
	r.out.Reason = cmp.Or(stderr, stdout)
}

// settle completes an answer once every field has been read.
func (r *reader) settle() {
	o := &r.out
	if o.Decision == Deny && o.Reason == "" {
		o.Reason = o.StopReason
		if o.Reason == "" {
			o.Reason = o.SystemMessage
		}
	}
	if o.Stop && o.StopReason == "" {
		o.StopReason = o.Reason
		if o.StopReason == "" {
			o.StopReason = o.SystemMessage
		}
	}
	if o.StopReason != "" && !o.Stop {
		o.StopReason = ""
		if o.Decision != Deny && !r.stopped {
			r.values.warn("stopReason has no effect without \"continue\": false")
		}
	}
}

// CutStreams returns the names of the streams that were cut, for [Ran.Cut].
func CutStreams(stdout, stderr bool) string {
	switch {
	case stdout && stderr:
		return "stdout and stderr"
	case stdout:
		return "stdout"
	case stderr:
		return "stderr"
	}
	return ""
}

// cut warns about the streams that were cut, and blocks.
func (r *reader) cut(streams string) {
	r.values.warn("%s was longer than what is kept, and was cut", streams)
	if r.event.CanBlock() && !r.out.Stop && r.out.Decision != Deny {
		r.out.Decision, r.out.Reason = Deny,
			fmt.Sprintf("The hook printed too much: its %s was cut, and what it decided may be missing. Print one JSON "+
				"object and nothing else.", streams)
	}
}

// keepDecision reduces a failed run's answer to what denies, stops or asks, and the
// message for the user.
func (r *reader) keepDecision() {
	o := r.out
	kept := Output{Stop: o.Stop, StopReason: o.StopReason, SystemMessage: o.SystemMessage,
		SuppressOutput: o.SuppressOutput}
	if o.Decision == Deny || o.Decision == Ask {
		kept.Decision, kept.Reason = o.Decision, o.Reason
	}
	if o.AdditionalContext != "" || o.UpdatedOutput != nil || o.ToolInput != nil || o.LLMRequest != nil ||
		o.LLMResponse != nil ||
		o.ToolConfig != nil || o.ClearContext || o.TailToolCall != nil {
		r.values.warn("the hook failed, so only its decision is obeyed, and not what it wanted to change")
	}
	r.out = kept
}

// failure says why a run failed: its cause, or its exit status, or that a stream was cut.
func failure(ran Ran, stderr string) string {
	if ran.Failed != "" {
		return cause(ran.Failed, stderr)
	}
	if ran.Code == 0 {
		return ran.Cut + " was cut: the hook printed too much"
	}
	what := fmt.Sprintf("exit status %d", ran.Code)
	switch ran.Code {
	case 126:
		what += " (not executable)"
	case 127:
		what += " (command not found)"
	}
	return cause(what, stderr)
}

// cause appends the first line of stderr to what.
func cause(what, stderr string) string {
	line, _, _ := strings.Cut(stderr, "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		return what
	}
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "..."
	}
	return what + ": " + line
}
