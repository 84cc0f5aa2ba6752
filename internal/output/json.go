package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/internal/text"
	"minigem/llm"
)

// Failure is the error of a run in the form for programs.
type Failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Code    int    `json:"code,omitempty"` // the exit code
}

// FailureOf converts err for programs. It returns nil for nil.
func FailureOf(err error, code int) *Failure {
	if err == nil {
		return nil
	}
	name := errorName(err)
	if name == unknownError {
		name = cmp.Or(failureNames[code], name)
	}
	return &Failure{Type: name, Message: err.Error(), Code: code}
}

// failureNames are Gemini CLI's types for errors with a separate exit code
// (cli/utils/errors.ts).
var failureNames = map[int]string{
	41:  "Error", // (cli/validateNonInterActiveAuth.ts)
	42:  "FatalInputError",
	52:  "FatalConfigError",
	53:  "FatalTurnLimitedError",
	54:  "FatalToolExecutionError",
	55:  "FatalUntrustedWorkspaceError",
	130: "FatalCancellationError",
}

const unknownError = "unknown"

// errorName returns the name of an error's kind, if it is an invalid stream or a failed
// model call.
func errorName(err error) string {
	var stream *agent.StreamError
	if errors.As(err, &stream) {
		return string(stream.Kind)
	}
	var e *llm.Error
	if errors.As(err, &e) {
		return string(e.Kind)
	}
	return unknownError
}

// JSON writes one document at the end (core/output/types.ts): the answer to Out, or the
// error to Err. It is an [event.Sink].
type JSON struct {
	Out, Err io.Writer
	Stats    *Stats

	warnings []string
}

type jsonResult struct {
	SessionID string   `json:"session_id"`
	Response  *string  `json:"response,omitempty"`
	Finish    string   `json:"finish_reason,omitempty"` // set if the answer is incomplete
	Stats     *Counts  `json:"stats,omitempty"`
	Error     *Failure `json:"error,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// Emit implements event.Sink.
func (j *JSON) Emit(e event.Event) {
	j.Stats.Emit(e)
	switch e := e.(type) {
	case event.Stopped:
		j.Warn("Agent execution stopped: " + e.Reason)
	case event.Blocked:
		j.Warn("Agent execution blocked: " + e.Reason)
	case event.LoopDetected:
		j.Warn("Loop detected: " + e.Detail)
	case event.Notice:
		j.Warn(e.Text)
	case event.Waiting:
		fmt.Fprintf(j.Err, "[WARNING] %s (attempt %d of %d); trying again%s\n", e.Reason, e.Attempt, e.Max, in(e.Delay))
	}
}

// Warn adds a warning to the document.
func (j *JSON) Warn(text string) { j.warnings = append(j.warnings, text) }

// Answer is the result of a run.
type Answer struct {
	Session    string // session id
	Text       string
	Unfinished string // the finish reason if the text is incomplete
}

// Finish writes the document. If failure is nil, it writes a to Out. Otherwise it
// writes the failure to Err and nothing to Out, as Gemini CLI does.
func (j *JSON) Finish(a Answer, failure *Failure) error {
	r := jsonResult{SessionID: a.Session, Warnings: j.warnings, Error: failure, Finish: a.Unfinished}
	out := j.Err
	if failure == nil {
		counts := j.Stats.Snapshot()
		r.Response, r.Stats, out = &a.Text, &counts, j.Out
	}
	data, err := marshalPlain(r, "  ")
	if err != nil {
		return err
	}
	if failure != nil {
		data = append(data, '\n')
	}
	_, err = out.Write(data)
	return err
}

// marshalPlain marshals without HTML escapes and without a final newline.
func marshalPlain(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return text.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
