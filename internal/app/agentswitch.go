package app

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"minigem/agent/subagent"
	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/place"
	"minigem/internal/text"
)

// agent returns the agent called name.
func (c *Configuration) agent(name string) (Agent, error) {
	all, _ := c.AllAgents()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		var names []string
		for _, a := range all {
			names = append(names, a.Name)
		}
		return Agent{}, exit.Errorf(exit.Input, "%s", text.None("agent", name, names, "; /agents lists them"))
	}
	return all[i], nil
}

// SwitchAgent enables or disables the agent called name in the settings, and returns a
// message about what it did. It changes the project's settings if they are in force.
// Enabling also changes the user's (cli/utils/agentSettings.ts).
func (c *Configuration) SwitchAgent(name string, on bool) (string, error) {
	a, err := c.agent(name)
	if err != nil {
		return "", err
	}
	set := c.Settings.Agents.Overrides[name].Enabled
	off := set != nil && !*set
	switch {
	case on && a.Off == notAgreed:
		return "", exit.Errorf(
			exit.Input, "the agent %s is not offered before you agree to it as it is: look at %s, then run minigem trust", name,
			c.Shorten(a.File))
	case !c.Settings.Experimental.EnableAgents:
		return "", exit.Errorf(exit.Input, "experimental.enableAgents is false in the settings, and turns all agents off")
	case on && !off:
		return fmt.Sprintf("The agent %s is enabled already.", name), nil
	case !on && off:
		return fmt.Sprintf("The agent %s is disabled already.", name), nil
	}
	files := []string{c.agentSettings()}
	if on {
		files = append(files, filepath.Join(c.DotGemini, "settings.json"))
	}
	for _, file := range slices.Compact(files) {
		if err := jsonc.Edit(file, 0o600, func(d *jsonc.Doc) error {
			return d.Set(on, "agents", "overrides", name, "enabled")
		}); err != nil {
			return "", place.EditError(err)
		}
	}
	if on {
		return fmt.Sprintf("The agent %s is enabled.", name), nil
	}
	return fmt.Sprintf("The agent %s is disabled in %s.", name, c.Shorten(files[0])), nil
}

// agentSettings returns the settings file that SwitchAgent changes.
func (c *Configuration) agentSettings() string {
	if project, err := c.SettingsFile("project"); err == nil && c.Trust.Trusted {
		return project
	}
	return filepath.Join(c.DotGemini, "settings.json")
}

// agentKeys maps what ConfigureAgent can change to its path in the settings.
var agentKeys = map[string][]string{
	"model": {"modelConfig", "model"}, "turns": {"runConfig", "maxTurns"}, "minutes": {"runConfig", "maxTimeMinutes"},
}

// DescribeAgent describes the agent called name.
func (c *Configuration) DescribeAgent(name string) (string, error) {
	a, err := c.agent(name)
	if err != nil {
		return "", err
	}
	tools := "all of the session's"
	if a.Tools != nil {
		tools = cmp.Or(strings.Join(a.Tools, ", "), "none")
	}
	where := a.Source
	if a.File != "" {
		where += ", " + c.Shorten(a.File)
	}
	return fmt.Sprintf("%s (%s)\n  model    %s\n  turns    %d\n  minutes  %v\n  tools    %s", a.Name, where,
		cmp.Or(a.Model, "inherit"),
		cmp.Or(a.MaxTurns, subagent.DefaultTurns), cmp.Or(a.Timeout, subagent.DefaultTimeout).Minutes(), tools), nil
}

// ConfigureAgent changes the model, turns or minutes of the agent called name in
// the user's settings.
func (c *Configuration) ConfigureAgent(name, key, value string) error {
	if _, err := c.agent(name); err != nil {
		return err
	}
	path, ok := agentKeys[key]
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
	return c.SaveSetting(set, append([]string{"agents", "overrides", name}, path...)...)
}
