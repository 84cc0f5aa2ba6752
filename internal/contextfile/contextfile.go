// Package contextfile finds and reads context files, GEMINI.md by default: what
// users and projects want every session to know. (core/utils/memoryDiscovery.ts)
//
//   - global: in the user's .gemini directory;
//   - of extensions: as their manifests name them;
//   - project: in each workspace directory and its parents, up to the first one with
//     a boundary marker (.git); without a marker only in the directory itself;
//   - subdirectories: when a tool touches them, see Finder.
//
// "@path" in a file imports another file. Nothing outside the project is read, except
// the global file and those of extensions, and only regular files are. The package
// does not know whether a folder is trusted: callers pass in no directories of an
// untrusted one.
package contextfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// DefaultName is the name of context files unless settings give a different one.
const DefaultName = "GEMINI.md"

// maxFile limits the bytes read from one file, about 65,000 tokens.
const maxFile = 256 << 10

// Names is the setting context.fileName: a string or a list of strings.
type Names []string

// UnmarshalJSON reads a string or a list of strings.
func (n *Names) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*n = Names{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New("must be a file name or a list of file names")
	}
	*n = many
	return nil
}

// Config says where to look. The zero Config finds nothing.
type Config struct {
	Names     Names  // file names without a directory; empty means DefaultName
	GlobalDir string // the user's .gemini directory; empty means no global file
	// Extensions are the extensions in force.
	Extensions []Extension
	Dirs       []string // workspace directories, absolute, the project's root first
	Markers    []string // names that end the upward search; nil means .git
	Memory     string   // the user's memory file for this project, read last; may be empty
	Flat       bool     // append imports to the file instead of replacing the "@path"
}

// File is a context file with its imports.
type File struct {
	Path string // absolute
	Text string
}

// Warning says what could not be used.
type Warning struct{ Path, Text string }

func (w Warning) String() string { return w.Path + ": " + w.Text }

// Set is the result of Load, outermost files first.
type Set struct {
	Global    []File
	Extension []File
	Project   []File
	Warnings  []Warning
}

// Extension is an extension that may have context files
// (cli/config/extension-manager.ts).
type Extension struct {
	Dir   string   // absolute
	Files []string // relative to Dir, must stay inside; empty means DefaultName, if it exists
}

// Load reads the global files, the extensions' files and the project's.
func Load(c Config) Set {
	l := newLoader(c)
	var s Set
	if c.GlobalDir != "" {
		s.Global = l.in(c.GlobalDir, "")
	}
	for _, e := range c.Extensions {
		s.Extension = append(s.Extension, l.extension(e)...)
	}
	for _, dir := range c.Dirs {
		way := c.upward(dir)
		for _, d := range way {
			s.Project = append(s.Project, l.in(d, way[0])...)
		}
	}
	if c.Memory != "" {
		s.Project = append(s.Project, l.file(c.Memory, "")...)
	}
	s.Warnings = l.warnings
	return s
}

// Paths lists the files of s.
func (s Set) Paths() []string {
	var paths []string
	for _, f := range s.All() {
		paths = append(paths, f.Path)
	}
	return paths
}

// All returns the files in the order in which the model reads them.
func (s Set) All() []File { return slices.Concat(s.Global, s.Extension, s.Project) }

// Render frames files for the model. It shows paths below root relative to it. Without
// files it returns "".
func Render(files []File, root string) string {
	var texts []string
	for _, f := range files {
		name := f.Path
		if rel, ok := text.Below(root, f.Path); ok {
			name = filepath.ToSlash(rel)
		}
		texts = append(texts, fmt.Sprintf("--- Context from: %s ---\n%s\n--- End of Context from: %s ---", name,
			strings.TrimSpace(f.Text), name))
	}
	return strings.Join(texts, "\n\n")
}

// upward lists the directories from the boundary down to dir.
func (c Config) upward(dir string) []string {
	markers := c.Markers
	if markers == nil {
		markers = []string{".git"}
	}
	dirs := []string{dir}
	for d := dir; ; d = filepath.Dir(d) {
		for _, m := range markers {
			if _, err := os.Lstat(filepath.Join(d, m)); m != "" && err == nil {
				slices.Reverse(dirs)
				return dirs
			}
		}
		if d == filepath.Dir(d) {
			return dirs[:1]
		}
		dirs = append(dirs, filepath.Dir(d))
	}
}

// loader reads each file once, even if it has several names.
type loader struct {
	names    []string
	flat     bool
	seen     []fs.FileInfo
	warnings []Warning
}

func newLoader(c Config) *loader {
	l := &loader{flat: c.Flat}
	for _, n := range c.Names {
		if n == filepath.Base(n) && filepath.IsLocal(n) {
			l.names = append(l.names, n)
		} else if n != "" {
			l.warn(n, "context.fileName takes names without a directory, skipped")
		}
	}
	if len(l.names) == 0 {
		l.names = []string{DefaultName}
	}
	return l
}

// warn records each warning once, up to a limit.
func (l *loader) warn(path, format string, args ...any) {
	const most = 20
	w := Warning{path, fmt.Sprintf(format, args...)}
	switch {
	case slices.Contains(l.warnings, w) || len(l.warnings) > most:
		return
	case len(l.warnings) == most:
		w = Warning{path, "more of the context files cannot be used; the other warnings are left out"}
	}
	l.warnings = append(l.warnings, w)
}

// in reads the context files of dir. They and their imports must be in root. If root is
// "", the files may be links to anywhere, and imports must be in the file's own
// directory.
func (l *loader) in(dir, root string) []File {
	var files []File
	for _, n := range l.names {
		files = append(files, l.file(filepath.Join(dir, n), root)...)
	}
	return files
}

func (l *loader) extension(e Extension) []File {
	var files []File
	names := e.Files
	if len(names) == 0 {
		names = []string{DefaultName}
	}
	for _, n := range names {
		path := filepath.Join(e.Dir, n)
		if _, err := os.Stat(path); len(e.Files) > 0 && errors.Is(err, fs.ErrNotExist) {
			l.warn(path, "the extension names it as a context file, and it does not exist")
			continue
		}
		files = append(files, l.file(path, e.Dir)...)
	}
	return files
}

func (l *loader) file(path, root string) []File {
	info, err := os.Stat(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.warn(path, "cannot be read: %v", cause(err))
		}
		return nil
	}
	if slices.ContainsFunc(l.seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
		return nil
	}
	l.seen = append(l.seen, info)
	if root != "" && !leadsInto(root, path) {
		l.warn(path, "leads out of the project, skipped")
		return nil
	}
	text, err := l.read(path)
	if err != nil {
		l.warn(path, "cannot be read: %v", cause(err))
		return nil
	}
	if text = l.imports(text, path, root); strings.TrimSpace(text) == "" {
		return nil
	}
	return []File{{path, text}}
}

var errNotRegular = errors.New("not a regular file")

// read reads the beginning of a regular file.
func (l *loader) read(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNotRegular
	}
	f, err := boundedfile.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if len(data) > maxFile {
		l.warn(path, "has %d bytes: only the first %d are used", info.Size(), maxFile)
		text = text[:maxFile]
		if i := strings.LastIndexByte(text, '\n'); i > maxFile/2 {
			text = text[:i]
		}
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return text, nil
}

// cause removes operation and path from an error.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
