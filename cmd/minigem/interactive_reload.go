package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/internal/contextfile"
	"minigem/internal/terminal"
	"minigem/internal/trust"
	"minigem/session"
)

// inForce is what configuration brings, by names for people; the values are
// only compared.
type inForce map[string]string

// inForce is what holds now.
func (t *chat) inForce() inForce {
	now := inForce{}
	for _, h := range t.hooks.Hooks {
		name := fmt.Sprintf("hook %s %s", h.Event, h.ID())
		if h.Disabled != "" || h.Untrusted != "" {
			name += " (does not run)"
		}
		now[name] += fmt.Sprint(h.Matcher, h.Command, h.Env, h.Timeout)
	}
	for _, s := range t.settingsBelow("") {
		told := strings.HasPrefix(s.Key, "hooks.") || strings.HasPrefix(s.Key, "hooksConfig.")
		if empty := string(s.Value) == "{}"; !told && !empty {
			now["setting "+s.Key] = string(s.Value)
		}
	}
	for _, f := range slices.Concat(t.rig.context.Global, t.rig.context.Extension, t.rig.context.Project) {
		now["memory file "+t.shortenHome(f.Path)] = f.Text
	}
	for _, tool := range t.registry.All() {
		now["tool "+tool.Spec().Name] = tool.Spec().Description
	}
	for _, c := range t.customCommands(nil, func(string) {}) {
		now["command /"+c.Name] = c.Prompt
	}
	return now
}

// liveSettings are those that a session asks for each time; the others were
// handed out when it was wired.
var liveSettings = []string{"context.fileName", "context.importFormat", "context.memoryBoundaryMarkers",
	"context.loadMemoryFromIncludeDirectories", "context.includeDirectoryTree"}

// tellChanges prints what is another one than it was before. wired: settings
// hold from now on, all of them.
func (t *chat) tellChanges(before inForce, wired bool) {
	now := t.inForce()
	both := maps.Clone(before)
	maps.Copy(both, now)
	told := false
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
		text := fmt.Sprintf("  %s %s", mark, trust.Printable(name))
		if key, ok := strings.CutPrefix(name, "setting "); ok && !wired && !slices.Contains(liveSettings, key) {
			text += t.term.Dim("  (from the next start on)")
		}
		t.term.Print(text)
		told = true
	}
	if !told {
		t.term.Print(t.term.Dim("  nothing is different"))
	}
}

// reload reads settings, hooks, context files and custom commands again, and
// gives the session what of them can change under way.
func (t *chat) reload() error {
	c, err := t.configureAgain()
	if err != nil {
		return err
	}
	for _, n := range append(slices.Clone(c.notices), c.hookProblems()...) {
		t.warn(t.shortenIn(n))
	}
	t.adopt(c)
	if err := t.rereadContext(); err != nil {
		return err
	}
	t.session.Renew()
	t.agent.Config.System = t.systemPrompt(true, t.warn)
	t.table = t.addCustom(t.commands())
	return nil
}

// configureAgain reads the settings as they are now. Trust stays as it is.
func (t *chat) configureAgain() (*configuration, error) {
	f := *t.flags
	f.skipTrust = t.trust.trusted
	c, err := configure(t.sys, &f)
	if err != nil {
		return nil, err
	}
	c.trust = t.trust
	if t.heldHooks {
		t.holdHooks(c)
	} else {
		t.askHooks(c) // somebody, the agent itself it may be, has added to the files
	}
	return c, nil
}

// adopt gives the hook engine the hooks of c.
func (t *chat) adopt(c *configuration) {
	t.rig.configuration = c
	t.engine.SetConfig(c.hooks)
	t.agent.Config.MaxRetries = c.hooks.MaxRetries
}

// rereadContext finds the context files anew, those of subdirectories too.
func (t *chat) rereadContext() error {
	return t.wirePrompt(t.ctx, t.sys, &wiring{warn: t.warn, interactive: true})
}

func (t *chat) memoryReload(context.Context, string) error {
	before := t.inForce()
	if err := t.reload(); err != nil {
		return err
	}
	t.term.Print(fmt.Sprintf("Read again: settings, %s, %s. They hold from now on.",
		count(len(t.hooks.Hooks), "hook"), count(len(t.rig.context.Paths()), "memory file")))
	t.tellChanges(before, false)
	return nil
}

// memoryAdd writes a fact into a memory file, as the model's own tool does.
func (t *chat) memoryAdd(_ context.Context, fact string) error {
	args := map[string]any{"fact": fact}
	if rest, ok := strings.CutPrefix(fact+" ", "--project "); ok {
		args["fact"], args["scope"] = rest, "project"
	}
	if strings.TrimSpace(fmt.Sprint(args["fact"])) == "" {
		return errors.New("what is to be remembered? /memory add [--project] TEXT")
	}
	if args["scope"] != nil && t.projectMemory() == "" {
		return errors.New("this folder is not trusted, and its memory file is not read: /memory add TEXT keeps it for all projects")
	}
	inv, err := t.registry.Lookup("save_memory").Prepare(args)
	if err != nil {
		return err
	}
	res, err := inv.Run(t.ctx)
	if err != nil {
		return err
	}
	t.term.Print(terminal.Clean(fmt.Sprint(res.Display)))
	return t.reload()
}

// trustNow is minigem trust from inside. What the folder brings holds at once:
// a folder that was not trusted gets a session wired anew.
func (t *chat) trustNow(context.Context, string) error {
	f := *t.flags
	f.skipTrust = true
	c, err := configure(t.sys, &f)
	if err != nil {
		return err
	}
	if err := c.trustFolder(); err != nil {
		return err
	}
	if err := t.captured(func(sys *system) error { c.writeTrusted(sys); return nil }); err != nil {
		return err
	}
	t.heldHooks = false
	before := t.inForce()
	wired := !t.trust.trusted
	if wired {
		if c, err = configure(t.sys, t.flags); err == nil {
			err = t.rewire(c, t.session.ID())
		}
	} else if err = t.reload(); err == nil {
		t.engine.Watch = hooks.NewWatch(t.projectDir, t.hooks) // the yes is to the scripts as they are now
	}
	if err != nil {
		return err
	}
	if !t.trust.trusted {
		t.warn("the folder is still not trusted: GEMINI_CLI_TRUST_WORKSPACE says so for this run")
	}
	t.term.Print("This holds from now on:")
	t.tellChanges(before, wired)
	return nil
}

// rewire ends the session, in whose place comes the one with the id, wired as c
// says.
func (t *chat) rewire(c *configuration, id string) error {
	t.view.Work("ending the session", nil, func() { t.session.End(context.WithoutCancel(t.ctx), "other") })
	project := t.project
	t.rig.close()
	old := t.flags
	defer func() { t.flags = old }()
	f := *t.flags
	f.resume, f.sessionID, f.sessionFile = id, "", ""
	if _, err := session.Find(project, id); err != nil {
		f.resume, f.sessionID = "", id // nothing was said in it yet
	}
	t.flags = &f
	err := t.open(c)
	if err != nil {
		f.resume, f.sessionID = "", ""
		if again := t.open(c); again != nil {
			return errors.Join(err, again)
		}
		err = fmt.Errorf("%w; a new session begins", err)
	}
	t.table = t.addCustom(t.commands())
	if err == nil && len(t.said()) > 0 {
		t.replay()
	}
	t.begin(t.session.Begin)
	return err
}

// clearAll begins a new session, for which the context files are found again.
func (t *chat) clearAll(context.Context, string) error {
	t.term.Clear()
	if err := t.rereadContext(); err != nil {
		return err
	}
	t.agent.Config.System = t.systemPrompt(true, t.warn)
	t.begin(t.session.Clear)
	t.term.Print(t.term.Dim("A new session: " + t.session.ID()))
	return nil
}

// memoryText is all that memory files say.
func memoryText(s contextfile.Set, root string) string {
	var texts []string
	for _, files := range [][]contextfile.File{s.Global, s.Extension, s.Project} {
		if len(files) > 0 {
			texts = append(texts, contextfile.Render(files, root))
		}
	}
	return strings.Join(texts, "\n\n")
}
