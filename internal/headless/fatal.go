package headless

import (
	"context"
	"fmt"

	"minigem/agent/event"
	"minigem/tools"
)

// fatalToolError ends a run because of how a tool call ended.
type fatalToolError struct{ tool, text string }

func (e *fatalToolError) Error() string {
	return fmt.Sprintf("%s failed for good: %s: make room on the disk, then go on with --resume", e.tool, e.text)
}

// endOnFatalTool passes events on to sink, and ends the run when a tool finds the disk full: everything else would
// fail the same way, and no user is there to help (core/tools/tool-registry.ts).
func endOnFatalTool(sink event.Sink, cancel context.CancelCauseFunc) event.Sink {
	return event.SinkFunc(func(e event.Event) {
		sink.Emit(e)
		f, ok := e.(event.ToolFinished)
		if ok && f.Record.ErrorType == string(tools.ErrNoSpace) {
			cancel(&fatalToolError{f.Record.Call.Name, f.Record.ErrorMessage})
		}
	})
}
