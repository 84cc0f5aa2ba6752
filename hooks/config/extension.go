package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/dotenv"
	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
)

// Extension is an installed extension, as far as hooks need it.
type Extension struct {
	Name string // from the manifest: letters, digits and dashes
	// Dir is the absolute path of the extension's files. For a linked extension it is the
	// source that the link names.
	Dir string
	Off string // why the extension is not in force; empty means that it is
	// InProject says that the extension came with the project. Its hooks are treated as
	// the project's.
	InProject bool
	// Context lists the context files that the manifest names (contextFileName); nil if
	// it names none.
	Context []string
	// Source is the address or path that the extension was installed from. SourceType
	// says how: git, github-release, local or link. Both are empty if that was not
	// recorded.
	Source, SourceType string
	ExcludeTools       []string // the tools that the manifest switches off
}

const (
	manifestFile = "gemini-extension.json"
	installFile  = ".gemini-extension-install.json"
)

// EnablementFile is the name of the file in a root of extensions that says which of them
// are off. If the file is faulty, [FindExtensions] reports a Problem and treats no
// extension as off because of it.
const EnablementFile = "extension-enablement.json"

// ExtensionRoots are the directories to search for extensions. A root that is empty or
// does not exist has no extensions.
type ExtensionRoots struct {
	User string // ~/.gemini/extensions
	// Project is .gemini/extensions of a project. Leave it empty if the project is not
	// trusted.
	Project string
	// ProjectDir is the project's root. An extension of User that is a link into it is
	// treated as the project's.
	ProjectDir string
}

// FindExtensions lists the extensions under roots: the user's, then the project's, each
// in the order of their directories' names. Extensions that their root's
// extension-enablement.json turns off for workspacePath have the reason in Off
// (cli/config/extension-manager.ts). So does the second of two extensions with the same
// name. An extension that cannot be read is left out and reported as a Problem.
func FindExtensions(workspacePath string, roots ExtensionRoots) ([]Extension, []Problem) {
	var found []Extension
	var problems []Problem
	for _, root := range []string{roots.User, roots.Project} {
		if root == "" {
			continue
		}
		entries, err := os.ReadDir(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, Problem{File: root, Text: "reading the extensions: " + err.Error()})
		}
		enablement, err := readEnablement(filepath.Join(root, EnablementFile))
		if err != nil {
			problems = append(problems, Problem{File: filepath.Join(root, EnablementFile), Text: err.Error()})
		}
		for _, entry := range entries {
			dir := filepath.Join(root, entry.Name())
			if info, err := os.Stat(dir); err != nil || !info.IsDir() || strings.HasPrefix(entry.Name(), ".") {
				continue
			}
			ext, err := OpenExtension(dir)
			if err != nil {
				problems = append(problems, Problem{File: filepath.Join(dir, manifestFile), Text: err.Error()})
				continue
			}
			ext.InProject = root == roots.Project || roots.leadsIntoProject(ext.Dir)
			ext.Off = whyOff(ext, found, enablement, workspacePath, root)
			found = append(found, ext)
		}
	}
	return found, problems
}

// leadsIntoProject reports whether dir, found under the user's root, really is in the
// project, by a symbolic link or by a linked extension.
func (r ExtensionRoots) leadsIntoProject(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	return r.ProjectDir != "" && inside(r.ProjectDir, real) && !inside(r.User, real)
}

// IsExtension reports whether dir holds a gemini-extension.json, as an installed
// extension and its repository do.
func IsExtension(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil && info.Mode().IsRegular()
}

// OpenExtension reads the manifest of the extension in dir and follows a link to its
// source. Off and InProject are not set. If dir has no manifest, errors.Is(err,
// fs.ErrNotExist) holds.
func OpenExtension(dir string) (Extension, error) {
	install, err := readJSON(filepath.Join(dir, installFile))
	if err == nil && install.Get("type").Text() == "link" && install.Get("source").Kind() == jsonc.String {
		dir = install.Get("source").Text()
	}
	m, err := readManifest(dir)
	return Extension{
		Name: m.name, Dir: dir, Context: m.context, ExcludeTools: m.excluded,
		Source: install.Get("source").Text(), SourceType: install.Get("type").Text(),
	}, err
}

// readEnablement reads {"NAME": {"overrides": ["!/path/*"]}}.
func readEnablement(file string) (jsonc.Node, error) {
	root, err := readJSON(file)
	if err != nil || !root.Exists() {
		return root, err
	}
	if root.Kind() != jsonc.Object {
		return jsonc.Node{}, fmt.Errorf("%s must hold an object, not %s", file, root.Kind())
	}
	for _, m := range root.Members() {
		overrides := m.Value.Get("overrides")
		if len(overrides.Strings()) != len(overrides.Elements()) || len(m.Value.Members()) != 1 ||
			overrides.Kind() != jsonc.Array {
			return jsonc.Node{}, fmt.Errorf(`%s:%d: %q must be {"overrides": [...]}, an array of strings`, file, m.Line, m.Name)
		}
	}
	return root, nil
}

// whyOff says why an extension is not in force. Of the rules that cover the workspace the
// last one counts.
func whyOff(ext Extension, before []Extension, enablement jsonc.Node, workspacePath, root string) string {
	if i := slices.IndexFunc(before, func(e Extension) bool { return e.Name == ext.Name }); i >= 0 {
		return "an extension of the same name is in " + before[i].Dir
	}
	off := false
	for _, rule := range enablement.Get(ext.Name, "overrides").Strings() {
		path, disables := strings.CutPrefix(rule, "!")
		if coversPath(path, workspacePath) {
			off = disables
		}
	}
	if off {
		return "turned off in " + filepath.Join(root, EnablementFile)
	}
	return ""
}

// coversPath compares paths as the enablement file does: with a slash at both ends, and
// a final "*" for everything below.
func coversPath(rule, path string) bool {
	slashed := func(p string) string { return "/" + strings.Trim(filepath.ToSlash(p), "/") + "/" }
	if dir, below := strings.CutSuffix(rule, "*"); below {
		return strings.HasPrefix(strings.Replace(slashed(path), "//", "/", 1), strings.Replace(slashed(dir), "//", "/", 1))
	}
	return slashed(rule) == slashed(path)
}

// manifest holds what hooks need from gemini-extension.json.
type manifest struct {
	name    string
	envVars []string // the settings' environment variables
	context []string // contextFileName

	excluded []string // excludeTools
}

// readManifest reads gemini-extension.json in dir. If the file does not exist,
// errors.Is(err, fs.ErrNotExist) holds.
func readManifest(dir string) (manifest, error) {
	file := filepath.Join(dir, manifestFile)
	if _, err := os.Stat(file); err != nil {
		return manifest{}, err
	}
	root, err := readJSON(file)
	if err != nil {
		return manifest{}, err
	}
	m := manifest{name: root.Get("name").Text()}
	if !regexp.MustCompile(`^[A-Za-z0-9-]+$`).MatchString(m.name) {
		return manifest{}, fmt.Errorf("%q is not a name for an extension: only letters, digits and dashes", m.name)
	}
	for _, s := range root.Get("settings").Elements() {
		if v := s.Get("envVar"); v.Kind() == jsonc.String {
			m.envVars = append(m.envVars, v.Text())
		}
	}
	if name := root.Get("contextFileName"); name.Kind() == jsonc.String {
		m.context = []string{name.Text()}
	} else {
		m.context = name.Strings()
	}
	m.excluded = root.Get("excludeTools").Strings()
	return m, nil
}

// readJSON reads a file. A file that does not exist counts as empty.
func readJSON(path string) (jsonc.Node, error) {
	data, err := boundedfile.Read(path, boundedfile.Written)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return jsonc.Node{}, err
	}
	doc, err := jsonc.Parse(path, data)
	if err != nil {
		return jsonc.Node{}, err
	}
	return doc.Root(), nil
}

// LoadExtension reads hooks/hooks.json of the extension e, of which it uses Dir and
// InProject. An extension without that file has an empty Section. A file in Claude Code's
// form is read as "hooks migrate" would convert it.
//
// In every string ${extensionPath}, ${workspacePath}, ${/} and ${pathSeparator} are
// replaced. The settings that the extension declares are added to each hook's
// environment, where they win over the hook's own variables. Their values come from the
// extension's .env file and from settings, which wins.
func LoadExtension(e Extension, workspacePath string, settings map[string]string) (Section, error) {
	dir := e.Dir
	m, err := readManifest(dir)
	if err != nil {
		return Section{}, fmt.Errorf("reading the extension in %s: %w", dir, err)
	}
	file := filepath.Join(dir, "hooks", "hooks.json")
	data, err := boundedfile.Read(file, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return Section{Layer: hooks.LayerExtension, File: file, Extension: m.name, InProject: e.InProject}, nil
	}
	if err != nil {
		return Section{}, fmt.Errorf("reading the hooks of the extension %s: %w", m.name, err)
	}
	l, root, err := newLoader(hooks.LayerExtension, file, data)
	if err != nil {
		return Section{}, fmt.Errorf("reading the hooks of the extension %s: %w", m.name, err)
	}
	l.Extension, l.InProject = m.name, e.InProject
	if claude.Written(root.Get("hooks")) {
		if err := l.fromClaude(file, data, dir); err != nil {
			return Section{}, fmt.Errorf("reading the hooks of the extension %s: %w", m.name, err)
		}
	} else {
		l.hooks(root.Get("hooks"))
	}
	l.fillIn(dir, workspacePath, m, settings)
	return l.Section, nil
}

// fillIn replaces the variables in the extension's hooks, and adds its settings to their
// environment.
func (l *loader) fillIn(dir, workspacePath string, m manifest, settings map[string]string) {
	vars := newVariables(dir, workspacePath)
	env := l.extensionEnv(dir, m, settings)
	for i := range l.Hooks {
		vars.replaceIn(&l.Hooks[i])
		if len(env) > 0 && l.Hooks[i].Env == nil {
			l.Hooks[i].Env = map[string]string{}
		}
		maps.Copy(l.Hooks[i].Env, env)
	}
}

// fromClaude reads hooks that were written for Claude Code as "hooks migrate" would
// convert them.
func (l *loader) fromClaude(file string, data []byte, dir string) error {
	moved, err := claude.Migrate(claude.File{Name: file}, claude.File{Name: file, Data: data, Root: dir})
	if err != nil {
		return err
	}
	l.note(0, "these hooks are written for Claude Code: they are read in its dialect").Rule = "HK019"
	l.moved(moved.Remarks)
	own, root, err := newLoader(l.Layer, file, moved.Settings)
	if err != nil {
		return err
	}
	own.Extension, own.InProject = l.Extension, l.InProject
	own.hooks(root.Get("hooks"))
	for _, h := range own.Hooks {
		h.Source.Line = 0 // it counts in the converted text
		l.Hooks = append(l.Hooks, h)
	}
	return nil
}

// moved adds the remarks of a migration.
func (l *loader) moved(remarks []claude.Remark) {
	for _, r := range remarks {
		add := l.note
		if r.Lost {
			add = l.problem
		}
		add(r.Line, "%s", r.Text).Rule = r.Rule
	}
}

// extensionEnv returns the values of the settings that the extension declares.
func (l *loader) extensionEnv(dir string, m manifest, settings map[string]string) map[string]string {
	file := filepath.Join(dir, ".env")
	vars, err := dotenv.Read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.Problems = append(l.Problems, Problem{File: file, Text: "reading the settings: " + err.Error()})
	}
	stored := map[string]string{}
	for _, v := range vars {
		stored[v.Name] = v.Value
	}
	env := map[string]string{}
	for _, name := range m.envVars {
		if v, ok := stored[name]; ok {
			env[name] = v
		}
		if v, ok := settings[name]; ok {
			env[name] = v
		}
	}
	return env
}

// variables replaces the variables for paths in an extension's strings.
type variables struct {
	all   *strings.Replacer
	shell *strings.Replacer
	env   map[string]string
}

// newVariables returns the variables for these folders. A path with characters that are
// special to a shell is not written into commands, where a folder's name could then run
// as a command. It stays a variable there, set in the environment.
func newVariables(extension, workspace string) variables {
	separator := string(filepath.Separator)
	v := variables{env: map[string]string{}}
	everywhere := []string{"${/}", separator, "${pathSeparator}", separator}
	inCommands := slices.Clone(everywhere)
	for _, p := range [][2]string{{"extensionPath", extension}, {"workspacePath", workspace}} {
		pair := []string{"${" + p[0] + "}", p[1]}
		everywhere = append(everywhere, pair...)
		if filepath.Separator == '/' && strings.ContainsAny(p[1], "$`\"\\'!;&|<>()*?[]{}~#\n\r\t") {
			v.env[p[0]] = p[1]
			continue
		}
		inCommands = append(inCommands, pair...)
	}
	v.all, v.shell = strings.NewReplacer(everywhere...), strings.NewReplacer(inCommands...)
	return v
}

// replaceIn replaces the variables in all strings of h. A path that a shell could misread
// goes into the hook's environment instead of its command.
func (v variables) replaceIn(h *hooks.Hook) {
	h.Name, h.Description, h.Matcher = v.all.Replace(h.Name), v.all.Replace(h.Description), v.all.Replace(h.Matcher)
	h.URL, h.Prompt, h.StatusMessage = v.all.Replace(h.URL), v.all.Replace(h.Prompt), v.all.Replace(h.StatusMessage)
	for _, values := range []map[string]string{h.Env, h.Headers} {
		for name, value := range values {
			values[name] = v.all.Replace(value)
		}
	}
	h.Input, _ = jsonc.MapTexts(h.Input, v.all.Replace).(map[string]any)
	if h.Args != nil { // there is no shell
		h.Command = v.all.Replace(h.Command)
		for i := range h.Args {
			h.Args[i] = v.all.Replace(h.Args[i])
		}
		return
	}
	command := v.shell.Replace(h.Command)
	for name, path := range v.env {
		if strings.Contains(command, "${"+name+"}") {
			if h.Env == nil {
				h.Env = map[string]string{}
			}
			h.Env[name] = path
		}
	}
	h.Command = command
}
