// Package inspection shows how the hooks of a run are configured: which run and which do
// not, and why, in which files they were looked for, and what the user should know about
// them. It also turns them on and off. Configurations are read elsewhere.
package inspection

import (
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
)

// Of returns the setup of the commands that show hooks. It includes the hooks
// of an untrusted folder, which do not run.
func Of(c *app.Configuration) *inspect.Setup {
	s := &inspect.Setup{
		Config:  c.Hooks,
		Place:   program.Place{Dir: c.Dir, ProjectDir: c.ProjectDir, Home: c.Home},
		Trusted: c.Trust.Trusted,
		Mask:    c.Mask,
	}
	s.Config.Hooks = WithNotes(c)
	if !c.Trust.Trusted {
		held, faults := HeldBack(c)
		for _, h := range held {
			h.Untrusted = "this folder is not trusted (" + c.Trust.Why + "); look at it, then run minigem trust"
			s.Config.Hooks = append(s.Config.Hooks, h)
		}
		s.Config.Problems = append(slices.Clone(s.Config.Problems), faults...)
	}
	agents, _ := c.Agents().All()
	for _, a := range agents {
		s.Agents = append(s.Agents, a.Name)
	}
	s.Files = files(c, s.Config.Hooks)
	return s
}

// files returns all files in which hooks were looked for.
func files(c *app.Configuration, all []hooks.Hook) []inspect.File {
	var out []inspect.File
	for _, f := range c.Loaded.Files {
		file := inspect.File{Layer: app.HookLayers[f.Layer], Path: f.Path, State: inspect.FileRead, Data: f.Data}
		switch {
		case f.Skipped != "" && app.Exists(f.Path):
			file.State, file.Why = inspect.FileSkipped, f.Skipped
		case f.Data == nil:
			file.State = inspect.FileMissing
		}
		out = append(out, file)
	}
	rank := []hooks.Layer{hooks.LayerProject, hooks.LayerUser, hooks.LayerSystemDefaults, hooks.LayerSystem}
	slices.SortStableFunc(out, func(a, b inspect.File) int {
		return slices.Index(rank, a.Layer) - slices.Index(rank, b.Layer)
	})
	for _, s := range c.Sections {
		if s.Within != (hooks.Part{}) {
			out = append(out, inspect.File{Layer: s.Layer, Path: s.File, State: inspect.FileRead})
			continue
		}
		if s.Layer != hooks.LayerExtension {
			continue
		}
		data, err := boundedfile.Read(s.File, boundedfile.Written)
		if err != nil {
			continue // an extension without hooks
		}
		out = append(out, inspect.File{Layer: s.Layer, Path: s.File, State: inspect.FileRead, Data: data})
	}
	if dir := filepath.Join(c.DotGemini, "extensions"); !app.Exists(dir) {
		out = append(out, inspect.File{Layer: hooks.LayerExtension, Path: dir, State: inspect.FileMissing})
	}
	for i := range out {
		for _, h := range all {
			if h.Source.File == out[i].Path {
				out[i].Hooks++
			}
		}
	}
	return out
}

// Text returns a text formatter that shortens paths.
func Text(c *app.Configuration) inspect.Text { return inspect.Text{Shorten: c.ShortenIn} }

// WithNotes returns the loaded hooks. Unlike a session, it also notes what is new about
// disabled hooks.
func WithNotes(c *app.Configuration) []hooks.Hook {
	all := hooks.Config{Hooks: slices.Clone(c.Hooks.Hooks)}
	for i := range all.Hooks {
		all.Hooks[i].Disabled = ""
	}
	checks, _ := c.TrustStore().Check(c.ProjectDir, all) // errors were reported when the hooks were loaded
	config.Apply(&all, checks, false)
	for i, h := range c.Hooks.Hooks {
		all.Hooks[i].Disabled, all.Hooks[i].Untrusted = h.Disabled, h.Untrusted
	}
	return all.Hooks
}
