package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// Target is the file to which hooks are moved, relative to a project.
const Target = ".gemini/settings.json"

// settingsFiles are Claude Code's settings files in a project, in the order of reading.
var settingsFiles = []string{".claude/settings.json", ".claude/settings.local.json"}

// Sources reads Claude Code's settings in dir or, if plugin is not empty, the hooks of
// the plugin in that folder, which may be relative to dir. It is an error if there is
// nothing to move. For a plugin inside dir, CLAUDE_PLUGIN_ROOT is written relative to
// $GEMINI_CWD, so that the settings work in every checkout.
func Sources(dir, plugin string) ([]File, error) {
	if plugin == "" {
		return projectFiles(dir)
	}
	if !filepath.IsAbs(plugin) {
		plugin = filepath.Join(dir, plugin)
	}
	root := plugin
	if text.Inside(dir, plugin) {
		rel, err := filepath.Rel(dir, plugin)
		if err != nil {
			return nil, err
		}
		root = "$GEMINI_CWD/" + filepath.ToSlash(rel)
	}
	files, err := Plugin(plugin, root)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is nothing to migrate from: %s has neither %s nor %s with hooks", plugin, pluginManifest,
			pluginHooks)
	}
	return files, err
}

// projectFiles reads the settings files in dir that exist.
func projectFiles(dir string) ([]File, error) {
	var files []File
	for _, name := range settingsFiles {
		data, err := boundedfile.Read(filepath.Join(dir, filepath.FromSlash(name)), boundedfile.Written)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading Claude Code's settings: %w", err)
		}
		files = append(files, File{Name: name, Data: data})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is nothing to migrate from: neither %s is in %s", strings.Join(settingsFiles, " nor "),
			dir)
	}
	return files, nil
}

// Write adds the hooks of sources to the settings file target and returns how many were
// new. It migrates into the file as it is at that moment, under its lock, because it
// may have changed since a dry run. If nothing is new, the file is not touched. Errors
// are those of [jsonc.Update] and [Migrate].
func Write(target string, sources []File) (added int, err error) {
	err = jsonc.Update(target, 0o644, func(data []byte) ([]byte, error) {
		r, err := Migrate(File{Name: Target, Data: data}, sources...)
		added = r.Added
		return r.Settings, err
	})
	return added, err
}
