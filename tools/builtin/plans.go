package builtin

import (
	"maps"
	"path/filepath"
	"regexp"

	"minigem/llm"
	"minigem/tools"
)

// Plans is plan mode, as its tools use it. Its functions are called concurrently. If Dir
// is set, the others are required.
type Plans struct {
	// Dir returns the absolute folder where plans are written; nil means that there is
	// no plan mode. The folder need not exist before Enter.
	Dir func() string
	// Active reports whether the session is in plan mode.
	Active func() bool
	// Enter makes the folder for plans and changes the mode.
	Enter func() error
	// Leave ends plan mode for the plan, in the way that the user chose. It returns the
	// mode that follows.
	Leave func(plan tools.PlanIntent, how Leaving) (mode string, err error)
}

// Leaving is what follows plan mode.
type Leaving int

// The ways to leave it.
const (
	// the mode before it, in a session without a user
	LeaveAsBefore Leaving = iota
	// edits are asked about
	LeaveAsking
	// edits are not asked about
	LeaveEditing
)

// planInfo is what the two tools of plan mode share.
func planInfo(name string) tools.Info {
	return tools.Info{DisplayName: name, Kind: tools.KindPlan, Markdown: true, Sequential: true}
}

// planName is how a model names a plan, whatever folder it thinks of
// (core/utils/planUtils.ts).
var planName = regexp.MustCompile(`^(?:\./)?(?:(?:\.gemini/tmp/(?:[^/]+/)+)?plans/)?([\w-]+\.md)$`)

// planned is a tool that writes files: in plan mode it writes plans.
type planned struct {
	tools.Tool
	plans Plans
}

// forPlans makes bare names of Markdown files lead to the plans in plan mode.
func forPlans(t tools.Tool, p Plans) tools.Tool {
	if p.Dir == nil {
		return t
	}
	return planned{t, p}
}

// Spec implements tools.Tool. In plan mode the description begins with the folder in
// which the model may write.
func (t planned) Spec() llm.ToolSpec {
	s := t.Tool.Spec()
	if t.plans.Active() {
		s.Description = "In plan mode this is for plans alone: Markdown files in " + t.plans.Dir() + ".\n\n" + s.Description
	}
	return s
}

// Prepare implements tools.Tool. The arguments of the caller are not changed. Other
// paths stay as they are.
func (t planned) Prepare(args map[string]any) (tools.Invocation, error) {
	if path, ok := args["file_path"].(string); ok && t.plans.Active() {
		if m := planName.FindStringSubmatch(filepath.ToSlash(path)); m != nil {
			args = maps.Clone(args)
			args["file_path"] = filepath.Join(t.plans.Dir(), m[1])
		}
	}
	return t.Tool.Prepare(args)
}
