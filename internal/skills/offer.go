package skills

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"minigem/hooks"
	"minigem/internal/prompt"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/workspace"
	"minigem/transcript"
)

// Offer is the skills that a session's model may activate.
type Offer struct {
	Now       func() Set // returns the current skills of the run
	Workspace *workspace.Workspace
	Engine    *hooks.Engine
	Session   *session.Session
	Warn      func(string)
	Replace   func(name string, by ...tools.Tool) // replaces a tool of the session

	were []string // the skills that were active in the resumed session
	list atomic.Pointer[[]builtin.Skill]
}

// Load reads the skills again and makes them the session's.
func (o *Offer) Load() {
	set := o.Now()
	all, problems := set.All()
	var on []builtin.Skill
	for _, s := range all {
		if !set.Off(s.Name) {
			_, from, _ := strings.Cut(s.Source, "extension ")
			on = append(on, builtin.Skill{Name: s.Name, Description: s.Description, Instructions: s.Body, Dir: s.Dir(),
				Extension: from})
		}
	}
	if set.On {
		for _, p := range problems {
			o.Warn(set.ShortenIn(p))
		}
	}
	o.list.Store(&on)
}

// Reload reads the skills again and updates activate_skill.
func (o *Offer) Reload() {
	o.Load()
	var activate []tools.Tool
	if s := o.Tools(); s.List != nil {
		activate = append(activate, builtin.ActivateSkill(s))
	}
	o.Replace("activate_skill", activate...)
}

// List returns the skills that the model may activate.
func (o *Offer) List() []builtin.Skill {
	if s := o.list.Load(); s != nil {
		return *s
	}
	return nil
}

// Tools returns what the tool activate_skill needs. Without skills its List is nil.
func (o *Offer) Tools() builtin.Skills {
	if len(o.List()) == 0 {
		return builtin.Skills{}
	}
	return builtin.Skills{
		List: o.List,
		Tree: func(ctx context.Context, dir string) string {
			ctx, cancel := context.WithTimeout(ctx, prompt.TreeTime)
			defer cancel()
			return prompt.Tree(ctx, dir, func(string, bool) bool { return false })
		},
		Activate: func(s builtin.Skill) error {
			if err := o.activate(s); err != nil {
				return err
			}
			o.Session.Note(activation{s.Name})
			return nil
		},
	}
}

// activate makes a skill's files readable and turns on its hooks.
func (o *Offer) activate(s builtin.Skill) error {
	real, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return err
	}
	if err := o.Workspace.AddReadable(s.Dir, real); err != nil {
		return err
	}
	o.Engine.Activate(s.Name)
	return nil
}

// activation is the record of an activated skill in a session's file. The tool call
// records it as well, until the history is compressed.
type activation struct {
	Skill string `json:"activated"`
}

// Read reads from the file of a resumed session which skills Resume activates.
func (o *Offer) Read(file *transcript.File) { o.were = activated(file) }

// Resume activates the skills that were active in a resumed session. Otherwise a guard
// that one of them brought would stop working.
func (o *Offer) Resume() {
	for _, name := range o.were {
		skills := o.List()
		i := slices.IndexFunc(skills, func(s builtin.Skill) bool { return s.Name == name })
		if i < 0 {
			o.Warn(fmt.Sprintf("the skill %s, which was active in this session, is no longer offered: its hooks do not run",
				name))
		} else if err := o.activate(skills[i]); err != nil {
			o.Warn(fmt.Sprintf("the skill %s, which was active in this session, no longer is, and its hooks do not run: %s",
				name, o.Now().ShortenIn(err.Error())))
		}
	}
}

// activated returns the names of the skills that were activated in a session.
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

// Prompt returns the skills for the system instruction, or none if they cannot be
// activated.
func (o *Offer) Prompt(offered []string) []prompt.Entry {
	if !slices.Contains(offered, "activate_skill") {
		return nil
	}
	var out []prompt.Entry
	for _, s := range o.List() {
		out = append(out, prompt.Entry{Name: s.Name, Text: s.Description})
	}
	return out
}
