package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/skills"
	"minigem/internal/subagents"
	"minigem/internal/text"
)

// Item is something in a folder that minigem would load.
type Item struct {
	Kind string // "settings", "hooks", "MCP servers", ".env", "commands", ...
	File string // path relative to the folder
	What string // details, such as names; may be empty
}

func (i Item) String() string {
	if i.What == "" {
		return fmt.Sprintf("%s (%s)", i.Kind, i.File)
	}
	return fmt.Sprintf("%s: %s (%s)", i.Kind, i.What, i.File)
}

// contentFolders are the folders whose files are only loaded from trusted folders.
var contentFolders = []struct{ kind, dir, suffix string }{
	{"commands", ".gemini/commands", ".toml"},
	{"extensions", ".gemini/extensions", "gemini-extension.json"},
	{"skills", ".gemini/skills", ".md"},
	{"skills", ".agents/skills", ".md"},
	{"agents", ".gemini/agents", ".md"},
}

// Contents lists what minigem would load from dir if it were trusted
// (docs/spec/contract.md 6), in a fixed order. It returns nil if there is nothing to
// ask about. The user's home has no such items, because everything there is the user's
// own.
func Contents(dir, home string) []Item {
	if real(dir) == real(home) {
		return nil
	}
	items := settingsItems(dir)
	for _, file := range []string{".env", filepath.Join(".gemini", ".env")} {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && !info.IsDir() {
			items = append(items, Item{Kind: ".env", File: filepath.ToSlash(file)})
		}
	}
	for _, c := range contentFolders {
		base := filepath.Join(dir, filepath.FromSlash(c.dir))
		if names := filesBelow(base, c.suffix); len(names) > 0 {
			items = append(items, Item{c.kind, c.dir, list(names)})
			items = append(items, headItems(c.kind, c.dir, base)...)
		}
	}
	return items
}

// headItems lists the hooks in the front matter of skills and agents.
func headItems(kind, dir, base string) []Item {
	var items []Item
	add := func(file string, of hooks.Part, h skills.Hooks) {
		section := config.LoadHead(config.Head{Of: of, Hooks: h.JSON})
		var ids []string
		for _, hook := range section.Hooks {
			ids = append(ids, fmt.Sprintf("%s %s", hook.Event, hook.ID()))
		}
		if rel, err := filepath.Rel(base, file); err == nil && len(ids) > 0 {
			items = append(items, Item{"hooks", printable(dir + "/" + filepath.ToSlash(rel)), list(ids)})
		}
	}
	switch kind {
	case "skills":
		found, _ := skills.Discover([]skills.Source{{Dir: base}})
		for _, s := range found {
			add(s.File, hooks.Part{Skill: s.Name}, s.Hooks)
		}
	case "agents":
		found, _ := subagents.Discover(nil, []subagents.Source{{Dir: base}})
		for _, a := range found {
			add(a.File, hooks.Part{Agent: a.Name}, a.Hooks)
		}
	}
	return items
}

// settingsItems lists the contents of settings files. An unreadable file is an item,
// too.
func settingsItems(dir string) []Item {
	const name = ".gemini/settings.json"
	path := filepath.Join(dir, filepath.FromSlash(name))
	data, err := boundedfile.Read(path, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unreadable := []Item{{"settings", name, "unreadable"}}
	if err != nil {
		return unreadable
	}
	doc, err := jsonc.Parse(path, data)
	if err != nil {
		return unreadable
	}
	var keys []string
	for _, m := range doc.Root().Members() {
		if !slices.Contains([]string{"hooks", "mcpServers", "$schema"}, m.Name) {
			keys = append(keys, m.Name)
		}
	}
	var items []Item
	if len(keys) > 0 || doc.Root().Kind() != jsonc.Object {
		items = append(items, Item{"settings", name, list(keys)})
	}
	if section, err := config.LoadSettings(hooks.LayerProject, path, data); err == nil && len(section.Hooks) > 0 {
		var ids []string
		for _, h := range section.Hooks {
			ids = append(ids, fmt.Sprintf("%s %s", h.Event, h.ID()))
		}
		items = append(items, Item{"hooks", name, list(ids)})
	}
	var servers []string
	for _, m := range doc.Root().Get("mcpServers").Members() {
		servers = append(servers, m.Name)
	}
	if len(servers) > 0 {
		items = append(items, Item{"MCP servers", name, list(servers)})
	}
	return items
}

// maxListed limits how much of an untrusted folder is read.
const maxListed = 1000

func filesBelow(base, suffix string) []string {
	var names []string
	seen := 0
	_ = filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxListed {
			return filepath.SkipAll
		}
		if !d.IsDir() && strings.HasSuffix(path, suffix) {
			rel, _ := filepath.Rel(base, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	return names
}

// Named returns an item with the first few of names.
func Named(kind, file string, names []string) Item {
	return Item{kind, printable(file), list(names)}
}

// list joins the first few names. Control characters from untrusted files must not
// reach the terminal.
func list(names []string) string {
	const most = 5
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = printable(name)
	}
	return strings.Join(clean, ", ") + more
}

func printable(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return text.VisibleLine(s)
}
