package builtin

import (
	"context"
	_ "embed"
	"strings"

	"minigem/tools"
)

//go:embed list_background_processes.md
var listBackgroundDescription string

var listBackgroundSchema = tools.MustSchema(`{
  "type": "object",
  "properties": {
    "wait_for_previous": {"type": "boolean", "description": "Run only after the calls before this one have ended."}
  }
}`)

type listBackground struct {
	declared
	processes *Processes
}

// ListBackgroundProcesses returns the tool list_background_processes
// (core/tools/shellBackgroundTools.ts). It lists what run_shell_command started in the
// background with the same ps, with the exit codes of processes that ended.
func ListBackgroundProcesses(ps *Processes) tools.Tool {
	info := backgroundInfo
	info.DisplayName = "List Background Processes"
	return &listBackground{declared{"list_background_processes", listBackgroundDescription, listBackgroundSchema, info},
		ps}
}

// Prepare implements tools.Tool.
func (t *listBackground) Prepare(args map[string]any) (tools.Invocation, error) {
	if err := t.schema.Check(args); err != nil {
		return nil, err
	}
	return (*listBackgroundCall)(t), nil
}

type listBackgroundCall listBackground

// Intent implements tools.Invocation.
func (c *listBackgroundCall) Intent() tools.Intent {
	return tools.Intent{Description: "Lists the background processes of this session."}
}

// Run implements tools.Invocation.
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
