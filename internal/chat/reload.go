package chat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/commands"
	"minigem/internal/inspection"
	"minigem/internal/listing"
	"minigem/internal/text"
)

// inForce maps parts of the configuration, by a displayed name, to values that are only
// compared.
type inForce map[string]string

// inForce returns the current configuration.
func (t *live) inForce() inForce {
	now := inForce{}
	for _, h := range t.runtime.Config.Hooks.Hooks {
		name := fmt.Sprintf("hook %s %s", h.Event, h.ID())
		if h.Disabled != "" || h.Untrusted != "" {
			name += " (does not run)"
		}
		now[name] += fmt.Sprint(h.Matcher, h.Target(), h.Env, h.Timeout)
	}
	for _, s := range listing.SettingsBelow(t.runtime.Config, "") {
		named := strings.HasPrefix(s.Key, "hooks.") || strings.HasPrefix(s.Key, "hooksConfig.")
		if empty := string(s.Value) == "{}"; !named && !empty {
			now["setting "+s.Key] = string(s.Value)
		}
	}
	for _, f := range t.runtime.Context.All() {
		now["memory file "+t.shortenHome(f.Path)] = f.Text
	}
	for _, tool := range t.runtime.Registry.All() {
		now["tool "+tool.Spec().Name] = tool.Spec().Description
	}
	for _, c := range t.runtime.Config.CustomCommands(nil, func(string) {}) {
		now["command /"+c.Name] = c.Prompt
	}
	for _, d := range t.runtime.Agents.List() {
		b, _ := json.Marshal(d) // text and numbers
		now["agent "+d.Name] = string(b)
	}
	return now
}

// liveSettings lists the settings that a session reads each time. The others were read
// when it was built.
var liveSettings = []string{"context.fileName", "context.importFormat", "context.memoryBoundaryMarkers",
	"context.loadMemoryFromIncludeDirectories", "context.includeDirectoryTree"}

// printChanges prints what has changed since before. wired means that the session was
// rebuilt, so that all settings apply.
func (t *live) printChanges(before inForce, wired bool) {
	now := t.inForce()
	both := maps.Clone(before)
	maps.Copy(both, now)
	reported := false
	for _, name := range slices.Sorted(maps.Keys(both)) {
		_, was := before[name]
		_, is := now[name]
		mark := "~"
		switch {
		case was && is && before[name] == now[name]:
			continue
		case !was:
			mark = "+"
		case !is:
			mark = "-"
		}
		text := fmt.Sprintf("  %s %s", mark, text.VisibleLine(name))
		if key, ok := strings.CutPrefix(name, "setting "); ok && !wired && !slices.Contains(liveSettings, key) {
			text += t.term.Dim("  (from the next start on)")
		}
		t.term.Print(text)
		reported = true
	}
	if !reported {
		t.term.Print(t.term.Dim("  nothing is different"))
	}
}

// reload reads settings, hooks, context files and custom commands again, and applies
// what can change in a running session.
func (t *live) reload() error {
	c, err := t.configureAgain()
	if err != nil {
		return err
	}
	for _, n := range append(slices.Clone(c.Notices), inspection.Problems(c)...) {
		t.warn(t.runtime.Config.ShortenIn(n))
	}
	t.adopt(c)
	t.runtime.Skills.Reload()
	t.runtime.Agents.Reload()
	commands.Reread(t.runtime)
	t.runtime.Session.Renew()
	t.renewed()
	return nil
}

// configureAgain reads the current settings. Trust stays as it is.
func (t *live) configureAgain() (*app.Configuration, error) {
	f := *t.flags
	f.SkipTrust = t.runtime.Config.Trust.Trusted
	c, err := app.Configure(t.sys, &f)
	if err != nil {
		return nil, err
	}
	c.Trust = t.runtime.Config.Trust
	if t.consent.refused {
		t.consent.holdHooks(c)
	} else {
		t.consent.askHooks(c) // anyone, even the agent, may have changed the files
	}
	return c, nil
}

// adopt makes c the session's configuration and applies its hooks.
func (t *live) adopt(c *app.Configuration) {
	c.TakeKey(t.runtime.Config)
	t.runtime.Config = c
	t.runtime.Engine.SetConfig(c.Hooks.Config)
	t.runtime.Agent.Config.MaxRetries = c.Hooks.MaxRetries
}

// reloadMemory runs /memory reload, or applies what /memory add has changed.
func (t *live) reloadMemory(tell bool) error {
	before := t.inForce()
	if err := t.reload(); err != nil || !tell {
		return err
	}
	t.term.Print(fmt.Sprintf("Read again: settings, %s, %s. They apply from now on.",
		text.Plural(len(t.runtime.Config.Hooks.Hooks), "hook"), text.Plural(len(t.runtime.Context.Paths()), "memory file")))
	t.printChanges(before, false)
	return nil
}

// trustNow runs minigem trust inside the chat. It takes effect at once: an untrusted
// folder gets a new runtime.
func trustNow(t *call) error {
	f := *t.flags
	f.SkipTrust = true
	c, err := app.Configure(t.sys, &f)
	if err != nil {
		return err
	}
	if err := c.TrustFolder(); err != nil {
		return err
	}
	if err := t.captured(func(sys *app.System) error { listing.WriteTrusted(c, sys); return nil }); err != nil {
		return err
	}
	t.consent.refused = false
	before := t.inForce()
	wired := !t.runtime.Config.Trust.Trusted
	if wired {
		if c, err = app.Configure(t.sys, t.flags); err == nil {
			err = t.rewire(c, t.runtime.Session.ID())
		}
	} else if err = t.reload(); err == nil {
		// the user has agreed to the current scripts
		t.runtime.Engine.Watch = config.NewWatch(t.runtime.Config.ProjectDir, t.runtime.Config.Hooks.Config)
	}
	if err != nil {
		return err
	}
	if !t.runtime.Config.Trust.Trusted {
		t.warn("the folder is still not trusted: GEMINI_CLI_TRUST_WORKSPACE says so for this run")
	}
	t.term.Print("This applies from now on:")
	t.printChanges(before, wired)
	return nil
}

// clearAll begins a new session and finds its context files again.
func clearAll(t *call) error {
	t.term.Clear()
	commands.Reread(t.runtime)
	t.tally.reset()
	t.status.used.Store(0)
	t.begin(t.runtime.Session.Clear)
	t.term.Print(t.term.Dim("A new session: " + t.runtime.Session.ID()))
	return nil
}
