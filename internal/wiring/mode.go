package wiring

import (
	"cmp"
	"errors"
	"fmt"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/plans"
	"minigem/tools/policy"
)

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
