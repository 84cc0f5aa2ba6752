package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/place"
	"minigem/internal/prompt"
	"minigem/internal/skills"
	"minigem/internal/text"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/transcript"
)

// SkillDir is the folder that skills are installed into: the user's, or that of
// the project in the working directory.
func (c *Configuration) SkillDir(workspace bool) string {
	if workspace {
		return filepath.Join(c.Dir, ".gemini", "skills")
	}
	return filepath.Join(c.DotGemini, "skills")
}

// AllSkills are the skills there are, those that are disabled too, and what was
// wrong with others. A folder that is not trusted brings none.
func (c *Configuration) AllSkills() ([]skills.Skill, []string) {
	return skills.Discover(c.skillSources(c.extensions, c.Trust.Trusted))
}

func (c *Configuration) skillSources(extensions []config.Extension, project bool) []skills.Source {
	var sources []skills.Source
	for _, e := range extensions {
		sources = append(sources, skills.Source{Dir: filepath.Join(e.Dir, "skills"), Name: "extension " + e.Name,
			Replace: c.replacerOf(e)})
	}
	sources = append(sources, skills.Source{Dir: c.SkillDir(false), Name: "user"},
		skills.Source{Dir: filepath.Join(c.Home, ".agents", "skills"), Name: "user"})
	if project && c.Dir != c.Home {
		sources = append(sources, skills.Source{Dir: c.SkillDir(true), Name: "project"},
			skills.Source{Dir: filepath.Join(c.Dir, ".agents", "skills"), Name: "project"})
	}
	return sources
}

// SkillOff reports whether the skill called name is disabled.
func (c *Configuration) SkillOff(name string) bool {
	return !c.skillsOn() || slices.ContainsFunc(c.Settings.Skills.Disabled, func(d string) bool {
		return strings.EqualFold(d, name)
	})
}

func (c *Configuration) skillsOn() bool {
	return c.Settings.Skills.Enabled && c.Settings.Admin.Skills.Enabled
}

// ReloadSkills makes the skills of the session those that there are now.
func (r *Runtime) ReloadSkills(warn func(string)) {
	r.loadSkills(warn)
	r.mcp.others = slices.DeleteFunc(r.mcp.others, func(t tools.Tool) bool { return t.Spec().Name == "activate_skill" })
	if s := r.skillTools(); s.List != nil {
		r.mcp.others = append(r.mcp.others, builtin.ActivateSkill(s))
	}
	r.mcp.known = -1
	r.takeMCP()
}

func (r *Runtime) loadSkills(warn func(string)) {
	all, problems := r.Config.AllSkills()
	var on []builtin.Skill
	for _, s := range all {
		if !r.Config.SkillOff(s.Name) {
			on = append(on, builtin.Skill{Name: s.Name, Description: s.Description, Instructions: s.Body, Dir: s.Dir()})
		}
	}
	if r.Config.skillsOn() {
		for _, p := range problems {
			warn(r.Config.ShortenIn(p))
		}
	}
	r.skills.Store(&on)
}

// Skills are those that the model may activate.
func (r *Runtime) Skills() []builtin.Skill {
	if s := r.skills.Load(); s != nil {
		return *s
	}
	return nil
}

// skillTools is what activate_skill is made of; without skills there is none.
func (r *Runtime) skillTools() builtin.Skills {
	if len(r.Skills()) == 0 {
		return builtin.Skills{}
	}
	return builtin.Skills{
		List: r.Skills,
		Tree: func(ctx context.Context, dir string) string {
			ctx, cancel := context.WithTimeout(ctx, treeTime)
			defer cancel()
			return prompt.Tree(ctx, dir, func(string, bool) bool { return false })
		},
		Activate: func(s builtin.Skill) error {
			if err := r.activate(s); err != nil {
				return err
			}
			r.Session.Note(activation{s.Name})
			return nil
		},
	}
}

// activate makes a skill's files readable, and runs its hooks from now on.
func (r *Runtime) activate(s builtin.Skill) error {
	real, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return err
	}
	if err := r.Workspace.AddReadable(s.Dir, real); err != nil {
		return err
	}
	r.Engine.Activate(s.Name)
	return nil
}

// activation is what a session's file says of a skill that was activated. The call
// says it, too, until the history is compressed.
type activation struct {
	Skill string `json:"activated"`
}

// activateAgain activates the skills that were active in a session that goes on: a
// guard that one brought would be silent otherwise.
func (r *Runtime) activateAgain(warn func(string)) {
	if r.Session.Source() != session.SourceResume {
		return
	}
	file, err := r.Session.Transcript()
	if err != nil {
		return // whoever opened the session was told
	}
	for _, name := range activated(file) {
		skills := r.Skills()
		i := slices.IndexFunc(skills, func(s builtin.Skill) bool { return s.Name == name })
		if i < 0 {
			warn(fmt.Sprintf("the skill %s, which was active in this session, is not offered any more: its hooks do not run",
				name))
		} else if err := r.activate(skills[i]); err != nil {
			warn(fmt.Sprintf("the skill %s, which was active in this session, is not any more, and its hooks do not run: %s",
				name, r.Config.ShortenIn(err.Error())))
		}
	}
}

// activated are the names of the skills that were activated in a session.
func activated(file *transcript.File) []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, raw := range file.Activity {
		var a activation
		if json.Unmarshal([]byte(raw), &a) == nil {
			add(a.Skill)
		}
	}
	for _, m := range file.Messages {
		for _, call := range m.ToolCalls {
			if name, ok := call.Args["name"].(string); ok && call.Name == "activate_skill" && call.Status == "success" {
				add(name)
			}
		}
	}
	return names
}

// promptSkills are the skills as the system instruction names them; none where
// they cannot be activated.
func (r *Runtime) promptSkills(offered []string) []prompt.Entry {
	if !slices.Contains(offered, "activate_skill") {
		return nil
	}
	var out []prompt.Entry
	for _, s := range r.Skills() {
		out = append(out, prompt.Entry{Name: s.Name, Text: s.Description})
	}
	return out
}

// SwitchSkill enables or disables the skill called name for sessions to come, and
// says what it did. user: in the user's settings, not the project's.
func (c *Configuration) SwitchSkill(name string, on, user bool) (string, error) {
	all, _ := c.AllSkills()
	var names []string
	known := slices.ContainsFunc(all, func(s skills.Skill) bool {
		names = append(names, s.Name)
		if strings.EqualFold(s.Name, name) {
			name = s.Name
			return true
		}
		return false
	})
	own := filepath.Join(c.DotGemini, "settings.json")
	project, err := c.SettingsFile("project")
	if err != nil {
		project = own
	}
	same := func(other string) bool { return strings.EqualFold(other, name) }
	unknown := exit.Errorf(
		exit.Input, "%s", text.None("skill", name, names, "; minigem skills list shows those there are"))
	if on {
		removed := 0
		for _, file := range []string{own, project} {
			if !Exists(file) {
				continue
			}
			if err := jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
				removed += d.RemoveStrings(same, "skills", "disabled")
				return nil
			}); err != nil {
				return "", place.EditError(err)
			}
		}
		switch {
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
	case c.SkillOff(name):
		return fmt.Sprintf("Skill %q is already disabled.", name), nil
	}
	file := project
	if user {
		file = own
	}
	if err := jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
		return d.Append(name, "skills", "disabled")
	}); err != nil {
		return "", place.EditError(err)
	}
	return fmt.Sprintf("Skill %q disabled in %s.", name, c.Shorten(file)), nil
}
