package app

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/skills"
	"minigem/internal/subagents"
	"minigem/internal/text"
)

// headHooks returns the hooks in the front matter of skills and agents. They run while
// their skill or agent is active, and need the same trust as other hooks from the same
// place.
func (c *Configuration) headHooks() []config.Section {
	set := c.Skills()
	all, _ := set.All() // problems are reported where skills are loaded
	on := slices.DeleteFunc(all, func(s skills.Skill) bool { return set.Off(s.Name) })
	var agents []subagents.Agent
	found, _ := c.AllAgents()
	for _, a := range found {
		if a.Off == "" || a.Off == notAgreed {
			agents = append(agents, a.Agent)
		}
	}
	return c.heads(on, agents, c.extensions)
}

// heldHeads returns the front matter hooks of a project that is not trusted and has the
// given extensions.
func (c *Configuration) heldHeads(extensions []config.Extension) []config.Section {
	inProject := slices.Clone(extensions)
	for i := range inProject {
		inProject[i].InProject = true
	}
	theirs, _ := skills.Discover(c.skillSources(inProject, true))
	agents, _ := subagents.Discover(nil, c.agentSources(inProject, true, nil))
	return slices.DeleteFunc(c.heads(theirs, agents, inProject), func(s config.Section) bool {
		return s.Layer == hooks.LayerUser
	})
}

func (c *Configuration) heads(all []skills.Skill, agents []subagents.Agent,
	extensions []config.Extension) []config.Section {
	var out []config.Section
	for _, s := range all {
		out = c.addHead(out, s.Hooks, s.File, s.Source, config.Head{Of: hooks.Part{Kind: hooks.SkillPart, Name: s.Name},
			Dir: s.Dir()}, extensions)
	}
	for _, a := range agents {
		out = c.addHead(out, a.Hooks, a.File, a.Source, config.Head{Of: hooks.Part{Kind: hooks.AgentPart, Name: a.Name}},
			extensions)
	}
	return out
}

func (c *Configuration) addHead(out []config.Section, h skills.Hooks, file, source string, head config.Head,
	extensions []config.Extension) []config.Section {
	if h.Line == 0 {
		return out
	}
	head.Source = c.sourceOf(source, file, extensions)
	head.Source.File, head.Source.Line, head.Hooks, head.Fault = file, h.Line, h.JSON, h.Fault
	if e, ok := extensionOf(source, file, extensions); ok {
		head.Extension, head.Workspace, head.Settings = e.Dir, c.Dir, c.settingsOf(e)
		head.Dir = cmp.Or(head.Dir, e.Dir)
	}
	return append(out, config.LoadHead(head))
}

// sourceOf returns the source of a skill's or agent's hooks. A link in the user's
// folder that leads into the project counts as the project's.
func (c *Configuration) sourceOf(source, file string, extensions []config.Extension) hooks.Source {
	if real, err := filepath.EvalSymlinks(file); err == nil && c.ProjectDir != c.Home {
		if _, own := text.Below(c.DotGemini, real); !own {
			if _, below := text.Below(c.ProjectDir, real); below {
				return hooks.Source{Layer: hooks.LayerProject}
			}
		}
	}
	if e, ok := extensionOf(source, file, extensions); ok {
		return hooks.Source{Layer: hooks.LayerExtension, Extension: e.Name, InProject: e.InProject}
	}
	if source == ofProject {
		return hooks.Source{Layer: hooks.LayerProject}
	}
	return hooks.Source{Layer: hooks.LayerUser}
}

// extensionOf returns the extension that a skill or an agent came with, if any.
func extensionOf(source, file string, extensions []config.Extension) (config.Extension, bool) {
	name, ofExtension := strings.CutPrefix(source, "extension ")
	for _, e := range extensions {
		if ofExtension && e.Name == name || e.InProject && source == ofProject &&
			strings.HasPrefix(file, e.Dir+string(filepath.Separator)) {
			return e, true
		}
	}
	return config.Extension{}, false
}
