package wiring

import (
	"context"
	"fmt"

	"minigem/hooks/config"
	"minigem/internal/app"
)

// wireSandbox makes the sandbox if all commands are to be confined. If that fails, the
// session does not begin.
func (r *Runtime) wireSandbox(ctx context.Context) error {
	s := &r.Sandbox
	s.Place, s.Workspace, s.Temp = r.Config.Place, r.Workspace, r.Project.Temp
	s.Scripts = func() []string { return config.AllScripts(r.Config.ProjectDir, r.Config.Hooks.Config) }
	s.Widened = func(warn func(string)) ([]string, bool, error) { return app.SandboxWidened(r.Config, warn) }
	s.Context, s.Folders, s.Warn = ctx, r.Config.TrustedFolders(), r.warn
	r.closers = append(r.closers, s.Close)
	wanted, err := app.SandboxWanted(r.Config, r.sys, r.Flags)
	if err != nil || !wanted {
		return err
	}
	// A command can make a hook fail without killing it.
	r.Engine.BlockFailed = true
	return s.ConfineAll()
}

// unconfined explains why read-only commands are asked about. err is why the system
// cannot confine them; if nil, they are not asked about and the result is "".
func unconfined(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("it only reads, but this machine cannot enforce that (%v): name such commands in tools.allowed "+
		"to run them without asking", err)
}
