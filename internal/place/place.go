// Package place says where a run is: the home folder, the working directory and
// the project. Files are called by it for people, and the user's settings file is
// found, and written, by it. It keeps out what settings mean.
package place

import (
	"errors"
	"path/filepath"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// Place is the folders of a run. All paths are absolute.
type Place struct {
	Home       string // the directory that contains .gemini
	DotGemini  string // <home>/.gemini
	Dir        string // the working directory
	ProjectDir string // GEMINI_PROJECT_DIR
}

// Shorten returns a short name of a file: relative to the working directory, or
// from ~ in the home directory; printable.
func (p Place) Shorten(path string) string { return text.VisibleLine(p.Relative(path)) }

// Relative returns path relative to the working directory or ~, if it is below
// one of them.
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

// SettingsFile returns the path of the user's settings file (scope "user"), or of
// the one of the project in the working directory ("project"). The home folder has
// no project: its file would be the user's.
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
			exit.Input, "the settings of the home folder are yours, not those of a project: use --scope user")
	}
	return file, nil
}

// SaveSetting writes a setting into the user's settings file. It applies to
// sessions that begin later.
func (p Place) SaveSetting(value any, path ...string) error {
	return EditError(jsonc.Edit(p.UserSettings(), 0o600, func(d *jsonc.Doc) error { return d.Set(value, path...) }))
}

// EditError gives a settings file that is not JSON, and so cannot be edited, the
// exit code of one that cannot be read.
func EditError(err error) error {
	var broken *jsonc.SyntaxError
	if errors.As(err, &broken) {
		return exit.Errorf(exit.Config, "%w: correct the file, or move it away", err)
	}
	return err
}
