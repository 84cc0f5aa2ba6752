package extensions

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/text"
)

//go:embed all:templates
var templates embed.FS

// Templates returns the names that New accepts.
func Templates() []string {
	entries, _ := templates.ReadDir("templates")
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// New makes the folder dir with an extension of the same name. If template is "", it
// contains only the manifest.
func New(dir, template string) error {
	name := filepath.Base(dir)
	if !nameForm.MatchString(name) {
		return fmt.Errorf("%q is not a name for an extension: only letters, digits and dashes", name)
	}
	if template != "" && !slices.Contains(Templates(), template) {
		return fmt.Errorf("there is no template %q%s: there are %s", template,
			text.DidYouMean(text.Nearest(template, Templates())), strings.Join(Templates(), ", "))
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already", dir)
	} else if err != nil {
		return err
	}
	if template == "" {
		return os.WriteFile(filepath.Join(dir, manifestFile),
			[]byte("{\n  \"name\": \""+name+"\",\n  \"version\": \"1.0.0\"\n}\n"), 0o644)
	}
	files, err := fs.Sub(templates, "templates/"+template)
	if err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		perm := os.FileMode(0o644)
		if strings.HasSuffix(path, ".sh") {
			perm = 0o755
		}
		return os.WriteFile(at, []byte(strings.ReplaceAll(string(data), "NAME", name)), perm)
	})
}
