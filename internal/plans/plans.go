// Package plans implements the approval modes of a session, and plan mode in particular:
// the folder of its plans, the approved plan, and the mode that follows. What a mode
// allows is decided elsewhere.
package plans

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"minigem/internal/place"
	"minigem/internal/text"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

// Planning changes the approval mode of a session and holds the state of plan mode.
type Planning struct {
	place.Place
	Temp      string        // the project's folder for session data
	Custom    func() string // general.plan.directory
	Workspace *workspace.Workspace
	Session   func() string           // returns the session's id
	Policy    *policy.Engine          // has the mode; nil until there is one
	Refused   func(policy.Mode) error // says why a session cannot have a mode

	mu       sync.Mutex
	before   policy.Mode      // the mode before plan mode; empty if the session began in plan mode
	approved tools.PlanIntent // the last plan that was approved
}

// Dir returns the folder of a session's plans: general.plan.directory if it is set and in
// the project, else a folder in the session's data. The reason says why the setting is
// ignored.
func (p *Planning) Dir(session string) (dir, reason string) {
	own := filepath.Join(p.Temp, session, "plans")
	custom := p.Custom()
	if custom == "" {
		return own, ""
	}
	root := p.ProjectDir
	dir = custom
	dir = text.Abs(root, dir)
	if rel, ok := text.Below(root, filepath.Clean(dir)); !ok || rel == "." {
		return own, fmt.Sprintf("general.plan.directory is %q, which is not a folder in %s: plans go to %s", custom, root,
			own)
	}
	if _, err := p.Workspace.Real(dir); err != nil {
		return own, fmt.Sprintf("general.plan.directory is %q, which leads out of the project: plans go to %s", custom, own)
	}
	return filepath.Clean(dir), ""
}

// Has reports whether path, with links followed, is in the folder of plans.
func (p *Planning) Has(path string) bool {
	dir, _ := p.Dir(p.Session())
	base, err := p.Workspace.Real(dir)
	if err != nil {
		return false
	}
	real, err := p.Workspace.Real(path)
	if err != nil {
		return false
	}
	_, ok := text.Below(base, real)
	return ok
}

// Tools returns what the tools of plan mode need. It calls warn if the setting for the
// folder is ignored.
func (p *Planning) Tools(warn func(string)) builtin.Plans {
	if _, reason := p.Dir(p.Session()); reason != "" {
		warn(p.ShortenIn(reason))
	}
	return builtin.Plans{
		Dir:    func() string { dir, _ := p.Dir(p.Session()); return dir },
		Active: func() bool { return p.Policy != nil && p.Policy.Mode() == policy.ModePlan },
		Enter:  p.enter,
		Leave:  p.leave,
	}
}

func (p *Planning) enter() error {
	dir, _ := p.Dir(p.Session())
	if err := p.Workspace.MkdirAll(dir); err != nil {
		return fmt.Errorf("making the folder for plans: %w", err)
	}
	return p.Change("plan")
}

// leave records the plan as approved and returns the new mode. If the user was not asked,
// that is the mode before plan mode, so that a model never gains rights by planning.
func (p *Planning) leave(plan tools.PlanIntent, how builtin.Leaving) (string, error) {
	p.mu.Lock()
	mode := p.before
	p.approved = plan
	p.mu.Unlock()
	switch how {
	case builtin.LeaveAsking:
		mode = policy.ModeDefault
	case builtin.LeaveEditing:
		mode = policy.ModeAutoEdit
	}
	if p.Change(mode.Flag()) != nil { // an untrusted folder has fewer modes
		if err := p.Change("default"); err != nil {
			return "", err
		}
	}
	return p.Policy.Mode().Flag(), nil
}

// Approved returns the plan that was approved last in this session. Its path is empty if
// there is none.
func (p *Planning) Approved() tools.PlanIntent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.approved
}

// Change changes the approval mode for the rest of the session. It accepts the modes
// that a session could start with, and remembers which one plan mode replaces.
func (p *Planning) Change(name string) error {
	mode, err := policy.ParseMode(name)
	if err == nil {
		err = p.Refused(mode)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.Policy.Mode(); mode == policy.ModePlan && now != policy.ModePlan {
		p.before = now
	}
	p.Policy.SetMode(mode)
	return nil
}

// Next switches to the next harmless approval mode: default, auto_edit, plan, then
// default again.
func (p *Planning) Next() {
	next := map[policy.Mode]string{policy.ModeDefault: "auto_edit", policy.ModeAutoEdit: "plan"}[p.Policy.Mode()]
	if p.Change(next) != nil && p.Change("plan") != nil {
		_ = p.Change("default") // available in every folder
	}
}

// Modes returns the approval modes that Change accepts here, spelled as in policy files.
func (p *Planning) Modes() []string {
	var modes []string
	for _, m := range []policy.Mode{policy.ModeDefault, policy.ModeAutoEdit, policy.ModeYolo, policy.ModePlan} {
		if p.Refused(m) == nil {
			modes = append(modes, string(m))
		}
	}
	return modes
}

// ErrOff is returned if the settings turn plan mode off.
var ErrOff = errors.New("plan mode is turned off by general.plan.enabled in the settings")
