package app

import (
	"path/filepath"
	"strings"

	"minigem/internal/skills"
)

// Skills returns the skills of this run. An untrusted folder contributes none.
func (c *Configuration) Skills() skills.Set {
	set := skills.Set{Place: c.Place, On: c.Settings.Skills.Enabled && c.Settings.Admin.Skills.Enabled,
		Disabled: c.Settings.Skills.Disabled}
	add := func(dir, name string, replace *strings.Replacer) {
		set.Sources = append(set.Sources, skills.Source{Dir: dir, Name: name, Replace: replace})
	}
	for _, e := range c.Extensions.Used {
		add(filepath.Join(e.Dir, "skills"), "extension "+e.Name, c.Extensions.Replacer(e))
	}
	add(set.Dir(false), "user", nil)
	add(filepath.Join(c.Home, ".agents", "skills"), "user", nil)
	if c.Trust.Trusted && c.Dir != c.Home {
		add(set.Dir(true), "project", nil)
		add(filepath.Join(c.Dir, ".agents", "skills"), "project", nil)
	}
	return set
}
