package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"minigem/hooks"
	"minigem/internal/settings"
	"minigem/internal/terminal"
	"minigem/internal/trust"
)

// askTrust asks about a folder that brings something nobody decided about, and
// returns the configuration that follows from the answer. Whatever is no clear
// yes leaves the folder as it is: not trusted.
func (t *chat) askTrust(c *configuration) (*configuration, error) {
	rules, _, err := trust.Load(c.trustedFolders())
	if c.trust.trusted || len(c.trust.brought) == 0 || err == nil && rules.Decide(c.dir) == trust.Untrusted {
		return c, nil
	}
	own, servers := t.programsToTrust()
	t.term.Print(t.trustQuestion(c, own, servers))
	i, _, ok := t.term.Choose(t.ctx, "Trust it?", []terminal.Choice{
		{Label: "No, not now: go on without all that", Keys: []string{"n", "no"}},
		{Label: "Trust this folder, and its hooks as they are now", Keys: []string{"t", "y", "yes"}},
		{Label: "Parent: trust " + trust.Printable(filepath.Base(filepath.Dir(c.dir))) + " and all folders in it, and the hooks of this one", Keys: []string{"p"}},
		{Label: "Don't trust it, and don't ask again", Keys: []string{"d"}},
	})
	if !ok || i == 0 {
		return c, nil
	}
	level := []trust.Level{"", trust.Folder, trust.Parent, trust.Never}[i]
	if err := trust.Set(c.trustedFolders(), c.dir, level); err != nil || level == trust.Never {
		return c, err
	}
	if err := c.trustStore().Trust(c.projectDir, own); err != nil {
		return c, err
	}
	again, err := configure(t.sys, t.flags)
	if err == nil {
		err = t.configured(again)
	}
	return again, err
}

// programsToTrust are the hooks and the MCP servers, as command lines, that the
// folder would bring. What cannot be read is told once the user has said yes.
func (t *chat) programsToTrust() (own []hooks.Hook, servers []string) {
	f := *t.flags
	f.skipTrust = true
	c, err := configure(t.sys, &f)
	if err != nil {
		return nil, nil
	}
	for _, e := range c.loaded.Entries() {
		name, isCommand := strings.CutSuffix(strings.TrimPrefix(e.Key, "mcpServers."), ".command")
		if isCommand && e.Origin.Layer == settings.LayerWorkspace && strings.HasPrefix(e.Key, "mcpServers.") {
			s := c.settings.MCPServers[name]
			servers = append(servers, fmt.Sprintf("%s: %s", name, strings.Join(append([]string{s.Command}, s.Args...), " ")))
		}
	}
	return c.projectHooks(), servers
}

func (t *chat) trustQuestion(c *configuration, own []hooks.Hook, servers []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s brings:\n", t.term.Bold("Do you trust this folder?"), terminal.Clean(c.dir))
	for _, item := range c.trust.brought {
		fmt.Fprintf(&b, "  %s\n", trust.Printable(item.String()))
	}
	if len(own) > 0 {
		b.WriteString("These hooks would run by themselves:\n")
	}
	for _, h := range own {
		t.describeHook(&b, c, h)
	}
	if len(servers) > 0 {
		b.WriteString("These MCP servers would be started:\n")
	}
	for _, s := range servers {
		fmt.Fprintf(&b, "  %s\n", trust.Printable(s))
	}
	b.WriteString(t.term.Wrap("A yes lets programs of this folder run as you, with your files and your network: its hooks, its MCP servers, " +
		"and what its custom commands and settings start. Without it none of this is loaded."))
	return b.String()
}

// describeHook shows where a hook stands and what it runs.
func (t *chat) describeHook(b *strings.Builder, c *configuration, h hooks.Hook) {
	fmt.Fprintf(b, "  %s  %s  %s\n", h.Event, trust.Printable(h.ID()), t.term.Dim(trust.Printable(fmt.Sprintf("%s:%d", c.relative(h.Source.File), h.Source.Line))))
	fmt.Fprintf(b, "    $ %s\n", trust.Printable(h.Command))
}

// asksForHooks reports whether new hooks of the project are asked about, and
// not only named (docs/spec/contract.md 6).
func (t *chat) asksForHooks(c *configuration) bool {
	return c.settings.Security.FolderTrust.Enabled && !t.flags.skipTrust && c.trust.why != "GEMINI_CLI_TRUST_WORKSPACE"
}

// askHooks asks about the project's hooks that are new or changed, before any
// of them runs.
func (t *chat) askHooks(c *configuration) {
	own := unseenHooks(c)
	if len(own) == 0 || !t.asksForHooks(c) {
		return
	}
	var b strings.Builder
	b.WriteString(t.term.Bold("Hooks of this project that you have not agreed to yet:") + "\n")
	for _, h := range own {
		t.describeHook(&b, c, h)
		fmt.Fprintf(&b, "    %s\n", t.term.Warning(trust.Printable(h.Note)))
	}
	t.term.Print(b.String())
	i, _, ok := t.term.Choose(t.ctx, "Let them run?", []terminal.Choice{
		{Label: "No, not in this session", Keys: []string{"n", "no"}},
		{Label: "Yes, and remember them as they are", Keys: []string{"y", "yes"}},
	})
	if !ok || i != 1 {
		t.heldHooks = true
		t.holdHooks(c)
		return
	}
	if err := c.trustStore().Trust(c.projectDir, own); err != nil {
		t.warn(err.Error())
	}
	for i := range c.hooks.Hooks {
		c.hooks.Hooks[i].Note = ""
	}
}

func unseenHooks(c *configuration) []hooks.Hook {
	var own []hooks.Hook
	for _, h := range c.hooks.Hooks {
		if h.Note != "" && h.Disabled == "" {
			own = append(own, h)
		}
	}
	return own
}

// holdHooks keeps the hooks that the user said no to from running.
func (t *chat) holdHooks(c *configuration) {
	if !t.heldHooks {
		return
	}
	for i := range c.hooks.Hooks {
		if h := &c.hooks.Hooks[i]; h.Note != "" {
			h.Untrusted = "you said no to it: " + h.Note
		}
	}
}
