package extensions

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/mcp/entry"
	"minigem/internal/place"
	"minigem/internal/subagents"
	"minigem/internal/text"
)

// Set is the extensions of a run, and which are in force.
type Set struct {
	place.Place
	Trusted  bool     // the project's count
	Only     []string // names given with -e; nil means all that are enabled
	Own      bool     // the extension in this folder counts as installed
	Disabled []string // names that the settings turn off
	Without  []string // names that they turn off without the project's settings
	Rules    Rules
	Env      []string                         // without the project's variables
	Lookup   func(name string) (string, bool) // looks up variables of the run
	// Expand expands variables as in settings.
	Expand func(s string, lookup func(name string) (string, bool)) string

	Used     []config.Extension // those in force
	Values   map[string][]Value // the settings that the user gave them, by extension name
	ServerOf map[string]string  // MCP server names to the extensions that bring them
}

// Roots returns the directories to look for extensions in, without the project's if the
// folder is not trusted.
func (s *Set) Roots() config.ExtensionRoots {
	roots := config.ExtensionRoots{User: filepath.Join(s.DotGemini, "extensions")}
	if s.ProjectDir != s.Home {
		roots.ProjectDir = s.ProjectDir
	}
	if project := filepath.Join(s.Dir, ".gemini", "extensions"); s.Trusted && project != roots.User {
		roots.Project = project
	}
	return roots
}

// All returns all extensions, and the problems found in others.
func (s *Set) All() ([]config.Extension, []config.Problem) {
	return config.FindExtensions(s.Dir, s.Roots())
}

// Find finds the extensions in force. The names given with -e select them; "none"
// selects none. Notices are what the user should know about the others.
func (s *Set) Find() (notices []string, problems []config.Problem, err error) {
	found, problems := s.All()
	for _, p := range problems {
		if filepath.Base(p.File) == enablementFile {
			return nil, problems, exit.Errorf(exit.Config,
				"reading which extensions are off: %s: correct the file, or move it away", s.ShortenIn(p.Text))
		}
	}
	for _, e := range found {
		off, err := s.Off(e)
		if err != nil {
			return nil, problems, err
		}
		if off == "" {
			s.Used = append(s.Used, e)
		} else if refused, _ := s.refused(e); off == refused {
			notices = append(notices, fmt.Sprintf("the extension %s is not used: %s", e.Name, refused))
		} else if s.loses(e) {
			notices = append(notices, fmt.Sprintf(
				"this project turns off your extension %s (extensions.disabled), and its hooks with it", text.VisibleLine(e.Name)))
		}
	}
	own := s.ProjectDir
	if config.IsExtension(s.Dir) { // a folder in a repository of several
		own = s.Dir
	}
	if s.Own && config.IsExtension(own) &&
		!slices.ContainsFunc(found, func(e config.Extension) bool { return e.Dir == own }) {
		e, _ := config.OpenExtension(own) // problems are reported when its hooks are read
		e.Dir, e.InProject = own, true
		s.Used = append(s.Used, e)
	}
	return notices, problems, nil
}

// Off returns why e is not in force, or "" if it is.
func (s *Set) Off(e config.Extension) (string, error) {
	switch {
	case e.Off != "":
		return e.Off, nil
	case slices.Contains(s.Disabled, e.Name):
		return "disabled in the settings", nil
	case s.Only != nil && !slices.Contains(s.Only, e.Name):
		return "not named by --extensions", nil
	}
	return s.refused(e)
}

// refused returns why the settings do not allow e, judging by its source, or "" if they
// do (cli/config/extension-manager.ts).
func (s *Set) refused(e config.Extension) (string, error) {
	why, err := s.Rules.Refused(Origin{Source: e.Source, Type: e.SourceType}, e.Dir)
	if err != nil {
		err = exit.With(exit.Config, err)
	}
	return why, err
}

// loses reports whether the project turns off an extension of the user's that has
// hooks.
func (s *Set) loses(e config.Extension) bool {
	if e.InProject || !slices.Contains(s.Disabled, e.Name) || slices.Contains(s.Without, e.Name) {
		return false
	}
	section, err := config.LoadExtension(e, s.Dir, nil)
	return err != nil || len(section.Hooks) > 0
}

// Manager returns a manager that changes the user's extensions and asks user.
func (s *Set) Manager(user User) *Manager {
	return &Manager{Dir: s.Roots().User, DotGemini: s.DotGemini, Home: s.Home, Workspace: s.Dir, Env: s.Env,
		Rules: s.Rules, User: user}
}

// Read reads the manifest of e and the settings that the user gave it, and adds its MCP
// servers to servers.
func (s *Set) Read(e config.Extension, servers map[string]entry.Server) (m Manifest, problems []config.Problem) {
	file := filepath.Join(e.Dir, manifestFile)
	m, err := ReadManifest(e.Dir)
	if err != nil {
		return Manifest{}, nil // reported when its hooks are read
	}
	problem := func(format string, args ...any) {
		problems = append(problems, config.Problem{File: file, Text: fmt.Sprintf(format, args...)})
	}
	for _, p := range m.Problems {
		problem("%s", p)
	}
	if len(m.Settings) > 0 && !e.InProject { // the user gave no settings to a project's extension
		i := Installed{Manifest: m, Origin: Origin{Source: e.Source, Type: e.SourceType},
			Folder: filepath.Join(s.Roots().User, e.Name), Dir: e.Dir}
		workspace := ""
		if s.Trusted {
			workspace = s.Dir
		}
		values, err := s.Manager(nil).Values(i, workspace)
		if err != nil {
			problem("reading its settings: %s", err)
		}
		s.Values[e.Name] = values
	}
	for _, one := range m.Servers {
		if other, taken := s.ServerOf[one.Name]; taken {
			problem("the MCP server %s is not used: the extension %s has one of that name", text.VisibleLine(one.Name), other)
			continue
		}
		server, err := s.server(e, one, servers)
		if err != nil {
			problem("the MCP server %s is not used: %v", text.VisibleLine(one.Name), err)
			continue
		}
		servers[one.Name], s.ServerOf[one.Name] = server, e.Name
	}
	return m, problems
}

// server returns an MCP server of e. Keys in the settings for a server with the same
// name win. Maps are merged.
func (s *Set) server(e config.Extension, one Server, servers map[string]entry.Server) (server entry.Server, err error) {
	values := s.Settings(e)
	if err := json.Unmarshal(s.expandIn(one.JSON, e, values), &server); err != nil {
		return server, err
	}
	if server.Env == nil {
		server.Env = map[string]string{}
	}
	for name, value := range values {
		if _, set := server.Env[name]; !set {
			server.Env[name] = value
		}
	}
	data, err := json.Marshal(servers[one.Name])
	if err == nil {
		err = json.Unmarshal(data, &server)
	}
	return server, err
}

// Of returns the extension that a skill or an agent came with, if any.
func (s *Set) Of(source, file string) (config.Extension, bool) {
	name, ofExtension := strings.CutPrefix(source, "extension ")
	for _, e := range s.Used {
		if ofExtension && e.Name == name || e.InProject && source == subagents.OfProject &&
			strings.HasPrefix(file, e.Dir+string(filepath.Separator)) {
			return e, true
		}
	}
	return config.Extension{}, false
}

// Settings returns the settings that the user gave e, by variable.
func (s *Set) Settings(e config.Extension) map[string]string {
	out := map[string]string{}
	for _, v := range s.Values[e.Name] {
		if v.Value != "" && !e.InProject {
			out[v.EnvVar] = v.Value
		}
	}
	return out
}

// paths returns the path variables in e's files, as pairs of name and value.
func (s *Set) paths(e config.Extension) []string {
	separator := string(filepath.Separator)
	return []string{"${extensionPath}", e.Dir, "${workspacePath}", s.Dir, "${/}", separator, "${pathSeparator}", separator}
}

// expandIn expands the variables in all strings of data.
func (s *Set) expandIn(data []byte, e config.Extension, values map[string]string) []byte {
	paths := strings.NewReplacer(s.paths(e)...)
	lookup := func(name string) (string, bool) {
		if v, ok := values[name]; ok {
			return v, true
		}
		return s.Lookup(name)
	}
	var all any
	_ = json.Unmarshal(data, &all)
	out, _ := json.Marshal(jsonc.MapTexts(all, func(text string) string { return s.Expand(paths.Replace(text), lookup) }))
	return out
}

// Replacer expands paths and settings in the texts of e, but not secret settings,
// because a model reads these texts.
func (s *Set) Replacer(e config.Extension) *strings.Replacer {
	pairs := s.paths(e)
	for _, v := range s.Values[e.Name] {
		if v.Value != "" && !v.Sensitive {
			pairs = append(pairs, "${"+v.EnvVar+"}", v.Value)
		}
	}
	return strings.NewReplacer(pairs...)
}
