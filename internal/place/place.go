// Package place says where a run is: the home folder, the working directory and the
// project. It shortens paths for display, and finds and writes the user's settings
// file. It does not interpret settings.
package place

import (
	"errors"
	"path/filepath"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// Place holds the folders of a run. All paths are absolute.
type Place struct {
	Home       string // the directory that contains .gemini
	DotGemini  string // <home>/.gemini
	Dir        string // the working directory
	ProjectDir string // GEMINI_PROJECT_DIR
}

// Shorten returns a short printable name for a file: relative to the working directory,
// or starting with ~ in the home directory.
func (p Place) Shorten(path string) string { return text.VisibleLine(p.Relative(path)) }

// Relative returns path relative to the working directory or to ~, if it is below one
// of them.
func (p Place) Relative(path string) string {
	if rel, ok := text.Below(p.Dir, path); ok {
		return rel
	}
	if rel, ok := text.Below(p.Home, path); ok {
		return filepath.Join("~", rel)
	}
	return path
}

// ShortenIn shortens the paths in a sentence.
func (p Place) ShortenIn(text string) string {
	slash := string(filepath.Separator)
	return strings.NewReplacer(p.Dir+slash, "", p.Home+slash, "~"+slash).Replace(text)
}

// UserSettings returns the path of the user's settings file.
func (p Place) UserSettings() string { return filepath.Join(p.DotGemini, "settings.json") }

// SettingsFile returns the path of the user's settings file (scope "user") or of the
// file of the project in the working directory ("project"). The home folder has no project
// settings, because that file would be the user's.
func (p Place) SettingsFile(scope string) (string, error) {
	switch scope {
	case "user":
		return p.UserSettings(), nil
	case "project":
	default:
		return "", exit.Errorf(exit.Input, "--scope is %q: it must be user or project", scope)
	}
	file := filepath.Join(p.Dir, ".gemini", "settings.json")
	if file == p.UserSettings() {
		return "", exit.Errorf(
			exit.Input, "the settings of the home folder are yours, not a project's: use --scope user")
	}
	return file, nil
}

// SaveSetting writes a setting to the user's settings file. It applies to later
// sessions.
func (p Place) SaveSetting(value any, path ...string) error {
	return EditError(jsonc.Edit(p.UserSettings(), 0o600, func(d *jsonc.Doc) error { return d.Set(value, path...) }))
}

// EditError gives the error for a settings file that is not valid JSON, and so cannot
// be edited, the exit code for one that cannot be read.
func EditError(err error) error {
	var broken *jsonc.SyntaxError
	if errors.As(err, &broken) {
		return exit.Errorf(exit.Config, "%w: correct the file, or move it away", err)
	}
	return err
}
