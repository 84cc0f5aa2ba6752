package subagents

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"minigem/agent/subagent"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/place"
	"minigem/internal/text"
)

// Set is the agents of a run: where they are found, and which are off.
type Set struct {
	place.Place
	Extensions []config.Extension
	Trusted    bool // the project's agents and settings count
	Agreed     bool // the project's agents need no agreement
	On         bool // if false, all are off
	// Override applies the settings to a definition. The result says whether they turn
	// it on or off; nil means neither.
	Override func(*subagent.Definition) (enabled *bool)
}

const (
	// OfProject is the source of a project's agents.
	OfProject = "project"
	// NotAgreed is why an agent is off that the user has not agreed to.
	NotAgreed = "you have not agreed to it as it is now"
)

// All returns all agents, including those that are off, and the problems found in
// others. An untrusted folder contributes none. A project's agents are off until the
// user has agreed to them in their current form.
func (s Set) All() ([]Agent, []string) {
	found, problems := Discover(Builtin(), s.sources())
	for i := range found {
		a := &found[i]
		switch enabled := s.Override(&a.Definition); {
		case !s.On:
			a.Off = "experimental.enableAgents is false"
		case enabled != nil && !*enabled:
			a.Off = "agents.overrides in the settings turns it off"
		}
	}
	return found, problems
}

// sources returns the folders to look for agents in.
func (s Set) sources() []Source {
	agreements := AgreementsIn(s.DotGemini)
	agreed := func(a Agent) bool { return s.Agreed || agreements.Has(s.Dir, a) }
	var out []Source
	if s.Trusted && s.Dir != s.Home {
		out = append(out, Source{Dir: filepath.Join(s.Dir, ".gemini", "agents"), Name: OfProject, Agreed: agreed})
	}
	out = append(out, Source{Dir: filepath.Join(s.DotGemini, "agents"), Name: "user"})
	for _, e := range s.Extensions {
		one := Source{Dir: filepath.Join(e.Dir, "agents"), Name: "extension " + e.Name}
		if e.InProject {
			one.Name, one.Agreed = OfProject, agreed
		}
		out = append(out, one)
	}
	return out
}

// Files maps the names of the agents that may be called to the files that define them.
func (s Set) Files() map[string]string {
	all, _ := s.All()
	files := map[string]string{}
	for _, a := range all {
		if a.Off == "" && a.File != "" {
			files[a.Name] = a.File
		}
	}
	return files
}

// Project returns the project's agents that may be called once the user has agreed to
// them.
func (s Set) Project() []Agent {
	all, _ := s.All()
	return slices.DeleteFunc(all, func(a Agent) bool { return a.Source != OfProject || a.Off != "" && a.Off != NotAgreed })
}

// Agree records the user's agreement to the project's agents in their current form.
func (s Set) Agree() error { return AgreementsIn(s.DotGemini).Add(s.Dir, s.Project()) }

// named returns the agent called name.
func (s Set) named(name string) (Agent, error) {
	all, _ := s.All()
	var names []string
	for _, a := range all {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Agent{}, exit.Errorf(exit.Input, "%s", text.None("agent", name, names, "; /agents lists them"))
}

// Switch enables or disables the agent called name in the settings, and returns a
// message about what it did. It changes the project's settings if they are in force.
// Enabling also changes the user's (cli/utils/agentSettings.ts).
func (s Set) Switch(name string, on bool) (string, error) {
	a, err := s.named(name)
	if err != nil {
		return "", err
	}
	enabled := s.Override(&subagent.Definition{Name: name})
	off := enabled != nil && !*enabled
	switch {
	case on && a.Off == NotAgreed:
		return "", exit.Errorf(
			exit.Input, "the agent %s is not offered before you agree to it as it is: look at %s, then run minigem trust", name,
			s.Shorten(a.File))
	case !s.On:
		return "", exit.Errorf(exit.Input, "experimental.enableAgents is false in the settings, and turns all agents off")
	case on && !off:
		return fmt.Sprintf("The agent %s is enabled already.", name), nil
	case !on && off:
		return fmt.Sprintf("The agent %s is disabled already.", name), nil
	}
	files := []string{s.UserSettings()}
	if project, err := s.SettingsFile("project"); err == nil && s.Trusted {
		files = []string{project, s.UserSettings()}
	}
	done := fmt.Sprintf("The agent %s is enabled.", name)
	if !on {
		files, done = files[:1], fmt.Sprintf("The agent %s is disabled in %s.", name, s.Shorten(files[0]))
	}
	for _, file := range files {
		if err := jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
			return d.Set(on, "agents", "overrides", name, "enabled")
		}); err != nil {
			return "", place.EditError(err)
		}
	}
	return done, nil
}

// keys maps what Configure can change to its path in the settings.
var keys = map[string][]string{
	"model": {"modelConfig", "model"}, "turns": {"runConfig", "maxTurns"}, "minutes": {"runConfig", "maxTimeMinutes"},
}

// Describe describes the agent called name.
func (s Set) Describe(name string) (string, error) {
	a, err := s.named(name)
	if err != nil {
		return "", err
	}
	tools := "all of the session's"
	if a.Tools != nil {
		tools = cmp.Or(strings.Join(a.Tools, ", "), "none")
	}
	where := a.Source
	if a.File != "" {
		where += ", " + s.Shorten(a.File)
	}
	return fmt.Sprintf("%s (%s)\n  model    %s\n  turns    %d\n  minutes  %v\n  tools    %s", a.Name, where,
		cmp.Or(a.Model, "inherit"),
		cmp.Or(a.MaxTurns, subagent.DefaultTurns), cmp.Or(a.Timeout, subagent.DefaultTimeout).Minutes(), tools), nil
}

// Configure changes the model, turns or minutes of the agent called name in the user's
// settings.
func (s Set) Configure(name, key, value string) error {
	if _, err := s.named(name); err != nil {
		return err
	}
	path, ok := keys[key]
	if !ok {
		return exit.Errorf(exit.Input, "an agent has no %q that can be changed: it has model, turns and minutes", key)
	}
	var set any = value
	if key != "model" {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 100_000 {
			return exit.Errorf(exit.Input, "%s is %q: expected a whole number above 0", key, value)
		}
		set = n
	}
	return s.SaveSetting(set, append([]string{"agents", "overrides", name}, path...)...)
}
