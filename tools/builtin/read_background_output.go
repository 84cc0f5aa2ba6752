package builtin

import (
	"context"
	"strings"
	"time"

	"minigem/tools"
)

// backgroundKept is how many bytes of a background process's output are kept,
// from its end.
const backgroundKept = 64 << 10

// readBackgroundSchema has the arguments of Gemini CLI's read_background_output.
const readBackgroundSchema = `{
  "type": "object",
  "properties": {
    "pid": {"type": "integer",
      "description": "The process, as run_shell_command or list_background_processes named it."},
    "lines": {"type": "integer", "minimum": 1, "description": "How many of the last lines to read; 100 if not given."},
    "delay_ms": {"type": "integer", "minimum": 0, "description": "Wait this many milliseconds before reading."},
    "wait_for_previous": {"type": "boolean", "description": "Run only after the calls before this one have ended."}
  },
  "required": ["pid"]
}`

// ReadBackgroundOutput returns the tool read_background_output
// (core/tools/shellBackgroundTools.ts). It returns the last lines, 100 by default, of the
// 64 KiB that are kept of a background process of ps. A process that ps does not have is
// [tools.ErrExecutionFailed].
func ReadBackgroundOutput(ps *Processes) tools.Tool {
	return tool("read_background_output", readBackgroundSchema, backgroundInfo("Read Background Output"),
		readBackgroundCall{processes: ps, Lines: 100})
}

// readBackgroundCall reads the last Lines lines after Delay milliseconds.
type readBackgroundCall struct {
	processes *Processes

	PID   int `json:"pid"`
	Lines int `json:"lines"`
	Delay int `json:"delay_ms"`
}

// Intent implements tools.Invocation. It has no paths: the output is in memory.
func (c *readBackgroundCall) Intent() tools.Intent {
	return tools.Intent{Description: "Reads the output of a background process."}
}

// Run implements tools.Invocation. It waits for delay_ms or the end of the process,
// whichever comes first. The output is marked as untrusted for the model.
func (c *readBackgroundCall) Run(ctx context.Context) (tools.Result, error) {
	b := c.processes.find(c.PID)
	if b == nil {
		e := tools.Errorf(tools.ErrExecutionFailed, "PID %d is not a background process of this session.", c.PID)
		e.Display = "Access denied."
		return tools.Result{}, e
	}
	select {
	case <-time.After(time.Duration(c.Delay) * time.Millisecond):
	case <-b.Done():
	case <-ctx.Done():
		return tools.Result{}, context.Cause(ctx)
	}
	lines := strings.Split(cleanOutput(b.Result().Stdout.Tail), "\n")
	text := strings.Join(lines[max(0, len(lines)-c.Lines):], "\n")
	if text == "" {
		return tools.TextResult("No output so far.", "No output so far."), nil
	}
	return tools.TextResult(untrusted(text), text), nil
}
