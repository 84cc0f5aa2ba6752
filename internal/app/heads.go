package app

import (
	"cmp"
	"errors"
	"path/filepath"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/skills"
	"minigem/internal/subagents"
	"minigem/internal/text"
)

// HeadHooks returns the hooks in the front matter of skills and agents. They run while
// their skill or agent is active, and need the same trust as other hooks from the same
// place.
func (c *Configuration) HeadHooks() (out []config.Section) {
	add := func(h skills.Hooks, file, source string, head config.Head) {
		if h.Line == 0 {
			return
		}
		e, brought := c.Extensions.Of(source, file)
		switch {
		case c.ProjectDir != c.Home && leadsTo(c.ProjectDir, c.DotGemini, file):
			head.Source.Layer = hooks.LayerProject
		case brought:
			head.Source = hooks.Source{Layer: hooks.LayerExtension, Extension: e.Name, InProject: e.InProject}
		case source == subagents.OfProject:
			head.Source.Layer = hooks.LayerProject
		default:
			head.Source.Layer = hooks.LayerUser
		}
		head.Source.File, head.Source.Line, head.Hooks, head.Fault = file, h.Line, h.JSON, h.Fault
		if brought {
			head.Extension, head.Workspace, head.Settings = e.Dir, c.Dir, c.Extensions.Settings(e)
			head.Dir = cmp.Or(head.Dir, e.Dir)
		}
		out = append(out, config.LoadHead(head))
	}
	set := c.Skills()
	all, _ := set.All() // problems are reported where skills are loaded
	for _, s := range all {
		if !set.Off(s.Name) {
			add(s.Hooks, s.File, s.Source, config.Head{Of: hooks.Part{Skill: s.Name}, Dir: s.Dir()})
		}
	}
	agents, _ := c.Agents().All()
	for _, a := range agents {
		if a.Off == "" || a.Off == subagents.NotAgreed {
			add(a.Hooks, a.File, a.Source, config.Head{Of: hooks.Part{Agent: a.Name}})
		}
	}
	return out
}

// leadsTo reports whether file, with links followed, is in the project and not in the
// user's folder own. A link in the user's folder that leads into the project makes what
// is there the project's.
func leadsTo(project, own, file string) bool {
	real, err := filepath.EvalSymlinks(file)
	return err == nil && !text.Inside(own, real) && text.Inside(project, real)
}

// FaultOf converts an error to a problem, with its line if it has one.
func FaultOf(file string, err error) config.Problem {
	var syntax *jsonc.SyntaxError
	if errors.As(err, &syntax) {
		return config.Problem{File: syntax.File, Line: syntax.Line, Text: syntax.Text}
	}
	return config.Problem{File: file, Text: err.Error()}
}
