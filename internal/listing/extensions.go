package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/output"
	"minigem/internal/text"
)

// ListedExtension is an extension and what it brings.
type ListedExtension struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Path    string            `json:"path"`
	Source  string            `json:"source,omitempty"`
	Type    string            `json:"type,omitempty"`
	Active  bool              `json:"isActive"`
	Why     string            `json:"why,omitempty"` // why it is not in use
	Brings  []ListedPart      `json:"brings"`
	Set     map[string]string `json:"settings,omitempty"` // where each is set: user, workspace or not set; without values
}

// ListedPart is one thing that an extension brings.
type ListedPart struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	Why  string `json:"why,omitempty"` // why it is not in use; empty if it is used whenever the extension is
}

// ListedExtensions returns all extensions, and the problems found in others.
func ListedExtensions(c *app.Configuration) ([]ListedExtension, []config.Problem, error) {
	found, problems := c.Extensions.All()
	out := []ListedExtension{}
	for _, e := range found {
		off, err := c.Extensions.Off(e)
		if err != nil {
			return nil, nil, err
		}
		l := ListedExtension{Name: e.Name, Path: e.Dir, Source: e.Source, Type: e.SourceType, Active: off == "", Why: off,
			Brings: []ListedPart{}}
		if m, err := extensions.ReadManifest(e.Dir); err == nil {
			l.Version = m.Version
		}
		brings, err := extensions.Read(e.Dir)
		if err != nil {
			problems = append(problems, config.Problem{File: e.Dir, Text: err.Error()})
		}
		unused := unusedIn(c, e)
		for _, p := range brings.Parts {
			l.Brings = append(l.Brings, ListedPart{p.Kind, p.Name, p.Text, unused(p.Kind, p.Name)})
		}
		for _, v := range c.Extensions.Values[e.Name] {
			if l.Set == nil {
				l.Set = map[string]string{}
			}
			l.Set[v.EnvVar] = cmp.Or(v.Where, "not set")
		}
		out = append(out, l)
	}
	return out, problems, nil
}

const nameTaken = "another one has the same name"

// unusedIn returns a function that says why a part of e is unused, or "" if it is used.
// It must be called in the order of the parts.
func unusedIn(c *app.Configuration, e config.Extension) func(kind, name string) string {
	inForce := slices.ContainsFunc(c.Extensions.Used, func(o config.Extension) bool { return o.Dir == e.Dir })
	own := map[string][]hooks.Hook{}
	for _, h := range c.Hooks.Hooks {
		if name := extensions.HookName(h); h.Source.Extension == e.Name {
			own[name] = append(own[name], h)
		}
	}
	return func(kind, name string) (why string) {
		switch {
		case kind == "themes":
			return "no effect in minigem"
		case !inForce:
		case kind == "MCP server":
			return serverUnused(c, name, e)
		case kind == "skill":
			return skillUnused(c, name, e)
		case kind == "agent":
			return agentUnused(c, name, e)
		case kind == "hook":
			if why = c.Hooks.Off; why == "" && len(own[name]) > 0 {
				why, own[name] = own[name][0].Disabled, own[name][1:]
			}
		}
		return why
	}
}

func skillUnused(c *app.Configuration, name string, e config.Extension) string {
	set := c.Skills()
	all, _ := set.All()
	for _, s := range all {
		switch {
		case s.Name != name:
		case set.Off(name):
			return "disabled in the settings"
		case text.Inside(e.Dir, s.File):
			return ""
		}
	}
	return nameTaken
}

func agentUnused(c *app.Configuration, name string, e config.Extension) string {
	all, _ := c.Agents().All()
	for _, a := range all {
		if a.Name == name && text.Inside(e.Dir, a.File) {
			return a.Off
		}
	}
	return nameTaken
}

func serverUnused(c *app.Configuration, name string, e config.Extension) string {
	for _, s := range c.MCP(nil).All(func(string) {}) {
		if s.Name == name {
			if s.Off == "" && c.Extensions.ServerOf[name] != e.Name {
				return nameTaken
			}
			return s.Off
		}
	}
	return ""
}

// WriteExtensions prints the list for people or for programs.
func WriteExtensions(c *app.Configuration, sys *app.System, format string) error {
	if format != "text" && format != "json" {
		return exit.Errorf(exit.Input, "--output-format is %q: it must be text or json", format)
	}
	all, problems, err := ListedExtensions(c)
	if err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s: %s\n", c.Shorten(p.File), c.ShortenIn(p.Text))
	}
	if format == "json" {
		return output.WriteJSON(sys.Stdout, all)
	}
	var b strings.Builder
	for _, e := range all {
		e.write(&b, c)
	}
	if len(all) == 0 {
		fmt.Fprintf(&b, "No extensions are installed; they would be in %s\n", c.Shorten(c.Extensions.Roots().User))
	}
	_, err = fmt.Fprint(sys.Stdout, b.String())
	return err
}

func (e ListedExtension) write(b *strings.Builder, c *app.Configuration) {
	state := text.VisibleLine(c.ShortenIn(cmp.Or(e.Why, "enabled")))
	fmt.Fprintf(b, "%s  %s  %s\n", text.VisibleLine(strings.TrimSpace(e.Name+" "+e.Version)), state, c.Shorten(e.Path))
	if e.Source != "" {
		fmt.Fprintf(b, "  from %s (%s)\n", text.VisibleLine(c.Shorten(e.Source)), text.VisibleLine(e.Type))
	}
	for _, p := range e.Brings {
		line := fmt.Sprintf("  %-14s  %s", p.Kind, p.Name)
		if p.Text != "" {
			line += ": " + c.ShortenIn(p.Text)
		}
		if p.Why != "" && e.Active {
			line += "  [not used: " + text.VisibleLine(c.ShortenIn(p.Why)) + "]"
		}
		if variable, _, _ := strings.Cut(p.Text, " "); p.Kind == "setting" && e.Set[variable] != "" {
			line += "  [" + e.Set[variable] + "]"
		}
		b.WriteString(line + "\n")
	}
}
