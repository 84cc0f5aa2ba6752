package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/contextfile"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/mcp/entry"
	"minigem/internal/settings"
	"minigem/internal/text"
)

// ExtensionRoots returns the directories to look for extensions in, without the
// project's if the folder is not trusted.
func (c *Configuration) ExtensionRoots() config.ExtensionRoots {
	roots := config.ExtensionRoots{User: filepath.Join(c.DotGemini, "extensions")}
	if c.ProjectDir != c.Home {
		roots.ProjectDir = c.ProjectDir
	}
	if project := filepath.Join(c.Dir, ".gemini", "extensions"); c.Trust.Trusted && project != roots.User {
		roots.Project = project
	}
	return roots
}

// findExtensions finds the extensions in force. The names given with -e select them;
// "none" selects none.
func (c *Configuration) findExtensions() ([]hooks.Problem, error) {
	found, problems := config.FindExtensions(c.Dir, c.ExtensionRoots())
	for _, p := range problems {
		if filepath.Base(p.File) == config.EnablementFile {
			return problems, exit.Errorf(exit.Config, "reading which extensions are off: %s: correct the file, or move it away",
				c.ShortenIn(p.Text))
		}
	}
	for _, e := range found {
		off, err := c.ExtensionOff(e)
		if err != nil {
			return problems, err
		}
		if off == "" {
			c.extensions = append(c.extensions, e)
		} else if refused, _ := c.extensionRefused(e); off == refused {
			c.Notices = append(c.Notices, fmt.Sprintf("the extension %s is not used: %s", e.Name, refused))
		} else if said := c.extensionSwitchedOff(e); said != "" {
			c.Notices = append(c.Notices, said)
		}
	}
	own := c.ProjectDir
	if config.IsExtension(c.Dir) { // a folder in a repository of several
		own = c.Dir
	}
	if c.ownExtension && config.IsExtension(own) &&
		!slices.ContainsFunc(found, func(e config.Extension) bool { return e.Dir == own }) {
		e, _ := config.OpenExtension(own) // problems are reported when its hooks are read
		e.Dir, e.InProject = own, true
		c.extensions = append(c.extensions, e)
	}
	return problems, nil
}

// ExtensionOff returns why e is not in force, or "" if it is.
func (c *Configuration) ExtensionOff(e config.Extension) (string, error) {
	switch {
	case e.Off != "":
		return e.Off, nil
	case slices.Contains(c.Settings.Extensions.Disabled, e.Name):
		return "disabled in the settings", nil
	case c.onlyExtensions != nil && !slices.Contains(c.onlyExtensions, e.Name):
		return "not named by --extensions", nil
	}
	return c.extensionRefused(e)
}

// extensionContext returns the context files of extensions.
func (c *Configuration) extensionContext() []contextfile.Extension {
	var out []contextfile.Extension
	for _, e := range c.extensions {
		out = append(out, contextfile.Extension{Dir: e.Dir, Files: e.Context})
	}
	return out
}

// ExtensionManager returns a manager that changes the user's extensions and asks user.
func (c *Configuration) ExtensionManager(user extensions.User) *extensions.Manager {
	return &extensions.Manager{
		Dir: c.ExtensionRoots().User, DotGemini: c.DotGemini, Home: c.Home, Workspace: c.Dir,
		Env: c.environmentWithoutProject(), Rules: c.extensionRules(), User: user,
	}
}

func (c *Configuration) environmentWithoutProject() []string {
	if c.own != nil {
		return c.own.Env
	}
	return c.Env
}

// ExtensionValues returns the settings that the user gave e, or none if e is not in
// force.
func (c *Configuration) ExtensionValues(e config.Extension) []extensions.Value {
	return c.values[e.Name]
}

// ExtensionParts lists the parts of the extension e, and why each one is unused, or ""
// if it is used.
func (c *Configuration) ExtensionParts(e config.Extension) (parts []extensions.Part, unused []string, err error) {
	brings, err := extensions.Read(e.Dir)
	inForce := slices.ContainsFunc(c.extensions, func(o config.Extension) bool { return o.Dir == e.Dir })
	own := map[string][]hooks.Hook{}
	for _, h := range c.Hooks.Hooks {
		if name := extensions.HookName(h); h.Source.Extension == e.Name {
			own[name] = append(own[name], h)
		}
	}
	for _, p := range brings.Parts {
		why := ""
		switch {
		case p.Kind == "themes":
			why = "no effect in minigem"
		case !inForce:
		case p.Kind == "MCP server":
			why = c.serverUnused(p.Name, e)
		case p.Kind == "skill":
			why = c.skillUnused(p.Name, e)
		case p.Kind == "agent":
			why = c.agentUnused(p.Name, e)
		case p.Kind == "hook":
			if why = c.Hooks.Off; why == "" && len(own[p.Name]) > 0 {
				why, own[p.Name] = own[p.Name][0].Disabled, own[p.Name][1:]
			}
		}
		unused = append(unused, why)
	}
	return brings.Parts, unused, err
}

const nameTaken = "another one has the same name"

func (c *Configuration) skillUnused(name string, e config.Extension) string {
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

func (c *Configuration) agentUnused(name string, e config.Extension) string {
	all, _ := c.AllAgents()
	for _, a := range all {
		if a.Name == name && text.Inside(e.Dir, a.File) {
			return a.Off
		}
	}
	return nameTaken
}

func (c *Configuration) serverUnused(name string, e config.Extension) string {
	for _, s := range c.MCP(nil).All(func(string) {}) {
		if s.Name == name {
			if s.Off == "" && c.serverOf[name] != e.Name {
				return nameTaken
			}
			return s.Off
		}
	}
	return ""
}

// readExtension reads the settings that the user gave e, and adds its MCP servers to
// the settings' own.
func (c *Configuration) readExtension(e config.Extension) (problems []hooks.Problem) {
	file := filepath.Join(e.Dir, "gemini-extension.json")
	m, err := extensions.ReadManifest(e.Dir)
	if err != nil {
		return nil // reported when its hooks are read
	}
	for _, p := range m.Problems {
		problems = append(problems, hooks.Problem{File: file, Text: p})
	}
	if len(m.Settings) > 0 && !e.InProject { // the user gave no settings to a project's extension
		i := extensions.Installed{Manifest: m, Origin: extensions.Origin{Source: e.Source, Type: e.SourceType},
			Folder: filepath.Join(c.ExtensionRoots().User, e.Name), Dir: e.Dir}
		workspace := ""
		if c.Trust.Trusted {
			workspace = c.Dir
		}
		values, err := c.ExtensionManager(nil).Values(i, workspace)
		if err != nil {
			problems = append(problems, hooks.Problem{File: file, Text: "reading its settings: " + err.Error()})
		}
		if c.values == nil {
			c.values = map[string][]extensions.Value{}
		}
		c.values[e.Name] = values
	}
	if c.Settings.General.Plan.Directory == "" { // the first extension that sets it wins
		c.Settings.General.Plan.Directory = m.PlanDir
	}
	return append(problems, c.addServers(e, m, file)...)
}

// settingsOf returns the settings that the user gave e, by variable.
func (c *Configuration) settingsOf(e config.Extension) map[string]string {
	var out map[string]string
	for _, v := range c.values[e.Name] {
		if v.Value != "" && !e.InProject {
			if out == nil {
				out = map[string]string{}
			}
			out[v.EnvVar] = v.Value
		}
	}
	return out
}

// addServers adds the MCP servers of e. Keys in the settings for a server with the same
// name win. If two extensions use the same name, the first one gets it.
func (c *Configuration) addServers(e config.Extension, m extensions.Manifest, file string) (problems []hooks.Problem) {
	if len(m.Servers) == 0 {
		return nil
	}
	if c.serverOf == nil {
		c.serverOf = map[string]string{}
		c.AddMCPServers(nil) // copies the map, which is changed below
	}
	values := c.settingsOf(e)
	for _, s := range m.Servers {
		if other, taken := c.serverOf[s.Name]; taken {
			problems = append(
				problems, hooks.Problem{
					File: file, Text: fmt.Sprintf("the MCP server %s is not used: the extension %s has one of that name",
						text.VisibleLine(s.Name), other)})
			continue
		}
		var server entry.Server
		if err := json.Unmarshal(c.expandIn(s.JSON, e, values), &server); err != nil {
			problems = append(
				problems, hooks.Problem{File: file, Text: fmt.Sprintf("the MCP server %s is not used: %v", text.VisibleLine(s.Name),
					err)})
			continue
		}
		if server.Env == nil {
			server.Env = map[string]string{}
		}
		for name, value := range values {
			if _, set := server.Env[name]; !set {
				server.Env[name] = value
			}
		}
		if own, set := c.Settings.MCPServers[s.Name]; set {
			data, err := json.Marshal(own)
			if err == nil {
				err = json.Unmarshal(data, &server) // its keys replace earlier ones; maps are merged
			}
			if err != nil {
				problems = append(problems, hooks.Problem{File: file, Text: err.Error()})
			}
		}
		c.Settings.MCPServers[s.Name] = server
		c.serverOf[s.Name] = e.Name
	}
	return problems
}

// variablesOf returns the path variables in e's files, as pairs of name and value.
func (c *Configuration) variablesOf(e config.Extension) []string {
	separator := string(filepath.Separator)
	return []string{"${extensionPath}", e.Dir, "${workspacePath}", c.Dir, "${/}", separator, "${pathSeparator}", separator}
}

// expandIn expands the variables in all strings of data.
func (c *Configuration) expandIn(data []byte, e config.Extension, values map[string]string) []byte {
	paths := strings.NewReplacer(c.variablesOf(e)...)
	lookup := func(name string) (string, bool) {
		if v, ok := values[name]; ok {
			return v, true
		}
		return (&System{Env: c.Env}).LookupEnv(name)
	}
	var all any
	_ = json.Unmarshal(data, &all)
	out, _ := json.Marshal(jsonc.MapTexts(all, func(text string) string {
		return settings.Expand(paths.Replace(text), lookup)
	}))
	return out
}

// replacerOf expands paths and settings in the texts of e, but not secret settings,
// because a model reads these texts.
func (c *Configuration) replacerOf(e config.Extension) *strings.Replacer {
	pairs := c.variablesOf(e)
	for _, v := range c.values[e.Name] {
		if v.Value != "" && !v.Sensitive {
			pairs = append(pairs, "${"+v.EnvVar+"}", v.Value)
		}
	}
	return strings.NewReplacer(pairs...)
}
