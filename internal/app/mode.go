package app

import (
	"cmp"
	"errors"
	"fmt"

	"minigem/internal/exit"
	"minigem/internal/plans"
	"minigem/tools/policy"
)

// approvalMode returns the mode set by flags, else by the settings.
func (r *Runtime) approvalMode(w *Frontend) (policy.Mode, error) {
	name := cmp.Or(r.Flags.ApprovalMode, r.Config.Settings.General.DefaultApprovalMode)
	if r.Flags.Yolo {
		name = "yolo"
	}
	mode, err := policy.ParseMode(name)
	if err == nil {
		err = refusedMode(r.Config, mode)
	}
	switch {
	case errors.Is(err, errFewModes):
		w.Warn(fmt.Sprintf("this folder is not trusted: the approval mode is default, not %s", name))
		return policy.ModeDefault, nil
	case err != nil:
		return "", exit.With(exit.Config, err)
	}
	return mode, nil
}

// refusedMode returns an error if the approval mode cannot be mode.
func refusedMode(c *Configuration, mode policy.Mode) error {
	switch {
	case mode == policy.ModeYolo && c.Settings.Security.DisableYoloMode:
		return errNoYolo
	case mode == policy.ModePlan && !c.Settings.General.Plan.Enabled:
		return plans.ErrOff
	case !c.Trust.Trusted && mode != policy.ModeDefault && mode != policy.ModePlan:
		return errFewModes
	}
	return nil
}

var (
	errNoYolo   = errors.New("yolo mode is turned off by security.disableYoloMode in the settings")
	errFewModes = errors.New(
		"this folder is not trusted, and has the modes default and plan alone: /permissions trust changes that")
)

// ChangeMode changes the approval mode for the rest of the session. It accepts the modes
// that a session could start with.
func (r *Runtime) ChangeMode(name string) error {
	mode, err := policy.ParseMode(name)
	if err == nil {
		err = refusedMode(r.Config, mode)
	}
	if err != nil {
		return err
	}
	r.Plans.Changed(r.Policy.Mode(), mode)
	r.Policy.SetMode(mode)
	return nil
}

// NextMode switches to the next harmless approval mode: default, auto_edit, plan, then
// default again.
func (r *Runtime) NextMode() {
	next := map[policy.Mode]string{policy.ModeDefault: "auto_edit", policy.ModeAutoEdit: "plan"}[r.Policy.Mode()]
	if r.ChangeMode(next) != nil && r.ChangeMode("plan") != nil {
		_ = r.ChangeMode("default") // available in every folder
	}
}

// Modes returns the approval modes that [Runtime.ChangeMode] accepts here, spelled as in
// policy files.
func (r *Runtime) Modes() []string {
	var modes []string
	for _, m := range []policy.Mode{policy.ModeDefault, policy.ModeAutoEdit, policy.ModeYolo, policy.ModePlan} {
		if refusedMode(r.Config, m) == nil {
			modes = append(modes, string(m))
		}
	}
	return modes
}
