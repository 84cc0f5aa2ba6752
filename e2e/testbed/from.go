package testbed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"minigem/hooks/agents"
)

// From names the source of hooks that replace a case's PortableSection: the files of a
// project, or what a generator wrote.
type From struct {
	Dirs   []string // their files are copied into the workspace
	Home   string   // its files are copied into the home; may be empty
	Cannot string   // why there are no hooks for this program; empty if there are
}

// bring copies the files of o.From into the case's folders.
func (r *runner) bring() error {
	f := r.o.From
	if f == nil {
		r.configure(r.c.portable)
		return nil
	}
	r.configure(nil)
	if f.Cannot != "" {
		r.skipped = f.Cannot
		return nil
	}
	for _, dir := range f.Dirs {
		if err := r.place.use(dir, ".", r.c.files); err != nil {
			return fmt.Errorf("bringing the files of %s: %w", dir, err)
		}
	}
	if f.Home == "" {
		return nil
	}
	return r.place.use(f.Home, homePrefix, r.c.files)
}

// configure sets the portable hooks of the case.
func (r *runner) configure(all []Portable) {
	var err error
	if r.setup.Portable, err = r.o.translated(all); err != nil {
		r.skipped = err.Error()
	}
}

// hookless explains why minigem has no hooks in this case. It is empty if it has some.
func (r *runner) hookless() string {
	switch _, err := os.Stat(filepath.Join(r.place.workspace, ".gemini", "settings.json")); {
	case r.o.From != nil && err != nil && len(r.setup.Portable) == 0:
		return "the folder of --from has no hooks for minigem"
	case r.o.From != nil || len(r.setup.Portable) > 0 || r.brought(".gemini/"):
		return ""
	case r.brought(agents.Folders()...):
		return "its hooks are those of other agents: run it with --on or --as"
	case r.c.configures():
		return ""
	}
	return "its section -- " + PortableSection + " -- is empty: say with --from where its hooks are"
}

// brought reports whether the case puts files into one of these folders, in its workspace
// or home.
func (r *runner) brought(folders ...string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool {
		_, err := os.Stat(filepath.Join(r.place.workspace, dir))
		_, atHome := os.Stat(filepath.Join(r.place.home, dir))
		return err == nil || atHome == nil
	})
}

// usable returns a folder with hooks that the case at path could use.
func usable(path string) string {
	for _, dir := range []string{".claude", "../.claude"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), dir, "settings.json")); err == nil {
			return dir
		}
	}
	return "../.gemini"
}
