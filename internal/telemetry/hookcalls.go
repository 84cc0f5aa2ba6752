package telemetry

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/otel/attribute"

	"minigem/hooks"
)

// left is the index, in a report, of a hook that was still running.
type left int

// Hook logs each run of a hook event. A hook that is still running is logged once it
// has ended.
func (t *Telemetry) Hook(r hooks.Report) {
	if t == nil {
		return
	}
	t.mu.Lock()
	var now []left
	if r.Late {
		now = t.left[r.Seq]
		delete(t.left, r.Seq)
	}
	for i, run := range r.Runs {
		switch {
		case r.Late || !run.Ran():
		case run.Left:
			t.left[r.Seq] = append(t.left[r.Seq], left(i))
		default:
			now = append(now, left(i))
		}
	}
	t.mu.Unlock()
	for _, i := range now {
		if int(i) < len(r.Runs) {
			t.hookCall(r, r.Runs[i])
		}
	}
}

func (t *Telemetry) hookCall(r hooks.Report, run hooks.Run) {
	took := run.Exit.Duration.Milliseconds()
	exited := run.Exit.Err == nil && run.Exit.Signal == ""
	success := exited && run.Exit.Code == 0 && !run.TimedOut
	how := "succeeded"
	if !success {
		how = "failed"
	}
	var code attribute.KeyValue
	if exited {
		code = attribute.Int("exit_code", run.Exit.Code)
	}
	name := t.o.Mask(run.Hook.ID())
	t.log("gemini_cli.hook_call", fmt.Sprintf("Hook call %s.%s %s in %dms", r.Event, name, how, took),
		"hook_event_name", string(r.Event), "hook_type", "command",
		"hook_name", name,
		"duration_ms", took, "success", success, code,
		t.payload("hook_input", indentedJSON(run.Stdin.Bytes())), t.answer(run.Exit.Stdout),
		t.payload("stdout", string(run.Exit.Stdout)), t.payload("stderr", string(run.Exit.Stderr)),
		optional("error", run.Failed))
	event := attribute.String("hook_event_name", string(r.Event))
	t.count(t.counts.hookCalls, 1, event, "hook_name", name, "success", success)
	t.measure(t.counts.hookLatency, took, event, "hook_name", name, "success", success)
}

// answer returns what a hook printed, if it is a JSON object.
func (t *Telemetry) answer(stdout []byte) attribute.KeyValue {
	if trimmed := bytes.TrimSpace(stdout); len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed) {
		return t.payload("hook_output", indentedJSON(trimmed))
	}
	return attribute.KeyValue{}
}

func indentedJSON(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(data), "", "  ") != nil {
		return string(data)
	}
	return b.String()
}
