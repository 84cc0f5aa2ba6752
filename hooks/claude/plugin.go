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

// RootVariable is the variable with a plugin's folder, in the environment of its hooks
// and in their commands.
const RootVariable = "CLAUDE_PLUGIN_ROOT"

// Files of a plugin of Claude Code, relative to its folder.
const (
	pluginManifest = ".claude-plugin/plugin.json"
	pluginHooks    = "hooks/hooks.json"
)

// Plugin reads the hooks of the plugin in dir: hooks/hooks.json, and the files or the
// object that its manifest, .claude-plugin/plugin.json, names. root is the value of
// CLAUDE_PLUGIN_ROOT for its hooks. It returns no files if dir has no plugin with hooks.
// It is an error if the manifest names a file outside dir.
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
			return nil, fmt.Errorf("reading the plugin: %s names %q, which lies outside it", pluginManifest, name)
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

// read reads a file of a plugin. It returns nil if the file does not exist.
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

// theirsAlone lists words in hooks that only Claude Code understands.
var theirsAlone = []string{RootVariable, "idle_prompt", "permission_prompt"}

// Names reports whether hooks, the object of events, can be Claude Code's: none of its
// events is one that only Gemini CLI has. Some events have the same name in both.
func Names(hooks jsonc.Node) bool {
	for _, m := range hooks.Members() {
		if Event(m.Name) == "" && slices.Contains(protocol.Events, protocol.Event(m.Name)) {
			return false
		}
	}
	return true
}

// Written reports whether hooks, the object of events, are written for Claude Code.
// Either an event has another name here, or the text has a variable or a trigger that
// only Claude Code has; and no event is one that only Gemini CLI has.
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
