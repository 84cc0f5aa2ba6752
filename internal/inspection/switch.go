package inspection

import (
	"path/filepath"
	"slices"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/exit"
)

// Switch describes one of the four commands that turn hooks on and off.
type Switch struct {
	Verb, Short, Long string
	Named             bool // it takes names
	Enable            bool
	One               func(config.Editor, string) (string, error)
	All               func(config.Editor) (string, error)
}

// Switched is the result for one hook, or for all hooks if Hook is empty.
type Switched struct {
	Hook    string `json:"hook,omitempty"`
	Message string `json:"message"`
}

// Apply switches the named hooks, or all. It rejects unknown names before it changes
// anything.
func (s Switch) Apply(e config.Editor, names []string) ([]Switched, error) {
	if !s.Named {
		text, err := s.All(e)
		if err != nil {
			return nil, err
		}
		return []Switched{{"", text}}, nil
	}
	for _, name := range names {
		if err := e.Check(name); err != nil {
			return nil, exit.Errorf(exit.Input, "%w (minigem hooks list shows what there is)", err)
		}
	}
	var done []Switched
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		text, err := s.One(e, name)
		if err != nil {
			return done, err
		}
		done = append(done, Switched{name, text})
	}
	return done, nil
}

// Editor returns an editor of hook settings. It may write the project's settings
// only if they are in force and would still be once they contain something.
func Editor(c *app.Configuration) config.Editor {
	e := config.Editor{Sections: c.Sections, User: filepath.Join(c.DotGemini, "settings.json")}
	for _, f := range c.Loaded.Files {
		if app.HookLayers[f.Layer] == hooks.LayerProject && f.Skipped == "" && !c.Trust.Open {
			e.Project = f.Path
		}
	}
	return e
}
