package chat

import (
	"fmt"
	"path/filepath"
	"strings"

	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/internal/trust"
)

// consent asks whether what a project brings may run, and remembers a refusal.
type consent struct {
	*console
	flags      *app.Options
	configured func(*app.Configuration) error // called with each configuration that is read again
	refused    bool                           // the user refused the project's new hooks
}

// askTrust asks about a folder that has something to load and that the user has not
// decided about. It returns the resulting configuration. Without a clear yes, the
// folder stays untrusted.
func (t *consent) askTrust(c *app.Configuration) (*app.Configuration, error) {
	rules, _, err := trust.Load(c.TrustedFolders())
	if c.Trust.Trusted || len(c.Trust.Contents) == 0 || err == nil && rules.Decide(c.Dir) == trust.Untrusted {
		return c, nil
	}
	own, servers := t.programsToTrust()
	i, _, ok := t.term.Choose(t.ctx, t.trustQuestion(c, own, servers), "Trust it?", []terminal.Choice{
		{Label: "No, not now: go on without them", Keys: []string{"n", "no"}},
		{Label: "Trust this folder, and its hooks and agents as they are now", Keys: []string{"t", "y", "yes"}},
		{Label: "Parent: trust " + text.VisibleLine(filepath.Base(filepath.Dir(c.Dir))) +
			" and all folders in it, and the hooks of this one", Keys: []string{"p"}},
		{Label: "Don't trust it, and don't ask again", Keys: []string{"d"}},
	})
	if !ok || i == 0 {
		return c, nil
	}
	level := []trust.Level{"", trust.Folder, trust.Parent, trust.Never}[i]
	if err := trust.Set(c.TrustedFolders(), c.Dir, level); err != nil || level == trust.Never {
		return c, err
	}
	if err := c.TrustStore().Trust(c.ProjectDir, own); err != nil {
		return c, err
	}
	again, err := app.Configure(t.sys, t.flags)
	if err == nil {
		err = again.Agents().Agree()
	}
	if err == nil {
		err = t.configured(again)
	}
	return again, err
}

// programsToTrust lists the folder's hooks and MCP servers as command lines. Problems
// in its files are reported after the user has said yes.
func (t *consent) programsToTrust() (own []hooks.Hook, servers []string) {
	f := *t.flags
	f.SkipTrust = true
	c, err := app.Configure(t.sys, &f)
	if err != nil {
		return nil, nil
	}
	return c.ProjectHooks(), c.ProjectServers()
}

func (t *consent) trustQuestion(c *app.Configuration, own []hooks.Hook, servers []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", t.term.Bold("Do you trust this folder?"),
		t.term.Wrap(terminal.Clean(c.Dir)+" ("+c.Trust.Why+") contains:"))
	for _, item := range c.Trust.Contents {
		fmt.Fprintf(&b, "  %s\n", text.VisibleLine(item.String()))
	}
	if len(own) > 0 {
		b.WriteString("These hooks would run by themselves:\n")
	}
	for _, h := range own {
		t.describeHook(&b, c, h)
	}
	if len(servers) > 0 {
		b.WriteString("These MCP servers would be used:\n")
	}
	for _, s := range servers {
		fmt.Fprintf(&b, "  %s\n", text.VisibleLine(s))
	}
	b.WriteString(t.term.Wrap("A yes lets programs of this folder run as you, with your files and your network: its " +
		"hooks, its MCP servers, " +
		"and what its custom commands and settings start. Without it none of this is loaded."))
	return b.String()
}

// describeHook shows where a hook is defined and what it runs.
func (t *consent) describeHook(b *strings.Builder, c *app.Configuration, h hooks.Hook) {
	fmt.Fprintf(b, "  %s  %s  %s\n", h.Event, text.VisibleLine(h.Label()),
		t.term.Dim(text.VisibleLine(fmt.Sprintf("%s:%d", c.Relative(h.Source.File), h.Source.Line))))
	mark := ""
	if h.Line() != "" {
		mark = "$ "
	}
	fmt.Fprintf(b, "    %s%s\n", mark, text.VisibleLine(h.Target()))
}

// asksForHooks reports whether to ask about the project's new hooks rather than just
// naming them (docs/spec/contract.md 6).
func (t *consent) asksForHooks(c *app.Configuration) bool {
	return c.Settings.Security.FolderTrust.Enabled && !t.flags.SkipTrust && c.Trust.Why != "GEMINI_CLI_TRUST_WORKSPACE"
}

// askHooks asks about the project's new and changed hooks before any of them runs.
func (t *consent) askHooks(c *app.Configuration) {
	own := unseenHooks(c)
	if len(own) == 0 || !t.asksForHooks(c) {
		return
	}
	var b strings.Builder
	b.WriteString(t.term.Bold("Hooks of this project that you have not agreed to yet:") + "\n")
	for _, h := range own {
		t.describeHook(&b, c, h)
		fmt.Fprintf(&b, "    %s\n", t.term.Warning(text.VisibleLine(h.Note)))
	}
	i, _, ok := t.term.Choose(t.ctx, b.String(), "Let them run?", []terminal.Choice{
		{Label: "No, not in this session", Keys: []string{"n", "no"}},
		{Label: "Yes, and remember their current state", Keys: []string{"y", "yes"}},
	})
	if !ok || i != 1 {
		t.refused = true
		t.holdHooks(c)
		return
	}
	if err := c.TrustStore().Trust(c.ProjectDir, own); err != nil {
		t.warn(err.Error())
	}
	for i := range c.Hooks.Hooks {
		c.Hooks.Hooks[i].Note = ""
	}
}

func unseenHooks(c *app.Configuration) []hooks.Hook {
	var own []hooks.Hook
	for _, h := range c.Hooks.Hooks {
		if h.Note != "" && h.Disabled == "" {
			own = append(own, h)
		}
	}
	return own
}

// holdHooks disables the hooks that the user refused.
func (t *consent) holdHooks(c *app.Configuration) {
	if !t.refused {
		return
	}
	for i := range c.Hooks.Hooks {
		if h := &c.Hooks.Hooks[i]; h.Note != "" {
			h.Untrusted = "you said no to it: " + h.Note
		}
	}
}
