// Package plans is plan mode in a session: the folder of its plans, the plan that was
// agreed to, and the approval mode that follows. It keeps out what a mode allows.
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

// Planning is plan mode in a session, and what it has to remember.
type Planning struct {
	place.Place
	Temp      string        // the project's folder for what sessions keep
	Custom    func() string // general.plan.directory
	Workspace *workspace.Workspace
	Session   func() string           // its id
	Mode      func() policy.Mode      // nil: there is none yet
	Change    func(name string) error // of the mode

	mu       sync.Mutex
	before   policy.Mode      // the mode that plan mode took the place of; empty: the session began in it
	approved tools.PlanIntent // the plan that was agreed to last
}

// Dir is the folder of a session's plans: that of general.plan.directory, which
// must be in the project, else one of the session's own. The reason says why the
// setting does not count.
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

// Has reports whether path is in the folder of plans, links followed.
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

// Tools is what the tools of plan mode are made of.
func (p *Planning) Tools(warn func(string)) builtin.Plans {
	if _, reason := p.Dir(p.Session()); reason != "" {
		warn(p.ShortenIn(reason))
	}
	return builtin.Plans{
		Dir:    func() string { dir, _ := p.Dir(p.Session()); return dir },
		Active: func() bool { return p.Mode != nil && p.Mode() == policy.ModePlan },
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

// leave takes the plan as agreed to, and says what the mode is then. Where
// nobody was asked it is the one before plan mode, so that a model never gains a
// right by planning.
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
	if p.Change(mode.Flag()) != nil { // a folder that is not trusted has fewer
		if err := p.Change("default"); err != nil {
			return "", err
		}
	}
	return p.Mode().Flag(), nil
}

// Approved is the plan that was agreed to last in this session; its path is
// empty where there is none.
func (p *Planning) Approved() tools.PlanIntent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.approved
}

// Changed remembers which mode plan mode takes the place of.
func (p *Planning) Changed(from, to policy.Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to == policy.ModePlan && from != policy.ModePlan {
		p.before = from
	}
}

// ErrOff is that there is no plan mode.
var ErrOff = errors.New("plan mode is turned off by general.plan.enabled in the settings")
