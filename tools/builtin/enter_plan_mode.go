package builtin

import (
	"context"

	"minigem/tools"
)

// enterPlanModeSchema has a reason, which may be left out and which only people read.
const enterPlanModeSchema = `{
  "type": "object",
  "properties": {
    "reason": {"type": "string", "description": "Why a plan comes first, in a few words."}
  }
}`

// EnterPlanMode returns the tool enter_plan_mode (core/tools/enter-plan-mode.ts). An
// error of Plans.Enter is [tools.ErrExecutionFailed].
func EnterPlanMode(p Plans) tools.Tool {
	return tool("enter_plan_mode", enterPlanModeSchema, planInfo("Enter Plan Mode"), enterPlanModeCall{plans: p})
}

// enterPlanModeCall changes the mode of the session. Reason may be empty.
type enterPlanModeCall struct {
	plans Plans

	Reason string `json:"reason"`
}

// Intent implements tools.Invocation. The question tells the user that nothing else
// will be changed until the plan is approved.
func (c *enterPlanModeCall) Intent() tools.Intent {
	in := tools.Intent{Description: "Initiating Plan Mode", Title: "Enter Plan Mode"}
	if c.Reason != "" {
		in.Description = c.Reason
	}
	in.Info = &tools.InfoIntent{
		Prompt: "The model wants to make a plan first, and to change nothing else until you agree to it."}
	if c.Reason != "" {
		in.Info.Prompt += "\n\n" + c.Reason
	}
	return in
}

// Run implements tools.Invocation. It returns once the mode has changed.
func (c *enterPlanModeCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err := c.plans.Enter(); err != nil {
		return tools.Result{}, tools.Errorf(tools.ErrExecutionFailed, "entering plan mode: %w", err)
	}
	show := "Switching to Plan mode"
	if c.Reason != "" {
		show += ": " + c.Reason
	}
	return tools.TextResult("Switching to Plan mode.", show), nil
}
