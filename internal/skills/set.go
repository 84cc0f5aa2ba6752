package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/place"
	"minigem/internal/text"
)

// Set is the skills of a run: where they are found and which are off.
type Set struct {
	place.Place
	Sources  []Source
	On       bool     // if false, all are off
	Disabled []string // names, ignoring case
}

// Dir returns the folder that skills are installed into: the user's, or the project's
// in the working directory.
func (s Set) Dir(workspace bool) string {
	if workspace {
		return filepath.Join(s.Place.Dir, ".gemini", "skills")
	}
	return filepath.Join(s.DotGemini, "skills")
}

// All returns all skills, including those that are off, and the problems found in
// others.
func (s Set) All() ([]Skill, []string) { return Discover(s.Sources) }

// Off reports whether the skill called name is off.
func (s Set) Off(name string) bool {
	return !s.On || slices.ContainsFunc(s.Disabled, func(d string) bool { return strings.EqualFold(d, name) })
}

// Switch enables or disables the skill called name for later sessions, and returns a
// message about what it did. If user is set, it changes the user's settings, not the
// project's.
func (s Set) Switch(name string, on, user bool) (string, error) {
	all, _ := s.All()
	var names []string
	known := slices.ContainsFunc(all, func(s Skill) bool {
		names = append(names, s.Name)
		if strings.EqualFold(s.Name, name) {
			name = s.Name
			return true
		}
		return false
	})
	project, err := s.SettingsFile("project")
	if err != nil {
		project = s.UserSettings()
	}
	unknown := exit.Errorf(
		exit.Input, "%s", text.None("skill", name, names, "; minigem skills list shows those there are"))
	if on {
		removed, err := s.enable(name, project)
		switch {
		case err != nil:
			return "", err
		case removed == 0 && !known:
			return "", unknown
		case removed == 0:
			return fmt.Sprintf("Skill %q is already enabled.", name), nil
		}
		return fmt.Sprintf("Skill %q enabled.", name), nil
	}
	switch {
	case !known:
		return "", unknown
	case s.Off(name):
		return fmt.Sprintf("Skill %q is already disabled.", name), nil
	}
	file := project
	if user {
		file = s.UserSettings()
	}
	add := func(d *jsonc.Doc) error { return d.Append(name, "skills", "disabled") }
	if err := jsonc.Edit(file, 0o600, add); err != nil {
		return "", place.EditError(err)
	}
	return fmt.Sprintf("Skill %q disabled in %s.", name, s.Shorten(file)), nil
}

// enable removes name from the lists of disabled skills, and returns how many times it
// was there.
func (s Set) enable(name, project string) (removed int, err error) {
	same := func(other string) bool { return strings.EqualFold(other, name) }
	for _, file := range []string{s.UserSettings(), project} {
		if _, err := os.Lstat(file); err != nil {
			continue
		}
		err := jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
			removed += d.RemoveStrings(same, "skills", "disabled")
			return nil
		})
		if err != nil {
			return removed, place.EditError(err)
		}
	}
	return removed, nil
}
