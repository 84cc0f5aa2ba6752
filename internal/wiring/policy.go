package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/confine"
	"minigem/internal/exit"
	"minigem/internal/plans"
	"minigem/internal/proc"
	"minigem/internal/sandbox"
	"minigem/tools"
	"minigem/tools/policy"
	"minigem/tools/workspace"
)

func (r *Runtime) wirePolicy(_ context.Context) error {
	mode, err := approvalMode(r.Config, r.Flags, r.warn)
	if err != nil {
		return err
	}
	rules, problems, err := app.PolicyRules(r.Config, r.Flags)
	for _, p := range problems {
		r.warn(p.String())
	}
	if err != nil {
		return err
	}
	r.Policy, err = policy.New(policy.Options{
		Mode: mode, Interactive: r.front.Interactive,
		Hooks: r.Config.Hooks.Off == "" && slices.ContainsFunc(r.Config.Hooks.Hooks, func(h hooks.Hook) bool {
			return h.Event == protocol.PermissionRequest && h.Disabled == "" && h.Untrusted == ""
		}),
		Untrusted:   !r.Config.Trust.Trusted,
		Rules:       rules,
		Shell:       policy.Shell(proc.ShellName()),
		Unconfined:  unconfined(confine.Supported()),
		Sandbox:     !r.Sandbox.All && confine.Supported() == nil,
		InWorkspace: func(path string) bool { _, err := r.Workspace.Resolve(path); return err == nil },
		InPlans:     r.Plans.Has,
		Sensitive:   r.Sandbox.Runs,
		Refused: func(path string, reach workspace.Reach) string { // as the file tools refuse it
			return r.Workspace.Refused(path, reach, r.ignore())
		},
		Tracked: sandbox.Tracked(r.Config.ChildEnv),
	})
	if err != nil {
		return exit.With(exit.Config, err)
	}
	r.Plans.Policy = r.Policy
	return nil
}

// approvalMode returns the mode set by flags, else by the settings.
func approvalMode(c *app.Configuration, f *app.Options, warn func(string)) (policy.Mode, error) {
	name := cmp.Or(f.ApprovalMode, c.Settings.General.DefaultApprovalMode)
	if f.Yolo {
		name = "yolo"
	}
	mode, err := policy.ParseMode(name)
	if err == nil {
		err = refusedMode(c, mode)
	}
	switch {
	case errors.Is(err, errFewModes):
		warn(fmt.Sprintf("this folder is not trusted: the approval mode is default, not %s", name))
		return policy.ModeDefault, nil
	case err != nil:
		return "", exit.With(exit.Config, err)
	}
	return mode, nil
}

// refusedMode returns an error if the approval mode cannot be mode.
func refusedMode(c *app.Configuration, mode policy.Mode) error {
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

// notOffered tells the model, and through it the user, why an existing tool cannot be
// called here, and what would change that.
func notOffered(p *policy.Engine, t tools.Tool) string {
	refusal, modes := p.NotOffered(t)
	why := refusal.Rule
	if refusal.Message != "" {
		why = fmt.Sprintf("%s (%s)", strings.TrimRight(refusal.Message, "."), why)
	}
	if refusal.Reason != "" {
		why += ", and " + refusal.Reason
	}
	if strings.HasSuffix(why, "(no changes without a user)") {
		why = "no one can be asked about it"
		if p.Mode() == policy.ModeDefault {
			why = "this run may only read"
		}
	}
	said := t.Spec().Name + " is not available: " + why + "."
	if len(modes) == 0 {
		return said + " Only other rules would allow it; `minigem policies` lists them."
	}
	return said + " Add --approval-mode=" + modes[0].Flag() + "."
}
