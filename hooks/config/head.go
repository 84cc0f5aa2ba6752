package config

import (
	"fmt"
	"slices"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/protocol"
)

// Head is the part of a skill's or an agent's front matter that concerns hooks.
type Head struct {
	// Of is the skill or agent.
	Of hooks.Part
	// Source is the file; its Line is the line of the field "hooks".
	Source hooks.Source
	// Dir is the value of CLAUDE_PLUGIN_ROOT for these hooks; empty leaves it unset.
	Dir string
	// Hooks is the value of the field "hooks", converted to JSON; empty means no hooks.
	Hooks []byte
	// Fault says why the value cannot be read; empty if it can. It becomes a Problem.
	Fault string

	// Extension is the folder of the extension that the skill or agent came with; empty
	// if there is none. Its hooks may use the same variables as those in
	// hooks/hooks.json, among them Workspace's path and the extension's Settings.
	Extension, Workspace string
	// Settings are values of the extension's settings, by variable, which win over its
	// .env file.
	Settings map[string]string
}

// LoadHead reads the hooks of a skill or an agent. They are read in Claude Code's form,
// where such front matter comes from, unless they name an event that only Gemini CLI
// has. Faults are reported in Problems, all with the line of the field. Each hook's
// Within is h.Of. Nothing is read from the disk unless h.Extension is set.
func LoadHead(h Head) Section {
	l := &loader{Section: Section{
		Layer: h.Source.Layer, File: h.Source.File, Extension: h.Source.Extension, InProject: h.Source.InProject,
		Within: h.Of,
	}}
	if h.Fault != "" {
		l.problem(0, "its hooks cannot be read, and do not run: %s", h.Fault)
	} else if err := l.head(h); err != nil {
		l.problem(0, "reading its hooks: %s", err)
	}
	for _, all := range [][]Problem{l.Problems, l.Notes} {
		for i := range all {
			all[i].Line = h.Source.Line // theirs count in the converted text
		}
	}
	return l.Section
}

// head reads the hooks of h in the form in which they are written. Hooks of events that
// never happen where they belong are left out with a problem.
func (l *loader) head(h Head) error {
	if len(h.Hooks) == 0 {
		return nil
	}
	data := slices.Concat([]byte(`{"hooks": `), h.Hooks, []byte("}"))
	own, root, err := newLoader(l.Layer, l.File, data)
	if err != nil {
		return err
	}
	own.Extension, own.InProject = l.Extension, l.InProject
	if claude.Names(root.Get("hooks")) {
		moved, err := claude.Migrate(claude.File{Name: l.File}, claude.File{Name: l.File, Data: data, Head: true})
		if err != nil {
			return err
		}
		l.moved(moved.Remarks)
		if own, root, err = newLoader(l.Layer, l.File, moved.Settings); err != nil {
			return err
		}
		own.Extension, own.InProject = l.Extension, l.InProject
	}
	own.hooks(root.Get("hooks"))
	l.Problems, l.Notes = append(l.Problems, own.Problems...), append(l.Notes, own.Notes...)
	for _, hook := range own.Hooks {
		hook.Source.Line, hook.Within = h.Source.Line, h.Of
		if !l.inPart(&hook) {
			continue
		}
		if h.Dir != "" && hook.Env[claude.RootVariable] == "" {
			if hook.Env == nil {
				hook.Env = map[string]string{}
			}
			hook.Env[claude.RootVariable] = h.Dir
		}
		l.Hooks = append(l.Hooks, hook)
	}
	if h.Extension == "" {
		return nil
	}
	m, err := readManifest(h.Extension)
	if err != nil {
		return err
	}
	l.fillIn(h.Extension, h.Workspace, m, h.Settings)
	return nil
}

// inPart gives a hook of an agent the event that fires inside the agent: its end is
// SubagentStop. It reports whether there is such an event.
func (l *loader) inPart(h *hooks.Hook) bool {
	if h.Within.Agent == "" || !h.Event.IsMain() {
		return true
	}
	if h.Event == protocol.AfterAgent {
		h.Event = protocol.SubagentStop
		return true
	}
	l.problem(0, "%s", fmt.Sprintf("its hook of %s never runs: that is an event of the main agent", h.Event))
	return false
}
