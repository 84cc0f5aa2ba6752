package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"minigem/hooks"
	"minigem/internal/mcp/fleet"
	"minigem/internal/settings"
	"minigem/internal/subagents"
	"minigem/internal/text"
	"minigem/internal/trust"
)

// Brings lists what the project brings that takes effect once its folder is trusted. c
// must have been read as if it were. Anything disabled, excluded, broken or without
// effect is left out, so the user is not asked to approve it.
func (c *Configuration) Brings() []trust.Item {
	b := brought{c: c, names: map[[2]string][]string{}}
	b.settings()
	for _, h := range c.ProjectHooks() {
		b.add("hooks", h.Source.File, fmt.Sprintf("%s %s", h.Event, h.ID()))
	}
	for _, s := range c.projectServers() {
		b.add("MCP servers", s.file, s.Name)
	}
	for _, name := range c.projectVars {
		b.add(".env", c.projectEnv, name)
	}
	quiet := func(string) {}
	for _, custom := range c.CustomCommands(nil, quiet) {
		if b.within(custom.File) {
			b.add("commands", filepath.Join(c.Dir, ".gemini", "commands"), "/"+custom.Name)
		}
	}
	for _, e := range c.Extensions.Used {
		if e.InProject {
			b.add("extensions", filepath.Dir(e.Dir), e.Name)
		}
	}
	set := c.Skills()
	found, _ := set.All()
	for _, s := range found {
		if s.Source == subagents.OfProject && !set.Off(s.Name) {
			b.add("skills", filepath.Dir(s.Dir()), s.Name)
		}
	}
	for _, a := range c.Agents().Project() {
		b.add("agents", filepath.Dir(a.File), a.Name)
	}
	return b.items
}

// brought collects items, one for each kind and file.
type brought struct {
	c     *Configuration
	items []trust.Item
	names map[[2]string][]string // by kind and file
}

func (b *brought) add(kind, file, name string) {
	file = filepath.ToSlash(b.c.Relative(file))
	at := [2]string{kind, file}
	all := append(b.names[at], name)
	b.names[at] = all
	item := trust.Named(kind, file, all)
	for i, other := range b.items {
		if other.Kind == kind && other.File == item.File {
			b.items[i] = item
			return
		}
	}
	b.items = append(b.items, item)
}

// within reports whether file belongs to the project.
func (b *brought) within(file string) bool {
	return text.Inside(b.c.Dir, file) && !text.Inside(b.c.DotGemini, file)
}

// settings adds the sections of the project's settings that have an effect.
func (b *brought) settings() {
	seen := map[string]bool{}
	for _, g := range b.c.Loaded.Given {
		section, _, _ := strings.Cut(g.Key, ".")
		if g.Origin.Layer != settings.LayerWorkspace || seen[section] || section == "hooks" || section == "mcpServers" ||
			settings.EffectOf(g.Key) == string(settings.EffectNone) {
			continue
		}
		seen[section] = true
		b.add("settings", g.Origin.File, section)
	}
}

// ProjectHooks returns the project's hooks that run.
func (c *Configuration) ProjectHooks() []hooks.Hook {
	var own []hooks.Hook
	for _, h := range c.Hooks.Hooks {
		if c.Hooks.Off == "" && h.Disabled == "" && c.TrustStore().OfProject(h, c.ProjectDir) {
			own = append(own, h)
		}
	}
	return own
}

type projectServer struct {
	fleet.Server
	file string
}

// projectServers returns the project's MCP servers that are started.
func (c *Configuration) projectServers() []projectServer {
	var out []projectServer
	of := map[string]string{}
	for name := range maps.Keys(c.Settings.MCPServers) {
		if at, ok := c.Loaded.Origin("mcpServers." + name); ok && at.Layer == settings.LayerWorkspace {
			of[name] = at.File
		}
	}
	for _, e := range c.Extensions.Used {
		for name, extension := range c.Extensions.ServerOf {
			if e.InProject && extension == e.Name {
				of[name] = filepath.Join(e.Dir, "gemini-extension.json")
			}
		}
	}
	for _, s := range c.MCP(nil).All(func(string) {}) {
		if file, ok := of[s.Name]; ok && s.Off == "" {
			out = append(out, projectServer{s, file})
		}
	}
	return out
}

// ProjectServers describes the MCP servers that the project and its agents bring, each
// with its target.
func (c *Configuration) ProjectServers() []string {
	var out []string
	for _, s := range c.projectServers() {
		out = append(out, fmt.Sprintf("%s: %s", s.Name, s.Target()))
	}
	for _, a := range c.Agents().Project() {
		for _, s := range a.In(c.MCP(nil)) {
			if s.Off == "" {
				out = append(out, fmt.Sprintf("%s of the agent %s: %s", s.Name, a.Name, s.Target()))
			}
		}
	}
	return out
}
