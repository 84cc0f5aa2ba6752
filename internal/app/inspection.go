package app

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/settings"
)

// Origin returns the session data that hooks see when no session is running.
func (c *Configuration) Origin() hooks.Origin {
	home := (&System{Env: c.Env}).Getenv("HOME")
	return hooks.Origin{SessionID: "00000000-0000-4000-8000-000000000000", Cwd: c.Dir, ProjectDir: c.ProjectDir,
		Home: home}
}

// Inspection returns the setup of the commands that show hooks. It includes the hooks
// of an untrusted folder, which do not run.
func (c *Configuration) Inspection() *inspect.Setup {
	s := &inspect.Setup{
		Config:  c.Hooks,
		Place:   program.Place{Dir: c.Dir, ProjectDir: c.ProjectDir, Home: c.Home},
		Trusted: c.Trust.Trusted,
		Mask:    c.Mask,
	}
	s.Config.Hooks = c.WithNotes()
	if !c.Trust.Trusted {
		held, faults := c.HeldBack()
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
	s.Files = c.hookFiles(s.Config.Hooks)
	return s
}

// hookFiles returns all files in which hooks were looked for.
func (c *Configuration) hookFiles(all []hooks.Hook) []inspect.File {
	var files []inspect.File
	for _, f := range c.Loaded.Files {
		file := inspect.File{Layer: HookLayers[f.Layer], Path: f.Path, State: inspect.FileRead, Data: f.Data}
		switch {
		case f.Skipped != "":
			file.State, file.Why = inspect.FileSkipped, f.Skipped
		case f.Data == nil:
			file.State = inspect.FileMissing
		}
		files = append(files, file)
	}
	rank := []hooks.Layer{hooks.LayerProject, hooks.LayerUser, hooks.LayerSystemDefaults, hooks.LayerSystem}
	slices.SortStableFunc(files, func(a, b inspect.File) int {
		return slices.Index(rank, a.Layer) - slices.Index(rank, b.Layer)
	})
	for _, s := range c.Sections {
		if s.Within != (hooks.Part{}) {
			files = append(files, inspect.File{Layer: s.Layer, Path: s.File, State: inspect.FileRead})
			continue
		}
		if s.Layer != hooks.LayerExtension {
			continue
		}
		data, err := boundedfile.Read(s.File, boundedfile.Written)
		if err != nil {
			continue // an extension without hooks
		}
		files = append(files, inspect.File{Layer: s.Layer, Path: s.File, State: inspect.FileRead, Data: data})
	}
	if dir := filepath.Join(c.DotGemini, "extensions"); !Exists(dir) {
		files = append(files, inspect.File{Layer: hooks.LayerExtension, Path: dir, State: inspect.FileMissing})
	}
	for i := range files {
		for _, h := range all {
			if h.Source.File == files[i].Path {
				files[i].Hooks++
			}
		}
	}
	return files
}

// InspectionText returns a text formatter that shortens paths.
func (c *Configuration) InspectionText() inspect.Text { return inspect.Text{Shorten: c.ShortenIn} }

// WithNotes returns the loaded hooks. Unlike a session, it also notes what is new about
// disabled hooks.
func (c *Configuration) WithNotes() []hooks.Hook {
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

// HeldBack returns the hooks of an untrusted folder, and the problems in their files.
func (c *Configuration) HeldBack() ([]hooks.Hook, []hooks.Problem) {
	var sections []config.Section
	var problems []hooks.Problem
	for _, file := range c.Loaded.Files {
		if file.Layer != settings.LayerWorkspace || file.Path == filepath.Join(c.DotGemini, "settings.json") {
			continue
		}
		s, err := readSection(file.Path)
		if err != nil {
			problems = append(problems, faultOf(file.Path, err))
			continue
		}
		sections = append(sections, s)
	}
	found, faults := config.FindExtensions(
		c.Dir, config.ExtensionRoots{Project: filepath.Join(c.Dir, ".gemini", "extensions")})
	problems = append(problems, faults...)
	for _, e := range found {
		s, err := config.LoadExtension(e, c.Dir, c.Extensions.Settings(e))
		if err != nil {
			problems = append(problems, faultOf(e.Dir, err))
			continue
		}
		sections = append(sections, s)
	}
	as := *c
	as.Trust.Trusted, as.ownAgents, as.Extensions.Used = true, true, found
	sections = append(sections, slices.DeleteFunc(as.headHooks(), func(s config.Section) bool {
		return s.Layer == hooks.LayerUser
	})...)
	merged := config.Merge(sections...)
	return merged.Hooks, append(problems, merged.Problems...)
}

// faultOf converts an error to a problem, with its line if it has one.
func faultOf(file string, err error) hooks.Problem {
	var syntax *jsonc.SyntaxError
	if errors.As(err, &syntax) {
		return hooks.Problem{File: syntax.File, Line: syntax.Line, Text: syntax.Text}
	}
	return hooks.Problem{File: file, Text: err.Error()}
}

// readSection reads the hooks in a project's settings file. A missing file has none.
func readSection(path string) (config.Section, error) {
	data, err := boundedfile.Read(path, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return config.Section{Layer: hooks.LayerProject, File: path}, nil
	}
	if err != nil {
		return config.Section{}, err
	}
	return config.LoadSettings(hooks.LayerProject, path, data)
}
