package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"minigem/agent/event"
	"minigem/internal/boundedfile"
	"minigem/internal/slash"
	"minigem/internal/text"
)

// Limits on the files of a case.
const (
	maxFile  = 64 << 10
	maxFiles = 512 << 10 // in total
)

// files holds the files of a folder that a run touched, as they were before.
type files struct {
	root   string
	real   string // root without symbolic links
	before map[string]state
	size   int
}

// state is the previous state of a file: its text, or why it is left out.
type state struct {
	there bool
	data  []byte
	left  string // why it is left out; empty if it is not
}

func newFiles(root string) *files {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	return &files{root: root, real: real, before: map[string]state{}}
}

// note stores the current state of the file at path, absolute or relative to the root,
// unless the file is known already.
func (f *files) note(path string) {
	name, ok := f.name(path)
	if !ok {
		return
	}
	if _, known := f.before[name]; known {
		return
	}
	full := filepath.Join(f.root, filepath.FromSlash(name))
	info, err := os.Stat(full)
	if err == nil && info.IsDir() {
		f.dir(full)
		return
	}
	s := f.read(full)
	f.before[name] = s
	f.size += len(s.data)
}

// dir stores one file of a folder, so that the case has the folder.
func (f *files) dir(path string) {
	entries, err := os.ReadDir(path)
	if err != nil || path == f.root {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			f.note(filepath.Join(path, e.Name()))
			return
		}
	}
	if name, ok := f.name(filepath.Join(path, ".keep")); ok {
		f.before[name] = state{there: true}
	}
}

// name returns path relative to the root, with slashes. It returns false for paths outside
// the root and for files that every case has.
func (f *files) name(path string) (string, bool) {
	for _, root := range []string{f.root, f.real} {
		rel := path
		if filepath.IsAbs(path) {
			var err error
			if rel, err = filepath.Rel(root, path); err != nil {
				continue
			}
		}
		rel = filepath.Clean(rel)
		if !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		name := filepath.ToSlash(rel)
		ours := name == ".gemini/settings.json" || name == ".git" || strings.HasPrefix(name, ".git/")
		return name, !ours && !strings.ContainsAny(name, "\n\r") && !reserved(name)
	}
	return "", false
}

// reserved reports whether the name has a special meaning in a case.
func reserved(name string) bool {
	return slices.Contains([]string{"model", "model.responses", "settings.json"}, name) ||
		strings.HasPrefix(name, "home/") || strings.HasPrefix(name, "want/")
}

// read reads a file. It does not follow a link out of the root.
func (f *files) read(path string) state {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}
	}
	if err != nil {
		return state{there: true, left: "cannot be read"}
	}
	if !text.Inside(f.real, real) {
		return state{there: true, left: "is a link that leads out of the project"}
	}
	info, err := os.Stat(real)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return state{there: true, left: "is not a file"}
	case info.Size() > maxFile:
		return state{there: true, left: fmt.Sprintf("is larger than %d KiB", maxFile>>10)}
	case f.size+int(info.Size()) > maxFiles:
		return state{there: true, left: fmt.Sprintf("would make the case larger than %d KiB", maxFiles>>10)}
	}
	data, err := boundedfile.Read(real, maxFile)
	if err != nil {
		return state{there: true, left: "cannot be read"}
	}
	return state{there: true, data: data, left: unfit(data)}
}

// unfit explains why a case cannot contain data. It is empty if a case can.
func unfit(data []byte) string {
	switch {
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return "is binary"
	case len(txtar.Parse(data).Files) > 0:
		return "has lines such as -- name --, which divide a case"
	}
	return ""
}

// pathKeys lists arguments of tools that are paths.
var pathKeys = []string{"file_path", "path", "absolute_path", "dir_path", "directory", "paths", "include"}

// named notes the files that a tool's arguments name.
func (f *files) named(args map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(args)) {
		for _, text := range stringsOf(args[key]) {
			switch {
			case slices.Contains(pathKeys, key):
				if !strings.ContainsAny(text, "*?[{") {
					f.note(text)
				}
			case key == "command":
				f.words(text, func(string) bool { return true })
			}
		}
	}
}

func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, stringsOf(e)...)
		}
		return out
	}
	return nil
}

// included notes the files that a prompt names with "@".
func (f *files) included(prompt string) {
	for _, name := range slash.Includes(prompt) {
		f.note(name)
	}
}

// command notes the project's custom command that prompt calls, and the files that the
// command names. It returns false if prompt calls none.
func (f *files) command(prompt string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(prompt, "/"), " ")
	path := ".gemini/commands/" + strings.ReplaceAll(name, ":", "/") + ".toml"
	if !slash.Is(prompt) || !filepath.IsLocal(path) {
		return false
	}
	s := f.read(filepath.Join(f.root, filepath.FromSlash(path)))
	if !s.there {
		return false
	}
	f.note(path)
	for _, m := range injected.FindAllSubmatch(s.data, -1) {
		f.note(string(m[1]))
	}
	return true
}

// injected matches a file in the prompt of a custom command.
var injected = regexp.MustCompile(`@\{([^{}\n]+)\}`)

// searches lists tools that find files by themselves.
var searches = []string{"glob", "grep_search", "search_file_content", "read_many_files", "run_shell_command"}

// found notes the files that a search found, unless they changed after it began.
func (f *files) found(r event.ToolRecord) {
	if !slices.Contains(searches, r.Call.Name) {
		return
	}
	for _, value := range r.Result.Response {
		for _, text := range stringsOf(value) {
			f.words(text, func(path string) bool {
				info, err := os.Stat(path)
				return err == nil && info.Mode().IsRegular() && info.ModTime().Before(r.Started.Truncate(time.Second))
			})
		}
	}
}

// words notes the words of text that may be files and for which good returns true.
func (f *files) words(text string, good func(path string) bool) {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return strings.ContainsRune(" \t\n\"'`;|&()<>,=:", c)
	}) {
		name, ok := f.name(word)
		if !ok || len(word) > 200 || strings.HasPrefix(word, "-") || strings.ContainsAny(word, "*?[]{}$\\") {
			continue
		}
		if good(filepath.Join(f.root, filepath.FromSlash(name))) {
			f.note(word)
		}
	}
}

// changed returns the current state of the files that have changed, by name.
func (f *files) changed() map[string]state {
	out := map[string]state{}
	for name, before := range f.before {
		path := filepath.Join(f.root, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			out[name] = state{there: true, left: "is a folder"}
			continue
		}
		now := f.read(path)
		if now.there != before.there || before.left == "" && !bytes.Equal(now.data, before.data) {
			out[name] = now
		}
	}
	return out
}
