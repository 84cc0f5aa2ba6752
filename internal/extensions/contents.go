package extensions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/boundedfile"
	"minigem/internal/skills"
	"minigem/internal/slash"
	"minigem/internal/subagents"
	"minigem/internal/text"
)

// Part is one thing that an extension brings, for display.
type Part struct {
	// Kind is "hook", "MCP server", "command", "skill", "agent", "policy", "context
	// file", "excluded tool", "setting", "plan directory" or "themes".
	Kind string
	Name string
	Text string // what it runs, or what it asks for
}

// Contents is everything that an extension brings.
type Contents struct {
	Manifest
	Parts []Part
}

// Read reads everything that the extension in dir brings. It does not expand
// ${extensionPath} in paths.
func Read(dir string) (Contents, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return Contents{}, err
	}
	c := Contents{Manifest: m}
	if m.Version == "" {
		c.Problems = append(c.Problems, `the manifest has no "version"`)
	}
	c.hooks(dir)
	for _, s := range m.Servers {
		c.Parts = append(c.Parts, Part{"MCP server", text.VisibleLine(s.Name), text.VisibleLine(target(s))})
	}
	commands, faults := slash.LoadCustom(filepath.Join(dir, "commands"))
	for _, e := range faults {
		c.Problems = append(c.Problems, e.Error())
	}
	for _, cmd := range commands {
		note := cmd.Description
		if strings.Contains(cmd.Prompt, "!{") {
			note = strings.TrimSpace("runs shell commands; " + note)
		}
		c.add("command", "/"+cmd.Name, note)
	}
	own, problems := skills.Discover([]skills.Source{{Dir: filepath.Join(dir, "skills")}})
	c.Problems = append(c.Problems, problems...)
	for _, s := range own {
		c.add("skill", s.Name, s.Description)
		c.headHooks(dir, config.Head{Of: hooks.Part{Skill: s.Name}, Dir: s.Dir()}, s.Hooks)
	}
	agents, problems := subagents.Discover(nil, []subagents.Source{{Dir: filepath.Join(dir, "agents")}})
	c.Problems = append(c.Problems, problems...)
	for _, a := range agents {
		c.add("agent", a.Name, a.Definition.Description)
		for _, s := range a.Servers {
			c.Parts = append(c.Parts, Part{"MCP server", text.VisibleLine(s.Name + " of the agent " + a.Name),
				text.VisibleLine(s.Target())})
		}
		c.headHooks(dir, config.Head{Of: hooks.Part{Agent: a.Name}}, a.Hooks)
	}
	for _, file := range boundedfile.Find(dir, "policies/*.toml") {
		c.add("policy", "policies/"+filepath.Base(file), "may deny tools and have them asked about, never allow them")
	}
	c.contextFiles(dir)
	for _, t := range m.ExcludeTools {
		c.add("excluded tool", t, "")
	}
	for _, s := range m.Settings {
		c.add("setting", cmp.Or(s.Name, s.EnvVar),
			strings.TrimSpace(s.EnvVar+" "+map[bool]string{true: "(a secret)"}[s.Sensitive]))
	}
	if m.PlanDir != "" {
		c.add("plan directory", m.PlanDir, "")
	}
	if m.Themes > 0 {
		c.add("themes", fmt.Sprint(m.Themes), "no effect in minigem")
	}
	return c, nil
}

func (c *Contents) add(kind, name, note string) {
	c.Parts = append(c.Parts, Part{kind, text.VisibleLine(name), text.Line(note)})
}

func (c *Contents) hooks(dir string) {
	if !exists(filepath.Join(dir, "hooks", "hooks.json")) {
		return
	}
	s, err := config.LoadExtension(config.Extension{Dir: dir}, "${workspacePath}", nil)
	if err != nil {
		c.Problems = append(c.Problems, err.Error())
		return
	}
	for _, p := range s.Problems {
		c.Problems = append(c.Problems, fmt.Sprintf("hooks/hooks.json:%d: %s", p.Line, p.Text))
	}
	for _, h := range s.Hooks {
		c.hook(dir, h)
	}
}

func (c *Contents) hook(dir string, h hooks.Hook) {
	c.Parts = append(
		c.Parts, Part{"hook", HookName(h), text.VisibleLine(strings.ReplaceAll(h.Target(), dir, "${extensionPath}"))})
}

// HookName returns the name of the part for h.
func HookName(h hooks.Hook) string {
	name := string(h.Event)
	if h.Matcher != "" {
		name += " (" + h.Matcher + ")"
	}
	if h.Within != (hooks.Part{}) {
		name += " of the " + h.Within.String()
	}
	return text.VisibleLine(name)
}

// headHooks adds the hooks in the front matter of a skill or an agent.
func (c *Contents) headHooks(dir string, head config.Head, h skills.Hooks) {
	head.Hooks, head.Fault, head.Extension, head.Workspace = h.JSON, h.Fault, dir, "${workspacePath}"
	s := config.LoadHead(head)
	for _, one := range s.Hooks {
		c.hook(dir, one)
	}
	for _, p := range s.Problems {
		c.Problems = append(c.Problems, head.Of.String()+": "+p.Text)
	}
}

// contextFiles adds the context files in the manifest, or GEMINI.md if there is one.
func (c *Contents) contextFiles(dir string) {
	for _, name := range c.Context {
		if !filepath.IsLocal(filepath.FromSlash(name)) || !exists(filepath.Join(dir, name)) {
			c.Problems = append(c.Problems, fmt.Sprintf("contextFileName %q is not a file of the extension", name))
			continue
		}
		c.add("context file", name, "")
	}
	if c.Context == nil && exists(filepath.Join(dir, "GEMINI.md")) {
		c.add("context file", "GEMINI.md", "")
	}
}

// target returns what a server runs or connects to, with the rest of its configuration.
func target(s Server) string {
	var is struct {
		Command      string
		Args         []string
		URL, HTTPURL string
	}
	_ = json.Unmarshal(s.JSON, &is) // problems are reported when servers start
	if is.Command == "" {
		return cmp.Or(is.HTTPURL, is.URL) + restOf(s.JSON)
	}
	return strings.Join(append([]string{is.Command}, is.Args...), " ") + restOf(s.JSON)
}

// restOf returns the other keys of a server, without values that may be secrets.
func restOf(data json.RawMessage) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(data, &all)
	for _, shown := range []string{"command", "args", "url", "httpUrl", "description"} {
		delete(all, shown)
	}
	var out []string
	for key, value := range all {
		var named map[string]any
		if json.Unmarshal(value, &named) == nil && named != nil {
			var names []string
			for n := range named {
				names = append(names, n)
			}
			slices.Sort(names)
			value = json.RawMessage(strings.Join(names, " "))
		}
		out = append(out, key+": "+string(value))
	}
	slices.Sort(out)
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, "; ") + ")"
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Limits of one extension.
const (
	mostFiles = 50_000
	mostBytes = 512 << 20
)

// prints maps the files of an extension to digests of their contents. Any file may
// contain something that the extension runs, whatever its name. It leaves out the
// manifest, which is listed, files that minigem wrote itself, and the cloned
// repository.
func prints(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".git" && e.IsDir():
			return fs.SkipDir
		case e.IsDir() || path == manifestFile || path == installFile || path == ".env":
			return nil
		}
		print, err := printOf(root, path, e)
		out[path] = print
		return err
	})
	return out, err
}

func printOf(root *os.Root, path string, e fs.DirEntry) (string, error) {
	if e.Type()&fs.ModeSymlink != 0 {
		to, err := root.Readlink(path)
		return "link to " + to, err
	}
	f, err := boundedfile.OpenIn(root, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, mostBytes)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// changes returns the files that differ between two versions of an extension.
func changes(before, after Installed) ([]string, error) {
	was, err := prints(before.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	is, err := prints(after.Dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for path, print := range is {
		if old, there := was[path]; !there {
			out = append(out, "new: "+path)
		} else if old != print {
			out = append(out, "changed: "+path)
		}
	}
	for path := range was {
		if _, there := is[path]; !there {
			out = append(out, "removed: "+path)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Listing lists what the extension brings, one per line, for the question before it is
// installed.
func (c Contents) Listing() string {
	if len(c.Parts) == 0 {
		return "  nothing that runs or is read\n"
	}
	var b strings.Builder
	for _, p := range c.Parts {
		fmt.Fprintf(&b, "  %-14s  %s", p.Kind, p.Name)
		if p.Text != "" {
			b.WriteString(": " + p.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
