package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	within "minigem/internal/text"
	"minigem/tools"
	"minigem/tools/workspace"
)

// exitPlanModeSchema names the plan by its file, as Gemini CLI does. The text of the
// plan is never an argument: what the user reads is what is in the file.
const exitPlanModeSchema = `{
  "type": "object",
  "properties": {
    "plan_filename": {"type": "string", "description": "The file of the plan, in the plans folder: 'add-search.md'."}
  },
  "required": ["plan_filename"]
}`

// maxPlan bounds the plan that a user is shown.
const maxPlan = 1 << 20

// ExitPlanMode returns the tool exit_plan_mode (core/tools/exit-plan-mode.ts). Unlike
// Gemini CLI's it wants the plan also in a session without a user, and then goes back to
// the mode before plan mode, not to yolo. The plan is a file in the folder of plans, of
// at most 1 MB, and not empty. A plan that the user rejected with words for the model is
// no error. Errors: [tools.ErrFileNotFound], [tools.ErrReadContent],
// [tools.ErrFileTooLarge], and [tools.ErrExecutionFailed] if Plans.Leave fails.
func ExitPlanMode(ws *workspace.Workspace, p Plans) tools.Tool {
	return tool("exit_plan_mode", exitPlanModeSchema, planInfo("Exit Plan Mode"), exitPlanModeCall{ws: ws, plans: p})
}

// exitPlanModeCall offers one plan, abs. Answered sets how, rejected and feedback;
// without a question they stay as they are, and the session goes back to the mode
// before.
type exitPlanModeCall struct {
	ws       *workspace.Workspace
	plans    Plans
	abs      string
	how      Leaving
	rejected bool
	feedback string

	Name string `json:"plan_filename"`
}

// Complete implements tools.Completer. It refuses a path outside the folder of plans, links
// followed; whether the plan can be read is for Check.
func (c *exitPlanModeCall) Complete(map[string]any) error {
	if err := required("plan_filename", c.Name); err != nil {
		return err
	}
	var err error
	c.abs, err = c.find(c.Name)
	return err
}

// find returns the plan that name means: in the folder of plans, or from the
// project's root, or absolute.
func (c *exitPlanModeCall) find(name string) (string, error) {
	dir := c.plans.Dir()
	outside := invalid("Access denied: plan path (%s) must be within the designated plans directory (%s).", name, dir)
	candidates := []string{filepath.Join(dir, name), filepath.Join(c.ws.Root(), name)}
	if m := planName.FindStringSubmatch(filepath.ToSlash(name)); m != nil {
		candidates = append([]string{filepath.Join(dir, m[1])}, candidates...)
	}
	if filepath.IsAbs(name) {
		candidates = []string{filepath.Clean(name)}
	}
	var first string
	for _, path := range candidates {
		if rel, ok := within.Below(dir, path); !ok || rel == "." {
			continue
		}
		real, err := c.ws.Real(path)
		if err != nil {
			continue
		}
		if base, err := c.ws.Real(dir); err == nil {
			if _, ok := within.Below(base, real); !ok {
				continue
			}
		}
		if _, err := c.ws.Stat(path); err == nil {
			return path, nil
		}
		if first == "" {
			first = path
		}
	}
	if first == "" {
		return "", outside
	}
	return first, nil
}

// read returns the plan. It is read again for each use, because it may change while the
// user is asked. Errors are [*tools.Error] and say what the model should do.
func (c *exitPlanModeCall) read() (string, error) {
	s, err := c.ws.Snapshot(c.abs, maxPlan)
	plan, _ := decodeText(s.Data)
	switch {
	case errors.Is(err, workspace.ErrTooLarge):
		return "", tools.Errorf(tools.ErrFileTooLarge, "The plan %s is larger than 1 MB: nobody reads that. Make it shorter.",
			c.Name)
	case errors.Is(err, workspace.ErrIsDirectory):
		return "", tools.Errorf(tools.ErrReadContent, "The plan %s is not a file.", c.Name)
	case err != nil:
		return "", fileError("Error reading the plan", c.abs, err, tools.ErrReadContent)
	case !s.Exists:
		return "", tools.Errorf(tools.ErrFileNotFound,
			"Plan file does not exist: %s. You must create the plan file before requesting approval.", c.Name)
	case strings.TrimSpace(plan) == "":
		return "", invalid("Plan file is empty: %s. Write the plan before requesting approval.", c.Name)
	}
	return plan, nil
}

// Intent implements tools.Invocation. A plan that cannot be read is shown as empty.
func (c *exitPlanModeCall) Intent() tools.Intent {
	in := tools.Intent{Description: "Requesting plan approval for: " + shortPath(c.ws.Rel(c.abs)),
		Title: "Plan Approval", Paths: []string{c.abs}}
	in.Plan = &tools.PlanIntent{Path: c.abs}
	in.Plan.Text, _ = c.read() // Check reports the error
	return in
}

// Check implements tools.Checkable: the user is not asked about a plan that is missing,
// empty or too large.
func (c *exitPlanModeCall) Check() error {
	_, err := c.read()
	return err
}

// Answered implements tools.Answerable. A yes for this call leaves plan mode with
// questions about edits, a lasting yes without them; a no runs only to tell the model the
// feedback.
func (c *exitPlanModeCall) Answered(allowed, always bool, feedback string) bool {
	switch {
	case allowed && always:
		c.how = LeaveEditing
	case allowed:
		c.how = LeaveAsking
	default:
		c.rejected, c.feedback = true, strings.TrimSpace(feedback)
		return c.feedback != ""
	}
	return true
}

// Run implements tools.Invocation. It tells the model the new mode, or what the user
// wants to have changed.
func (c *exitPlanModeCall) Run(ctx context.Context) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if c.rejected {
		return tools.TextResult(
			fmt.Sprintf("Plan rejected. User feedback: %s\n\nThe plan is in %s. Change it as the user said, then offer it "+
				"again.", c.feedback, c.abs),
			"Feedback: "+c.feedback), nil
	}
	plan, err := c.read()
	if err != nil {
		return tools.Result{}, err
	}
	mode, err := c.plans.Leave(tools.PlanIntent{Path: c.abs, Text: plan}, c.how)
	if err != nil {
		return tools.Result{}, tools.Errorf(tools.ErrExecutionFailed, "leaving plan mode: %w", err)
	}
	return tools.TextResult(
		fmt.Sprintf("Plan approved. The approval mode is %s now.\n\nThe approved plan is in %s. Read it again and follow "+
			"it, step by step.", mode, c.abs),
		"Plan approved: "+c.abs), nil
}
