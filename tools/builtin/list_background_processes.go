package builtin

import (
	"context"
	"strings"

	"minigem/tools"
)

// listBackgroundSchema has no argument that changes the result. wait_for_previous is
// for tools/toolcall, which schedules calls.
const listBackgroundSchema = `{
  "type": "object",
  "properties": {
    "wait_for_previous": {"type": "boolean", "description": "Run only after the calls before this one have ended."}
  }
}`

// ListBackgroundProcesses returns the tool list_background_processes
// (core/tools/shellBackgroundTools.ts). It lists what run_shell_command started in the
// background with the same ps, with the exit codes of processes that ended.
func ListBackgroundProcesses(ps *Processes) tools.Tool {
	return tool("list_background_processes", listBackgroundSchema, backgroundInfo("List Background Processes"),
		listBackgroundCall{ps})
}

// listBackgroundCall is a call, which has no arguments.
type listBackgroundCall struct{ processes *Processes }

// Intent implements tools.Invocation. It is the same for every call.
func (c *listBackgroundCall) Intent() tools.Intent {
	return tools.Intent{Description: "Lists the background processes of this session."}
}

// Run implements tools.Invocation. There is one line for each process, oldest first,
// with its command and how it ended.
func (c *listBackgroundCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	var lines []string
	for _, b := range c.processes.list() {
		lines = append(lines, b.String())
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		text = "No background processes found."
	}
	return tools.TextResult(text, text), nil
}
