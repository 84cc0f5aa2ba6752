package inspection

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/settings"
)

// HeldBack returns the hooks of an untrusted folder, and the problems in their files.
func HeldBack(c *app.Configuration) ([]hooks.Hook, []config.Problem) {
	var sections []config.Section
	var problems []config.Problem
	for _, file := range c.Loaded.Files {
		if file.Layer != settings.LayerWorkspace || file.Path == filepath.Join(c.DotGemini, "settings.json") {
			continue
		}
		s, err := readSection(file.Path)
		if err != nil {
			problems = append(problems, app.FaultOf(file.Path, err))
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
			problems = append(problems, app.FaultOf(e.Dir, err))
			continue
		}
		sections = append(sections, s)
	}
	as := *c
	as.Trust.Trusted, as.OwnAgents, as.Extensions.Used = true, true, found
	sections = append(sections, slices.DeleteFunc(as.HeadHooks(), func(s config.Section) bool {
		return s.Layer == hooks.LayerUser
	})...)
	merged := config.Merge(sections...)
	return merged.Hooks, append(problems, merged.Problems...)
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
