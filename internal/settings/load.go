package settings

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"syscall"

	"minigem/internal/boundedfile"
)

// Options says where to look.
type Options struct {
	Home string // the directory that contains .gemini, see Home
	Dir  string // the workspace, absolute
	// Lookup reads the environment, for the paths of the system files and for variables
	// in strings. If nil, no variable is set.
	Lookup func(name string) (string, bool)
	// Trusted decides whether the workspace's file is read. It gets the settings
	// without that file, so that a folder has no say in its own trust. If nil, the
	// workspace is not trusted.
	Trusted func(Settings) bool
}

// File is one settings file.
type File struct {
	Layer   Layer
	Path    string // absolute
	Data    []byte // nil if the file does not exist or was not read
	Skipped string // why it was not read; empty if it was, or does not exist
}

// Loaded is the result of Load. It is not modified afterwards, and is safe for
// concurrent use.
type Loaded struct {
	Settings Settings
	Files    []File // from the lowest layer to the highest, including missing ones
	Trusted  bool   // the result of Options.Trusted
	Warnings []Warning
	Unknown  []Unknown
	Given    []Given // values set by files, in the order of their layers

	tree   *node
	faults []Given // values of restricting keys that are not valid
}

// Environment variables that change where the files are.
const (
	envHome           = "GEMINI_CLI_HOME"
	envSystem         = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
	envSystemDefaults = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
)

// Load reads all layers. Its error wraps a *jsonc.SyntaxError, or says that an existing
// file cannot be read.
func Load(o Options) (*Loaded, error) {
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	l := &Loaded{}
	var trees []*node
	for _, f := range files(o) {
		if f.Layer == LayerWorkspace && o.Trusted != nil {
			below, err := decode(mergeTrees(trees))
			if err != nil {
				return nil, err
			}
			l.Trusted = o.Trusted(below)
		}
		if f.Layer == LayerWorkspace && !l.Trusted && f.Skipped == "" {
			f.Skipped = "the folder is not trusted"
		}
		tree, err := l.read(&f, o.Lookup)
		if err != nil {
			return nil, err
		}
		if f.Layer == LayerWorkspace && tree != nil {
			l.narrow(mergeTrees(trees), tree)
		}
		l.Files = append(l.Files, f)
		trees = append(trees, tree)
	}
	var err error
	l.tree = mergeTrees(trees)
	l.Settings, err = decode(l.tree)
	return l, err
}

// files lists the layers above the defaults, from the lowest to the highest.
func files(o Options) []File {
	system, ok := o.Lookup(envSystem)
	if !ok || system == "" {
		system = filepath.Join(systemDir(runtime.GOOS), "settings.json")
	}
	defaults, ok := o.Lookup(envSystemDefaults)
	if !ok || defaults == "" {
		defaults = filepath.Join(filepath.Dir(system), "system-defaults.json")
	}
	user := filepath.Join(o.Home, ".gemini", "settings.json")
	workspace := File{Layer: LayerWorkspace, Path: filepath.Join(o.Dir, ".gemini", "settings.json")}
	if sameFile(o.Home, o.Dir) {
		workspace.Skipped = "the working directory is the home directory"
	}
	return []File{
		{Layer: LayerSystemDefaults, Path: defaults},
		{Layer: LayerUser, Path: user},
		workspace,
		{Layer: LayerSystem, Path: system},
	}
}

func systemDir(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/GeminiCli"
	case "windows":
		return `C:\ProgramData\gemini-cli`
	}
	return "/etc/gemini-cli"
}

func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}

// read returns the tree of one file, or nil if there is no file.
func (l *Loaded) read(f *File, lookup func(string) (string, bool)) (*node, error) {
	if f.Skipped != "" {
		return nil, nil
	}
	data, err := boundedfile.Read(f.Path, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w: make the file readable, or move it away", err)
	}
	f.Data = data
	return l.digest(f, lookup)
}

// digest parses a file into a tree that contains only what fits, and records the rest.
func (l *Loaded) digest(f *File, lookup func(string) (string, bool)) (*node, error) {
	r := &reader{layer: f.Layer, file: f.Path}
	tree, err := r.parse(f.Data)
	if err != nil {
		return nil, err
	}
	r.migrate(tree)
	expand(tree, lookup)
	l.given(f.Layer, tree)
	c := &checker{reader: r}
	c.object(tree, reflect.TypeFor[Settings](), "")
	l.Warnings = append(l.Warnings, r.first()...)
	l.Unknown = append(l.Unknown, c.unknown...)
	l.faults = append(l.faults, c.faults...)
	return tree, nil
}

//go:embed defaults.json
var defaultsJSON []byte

// defaults is never modified: merging makes new nodes.
var defaults = sync.OnceValue(func() *node {
	r := &reader{layer: LayerDefault}
	tree, err := r.parse(defaultsJSON)
	if err != nil {
		panic("unreachable unless defaults.json is broken: " + err.Error())
	}
	clearPositions(tree)
	return tree
})

func clearPositions(n *node) {
	n.origin.Line, n.origin.Column = 0, 0
	for i := range n.members {
		n.members[i].origin = n.origin
		clearPositions(n.members[i].value)
	}
	for _, it := range n.items {
		clearPositions(it)
	}
}

// mergeTrees merges the layers onto the defaults, skipping nil ones.
func mergeTrees(trees []*node) *node {
	out := defaults()
	for _, t := range trees {
		if t != nil {
			out = merge(out, t)
		}
	}
	return out
}

// decode makes the typed value. The tree has been checked, so an error is a bug in the
// checker.
func decode(tree *node) (Settings, error) {
	var s Settings
	if err := json.Unmarshal(tree.json(), &s); err != nil {
		return Settings{}, fmt.Errorf("decoding checked settings: %w", err)
	}
	return s, nil
}
