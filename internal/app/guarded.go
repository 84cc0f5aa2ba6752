package app

import (
	"fmt"
	"path/filepath"
	"slices"

	"minigem/hooks"
)

// What a project, and the agent that works in it, could take away from the
// user's hooks, and what is done about it.

// switchedOff names the user's and the system's hooks that the project's
// settings turn off: they may, but not in silence.
func (c *Configuration) switchedOff() []string {
	var out []string
	for _, s := range c.Sections {
		if s.Layer != hooks.LayerProject && s.Layer != hooks.LayerExtension {
			continue
		}
		if s.Enabled != nil && !s.Enabled.On && c.Hooks.Off != "" {
			if n := len(slices.DeleteFunc(slices.Clone(c.Hooks.Hooks), ofProject)); n > 0 {
				out = append(out, fmt.Sprintf("%s:%d: this project turns all hooks off, %d of yours or the system's among them", s.File, s.Enabled.Line, n))
			}
		}
		for _, d := range s.Disabled {
			if i := slices.IndexFunc(c.Hooks.Hooks, func(h hooks.Hook) bool { return h.ID() == d.ID && !ofProject(h) }); i >= 0 {
				h := c.Hooks.Hooks[i]
				out = append(out, fmt.Sprintf("%s:%d: this project turns off the %s hook %q of %s", s.File, d.Line, h.Event, d.ID, h.Source))
			}
		}
	}
	return out
}

func ofProject(h hooks.Hook) bool {
	return h.Source.Layer == hooks.LayerProject || h.Source.Layer == hooks.LayerExtension
}

// runsPrograms reports whether a change of the file at path is not just another
// edit: it says which programs run, or is a script that a hook runs.
func (r *Runtime) runsPrograms(path string) bool {
	if r.Workspace.Sensitive(path) {
		return true
	}
	real, err := r.Workspace.Real(path)
	if err != nil {
		return true
	}
	gemini := filepath.Join(r.Config.ProjectDir, ".gemini")
	if within(filepath.Join(gemini, "settings.json"), real) || within(filepath.Join(gemini, "extensions"), real) || within(filepath.Join(gemini, "policies"), real) {
		return true
	}
	return slices.ContainsFunc(r.Engine.Watch.Scripts(r.Config.Hooks), func(script string) bool { return within(script, real) })
}

// within compares names without links; what cannot be resolved is compared as
// it is.
func within(dir, path string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
