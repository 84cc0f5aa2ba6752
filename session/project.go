package session

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gofrs/flock"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
)

// Project says where the sessions of a project are stored
// (core/config/projectRegistry.ts). Make one with [OpenProject] or [FindProject]. The
// zero Project stores everything below the working directory, so do not use it.
type Project struct {
	// Root is the absolute path of the project.
	Root string
	// Slug is its short name, unique under the same home, made from the last part of
	// Root.
	Slug string
	// Temp is <home>/.gemini/tmp/<slug>: sessions, plans and tool outputs.
	Temp string
	// History is <home>/.gemini/history/<slug>: snapshots for /restore.
	History string
}

// Chats returns the directory of the session files. It may not exist. Files in it are
// named session-TIME-ID.jsonl.
func (p Project) Chats() string { return filepath.Join(p.Temp, "chats") }

// Hash returns the SHA-256 of the project's root in hex. Session files contain it, and
// older releases of Gemini CLI named directories by it.
func (p Project) Hash() string {
	sum := sha256.Sum256([]byte(p.Root))
	return hex.EncodeToString(sum[:])
}

// The registry of all projects, and the file in a project's folder that says which root
// it belongs to.
const (
	registryName = "projects.json"
	markerName   = ".project_root"
)

// OpenProject finds the slug of the project at root, or assigns one, under the .gemini
// directory dir. Concurrent processes agree on it, and so does Gemini CLI, which uses the
// same registry, projects.json. A registry that is not readable as one is set aside. If
// dir is not writable the Project's paths are still usable, and the error says why
// nothing will be stored.
func OpenProject(dir, root string) (Project, error) {
	root = filepath.Clean(root)
	r := registry{dir: dir}
	slug, err := r.claim(root)
	p := r.project(slug, root)
	if err != nil {
		return p, fmt.Errorf("registering project %s: %w", root, err)
	}
	return p, nil
}

// FindProject is like [OpenProject] but writes nothing. It reports false if the project
// has no directory yet.
func FindProject(dir, root string) (Project, bool) {
	root = filepath.Clean(root)
	r := registry{dir: dir}
	err := r.read()
	slug := r.slug(root)
	if err != nil || slug == "" || !r.owned(slug, root) {
		return Project{}, false
	}
	return r.project(slug, root), true
}

// registry is projects.json. Unknown keys are preserved.
type registry struct {
	dir    string
	fields map[string]json.RawMessage
	slugs  map[string]string // slugs by root
}

// path returns where the registry is.
func (r *registry) project(slug, root string) Project {
	return Project{Root: root, Slug: slug, Temp: filepath.Join(r.dir, "tmp", slug),
		History: filepath.Join(r.dir, "history", slug)}
}

func (r *registry) path() string { return filepath.Join(r.dir, registryName) }

// claim returns the slug even if it cannot be stored.
func (r *registry) claim(root string) (string, error) {
	err := r.read()
	if slug := r.slug(root); err == nil && slug != "" && r.owned(slug, root) {
		return slug, r.mark(slug, root)
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return r.free(root), err
	}
	lock := flock.New(filepath.Join(r.dir, ".projects.lock"))
	if err := lock.Lock(); err != nil {
		return r.free(root), err
	}
	defer func() { _ = lock.Close() }()
	aside := r.read()
	if errors.Is(aside, errNotRegistry) {
		aside = boundedfile.SetAside(r.path(), aside)
		r.empty()
	} else if aside != nil {
		return r.free(root), aside
	}
	slug := r.free(root)
	r.slugs[root] = slug
	r.migrate(slug, root)
	return slug, errors.Join(aside, r.mark(slug, root), r.write())
}

// errNotRegistry says that the file is not a registry.
var errNotRegistry = errors.New("it is not a registry of projects")

// empty forgets everything that was read.
func (r *registry) empty() {
	r.fields, r.slugs = map[string]json.RawMessage{}, map[string]string{}
}

// read loads the file. A file that is not a registry is an error, because
// writing would destroy it.
func (r *registry) read() error {
	r.empty()
	data, err := boundedfile.Read(r.path(), boundedfile.Kept)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", r.path(), err)
	}
	err = json.Unmarshal(data, &r.fields)
	if err == nil && r.fields["projects"] != nil {
		err = json.Unmarshal(r.fields["projects"], &r.slugs)
	}
	if err != nil || r.fields == nil || r.slugs == nil { // null sets the map to nil
		r.empty()
		return errNotRegistry
	}
	return nil
}

// write stores the registry. What it did not understand is kept.
func (r *registry) write() error {
	projects, err := json.Marshal(r.slugs)
	if err != nil {
		return err
	}
	r.fields["projects"] = projects
	data, err := json.MarshalIndent(r.fields, "", "  ")
	if err != nil {
		return err
	}
	if len(r.slugs) == 1 && len(r.fields) == 1 {
		// The file holds only our own data. If a power failure damages it, it is
		// rebuilt from the markers, which hold the same.
		return atomicfile.WriteText(r.path(), string(data), 0o600)
	}
	return atomicfile.WriteFile(r.path(), data, 0o600)
}

// migrate copies the sessions and snapshots that older releases of Gemini CLI
// stored under the hash of root, as later releases do. What cannot be copied
// stays where it is.
func (r *registry) migrate(slug, root string) {
	for _, dir := range []string{"tmp", "history"} {
		old := filepath.Join(r.dir, dir, Project{Root: root}.Hash())
		to := filepath.Join(r.dir, dir, slug)
		if info, err := os.Stat(old); err != nil || !info.IsDir() || !isFresh(to) {
			continue
		}
		half := filepath.Join(r.dir, dir, ".migrating-"+slug)
		err := os.RemoveAll(half)
		if err == nil {
			err = os.Mkdir(half, 0o700)
		}
		if err == nil {
			err = os.CopyFS(half, os.DirFS(old))
		}
		if err == nil {
			err = os.RemoveAll(to)
		}
		if err != nil || os.Rename(half, to) != nil {
			_ = os.RemoveAll(half)
		}
	}
}

// isFresh reports whether dir holds nothing but a marker.
func isFresh(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil &&
		(len(entries) == 0 || len(entries) == 1 && entries[0].Name() == markerName)
}

// slug returns the registered slug of root, or "" if there is none. A slug that is not
// a single folder name counts as none, because it would lead elsewhere.
func (r *registry) slug(root string) string {
	s := r.slugs[root]
	if s == "" {
		s = r.slugs[string([]rune(root))] // JSON stores a name that is not UTF-8 like this
	}
	if s != filepath.Base(s) || !filepath.IsLocal(s) || s == "." || strings.ContainsAny(s, "/\\\x00") {
		return ""
	}
	return s
}

// free returns the slug of root, or the first one that no other root has.
func (r *registry) free(root string) string {
	if s := r.slug(root); s != "" && r.owned(s, root) {
		return s
	}
	taken := map[string]bool{}
	for other, slug := range r.slugs {
		taken[slug] = taken[slug] || other != root
	}
	base := slugify(filepath.Base(root))
	slug := base
	for n := 1; taken[slug] || !r.owned(slug, root); n++ {
		slug = fmt.Sprintf("%s-%d", base, n)
	}
	return slug
}

// owned reports whether no marker assigns slug to another root. An empty
// marker, as a power failure can leave it, assigns nothing.
func (r *registry) owned(slug, root string) bool {
	for _, dir := range []string{"tmp", "history"} {
		owner, err := boundedfile.Read(filepath.Join(r.dir, dir, slug, markerName), boundedfile.Written)
		if at := strings.TrimSpace(string(owner)); err == nil && at != "" && at != root && string(owner) != root {
			return false
		}
	}
	return true
}

// mark writes the files that say which root a slug belongs to.
func (r *registry) mark(slug, root string) error {
	for _, dir := range []string{"tmp", "history"} {
		marker := filepath.Join(r.dir, dir, slug, markerName)
		if info, err := os.Stat(marker); err == nil && (info.IsDir() || info.Mode().IsRegular() && info.Size() > 0) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(marker), 0o700); err != nil {
			return err
		}
		// Whoever writes to what lies there may wait forever: a named pipe.
		_ = os.Remove(marker)
		// Not synced to disk: see owned.
		f, err := os.OpenFile(marker, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was here meanwhile
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(root)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// notSlug matches what a slug replaces by a dash.
var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slugify returns name in lower case with dashes for everything but letters and digits.
func slugify(name string) string {
	return cmp.Or(strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-"), "project")
}

// otherProjects returns the chats directories of all projects but p, by root.
func (p Project) otherProjects() map[string]string {
	dirs := map[string]string{}
	for _, m := range boundedfile.Find(filepath.Dir(p.Temp), "*/"+markerName) {
		if root, err := boundedfile.Read(m, boundedfile.Written); err == nil && filepath.Dir(m) != p.Temp {
			dirs[string(root)] = filepath.Join(filepath.Dir(m), "chats")
		}
	}
	return dirs
}
