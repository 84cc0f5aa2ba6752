package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"minigem/internal/text"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
)

// planning holds what plan mode has to remember.
type planning struct {
	mu       sync.Mutex
	before   policy.Mode      // the mode before plan mode; empty if the session began in plan mode
	approved tools.PlanIntent // the last plan that was approved
}

// plansDir returns the folder for a session's plans: general.plan.directory, which must
// be in the project, or a folder of the session. reason says why the setting is
// ignored.
func (r *Runtime) plansDir(session string) (dir, reason string) {
	own := filepath.Join(r.Project.Temp, session, "plans")
	custom := r.Config.Settings.General.Plan.Directory
	if custom == "" {
		return own, ""
	}
	root := r.Config.ProjectDir
	dir = custom
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	if rel, ok := text.Below(root, filepath.Clean(dir)); !ok || rel == "." {
		return own, fmt.Sprintf("general.plan.directory is %q, which is not a folder in %s: plans go to %s", custom, root,
			own)
	}
	if _, err := r.Workspace.Real(dir); err != nil {
		return own, fmt.Sprintf("general.plan.directory is %q, which leads out of the project: plans go to %s", custom, own)
	}
	return filepath.Clean(dir), ""
}

// inPlans reports whether path, with links followed, is in the plans folder.
func (r *Runtime) inPlans(path string) bool {
	dir, _ := r.plansDir(r.Session.ID())
	base, err := r.Workspace.Real(dir)
	if err != nil {
		return false
	}
	real, err := r.Workspace.Real(path)
	if err != nil {
		return false
	}
	_, ok := text.Below(base, real)
	return ok
}

// plans returns what the plan mode tools need.
func (r *Runtime) plans(warn func(string)) builtin.Plans {
	if !r.Config.Settings.General.Plan.Enabled {
		return builtin.Plans{}
	}
	if _, reason := r.plansDir(r.Session.ID()); reason != "" {
		warn(r.Config.ShortenIn(reason))
	}
	return builtin.Plans{
		Dir:    func() string { dir, _ := r.plansDir(r.Session.ID()); return dir },
		Active: func() bool { return r.Policy != nil && r.Policy.Mode() == policy.ModePlan },
		Enter:  r.enterPlanMode,
		Leave:  r.leavePlanMode,
	}
}

func (r *Runtime) enterPlanMode() error {
	dir, _ := r.plansDir(r.Session.ID())
	if err := r.Workspace.MkdirAll(dir); err != nil {
		return fmt.Errorf("making the folder for plans: %w", err)
	}
	return r.ChangeMode("plan")
}

// leavePlanMode records the plan as approved and returns the new mode's name. If the
// user was not asked, that is the mode before plan mode, so that a model never gains
// permissions by planning.
func (r *Runtime) leavePlanMode(plan tools.PlanIntent, how builtin.Leaving) (string, error) {
	r.planning.mu.Lock()
	mode := r.planning.before
	r.planning.approved = plan
	r.planning.mu.Unlock()
	switch how {
	case builtin.LeaveAsking:
		mode = policy.ModeDefault
	case builtin.LeaveEditing:
		mode = policy.ModeAutoEdit
	}
	if r.ChangeMode(mode.Flag()) != nil { // a folder that is not trusted has fewer
		if err := r.ChangeMode("default"); err != nil {
			return "", err
		}
	}
	return r.Policy.Mode().Flag(), nil
}

// ApprovedPlan returns the last plan approved in this session. Its path is empty if
// there is none.
func (r *Runtime) ApprovedPlan() tools.PlanIntent {
	r.planning.mu.Lock()
	defer r.planning.mu.Unlock()
	return r.planning.approved
}

// changed remembers the mode that plan mode replaces.
func (p *planning) changed(from, to policy.Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to == policy.ModePlan && from != policy.ModePlan {
		p.before = from
	}
}

var errNoPlans = errors.New("plan mode is turned off by general.plan.enabled in the settings")
