package app

import (
	"path/filepath"

	"minigem/hooks/config"
	"minigem/internal/skills"
	"minigem/tools"
	"minigem/tools/builtin"
)

// Skills returns the skills of this run. An untrusted folder contributes none.
func (c *Configuration) Skills() skills.Set {
	return skills.Set{
		Place:    c.Place,
		Sources:  c.skillSources(c.extensions, c.Trust.Trusted),
		On:       c.Settings.Skills.Enabled && c.Settings.Admin.Skills.Enabled,
		Disabled: c.Settings.Skills.Disabled,
	}
}

func (c *Configuration) skillSources(extensions []config.Extension, project bool) []skills.Source {
	var sources []skills.Source
	own := skills.Set{Place: c.Place}
	for _, e := range extensions {
		sources = append(sources, skills.Source{Dir: filepath.Join(e.Dir, "skills"), Name: "extension " + e.Name,
			Replace: c.replacerOf(e)})
	}
	sources = append(sources, skills.Source{Dir: own.Dir(false), Name: "user"},
		skills.Source{Dir: filepath.Join(c.Home, ".agents", "skills"), Name: "user"})
	if project && c.Dir != c.Home {
		sources = append(sources, skills.Source{Dir: own.Dir(true), Name: "project"},
			skills.Source{Dir: filepath.Join(c.Dir, ".agents", "skills"), Name: "project"})
	}
	return sources
}

// ReloadSkills reads the skills again and updates activate_skill.
func (r *Runtime) ReloadSkills(warn func(string)) {
	r.Skills.Load(warn)
	var activate []tools.Tool
	if s := r.Skills.Tools(); s.List != nil {
		activate = append(activate, builtin.ActivateSkill(s))
	}
	r.MCP.Replace("activate_skill", activate...)
}
