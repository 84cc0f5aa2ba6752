package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/boundedfile"
)

// RootVariable holds a plugin's folder, in the environment of its hooks and in
// their commands.
const RootVariable = "CLAUDE_PLUGIN_ROOT"

const (
	pluginManifest = ".claude-plugin/plugin.json"
	pluginHooks    = "hooks/hooks.json"
)

// Plugin reads the hooks of the plugin in dir: hooks/hooks.json, and the files or
// the object that its manifest names. root is what its hooks find in
// CLAUDE_PLUGIN_ROOT. None: dir holds no plugin with hooks.
func Plugin(dir, root string) ([]File, error) {
	manifest, err := read(dir, pluginManifest)
	if err != nil {
		return nil, err
	}
	names := []string{pluginHooks}
	var files []File
	if manifest != nil {
		doc, err := jsonc.Parse(filepath.Join(dir, filepath.FromSlash(pluginManifest)), manifest)
		if err != nil {
			return nil, fmt.Errorf("reading the plugin: %w", err)
		}
		switch hooks := doc.Root().Get("hooks"); hooks.Kind() {
		case jsonc.String:
			names = append(names, path.Clean(hooks.Text()))
		case jsonc.Array:
			for _, name := range hooks.Strings() {
				names = append(names, path.Clean(name))
			}
		case jsonc.Object:
			if !hooks.Get("hooks").Exists() {
				hooks = doc.Root()
			}
			files = append(files, File{Name: pluginManifest, Data: []byte(hooks.Standard()), Root: root})
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("reading the plugin: %s names %q, which lies outside of it", pluginManifest, name)
		}
		data, err := read(dir, name)
		if err != nil {
			return nil, err
		}
		if data != nil {
			files = append(files, File{Name: name, Data: data, Root: root})
		}
	}
	return files, nil
}

// read reads a file of a plugin; nil: there is none.
func read(dir, name string) ([]byte, error) {
	data, err := boundedfile.Read(filepath.Join(dir, filepath.FromSlash(name)), boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the plugin: %w", err)
	}
	return data, nil
}

// theirsAlone are words in hooks that Claude Code alone understands.
var theirsAlone = []string{RootVariable, "idle_prompt", "permission_prompt"}

// Names reports whether all events of hooks are such as Claude Code has: some have
// the same name here.
func Names(hooks jsonc.Node) bool {
	for _, m := range hooks.Members() {
		if Event(m.Name) == "" && slices.Contains(protocol.Events, protocol.Event(m.Name)) {
			return false
		}
	}
	return true
}

// Written reports whether hooks are Claude Code's: one of their events has
// another name here, or they name a variable or a trigger that no other agent has, and
// none is Gemini CLI's alone.
func Written(hooks jsonc.Node) bool {
	found := slices.ContainsFunc(theirsAlone, func(word string) bool {
		return strings.Contains(string(hooks.Standard()), word)
	})
	for _, m := range hooks.Members() {
		switch ours := Event(m.Name); {
		case ours != "" && ours != protocol.Event(m.Name):
			found = true
		case ours == "" && slices.Contains(protocol.Events, protocol.Event(m.Name)):
			return false
		}
	}
	return found
}
