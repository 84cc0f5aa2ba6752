package dotenv

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"minigem/internal/boundedfile"
)

// Options says where to look for a .env file.
type Options struct {
	Home    string // the directory that holds .gemini
	Dir     string // the workspace, absolute
	Trusted bool   // the workspace is; otherwise only the home directory is looked at
	// Lookup reads the environment: what is set there is left out. nil: nothing is.
	Lookup      func(name string) (string, bool)
	Excluded    []string // advanced.excludedEnvVars
	IgnoreLocal bool     // advanced.ignoreLocalEnv: only the home directory
}

// File is the .env file that was found.
type File struct {
	Path string // empty: there is none
	Vars []Var  // in the order of the file, none that is set already
	// Refused are names that the file sets and that make programs run code: they
	// are taken only from a file in the home.
	Refused []string
}

// Find finds the first .env file and reads it (cli/config/settings.ts): from
// the workspace upwards <dir>/.gemini/.env, then <dir>/.env; at last those of
// the home directory. It sets nothing. An untrusted workspace brings no
// variable at all (docs/spec/contract.md 6). From a file outside of .gemini the
// excluded names are skipped, and from a file outside of the home those that make
// programs run code.
func Find(o Options) (File, error) {
	for _, path := range paths(o) {
		vars, err := Read(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isDir(path) {
			continue
		}
		if err != nil {
			return File{}, fmt.Errorf("reading variables: %w", err)
		}
		file := File{Path: path}
		project := filepath.Base(filepath.Dir(path)) != ".gemini"
		for _, v := range vars {
			if o.Lookup != nil {
				if _, set := o.Lookup(v.Name); set {
					continue
				}
			}
			if !project || !slices.Contains(o.Excluded, v.Name) {
				file.add(v, filepath.Clean(o.Home))
			}
		}
		return file, nil
	}
	return File{}, nil
}

// add adds v, unless it makes programs run code and f is not in home.
func (f *File) add(v Var, home string) {
	dir := filepath.Dir(f.Path)
	if runsCode(v.Name) && dir != home && dir != filepath.Join(home, ".gemini") {
		f.Refused = append(f.Refused, v.Name)
		return
	}
	f.Vars = append(f.Vars, v)
}

//go:embed runs_code.txt
var runsCodeText string

// runsCode reports whether a variable makes programs run code.
func runsCode(name string) bool {
	name = strings.ToUpper(name)
	for pattern := range strings.Lines(runsCodeText) {
		pattern = strings.TrimSpace(pattern)
		prefix, open := strings.CutSuffix(pattern, "*")
		if pattern != "" && (name == pattern || open && strings.HasPrefix(name, prefix)) {
			return true
		}
	}
	return false
}

// Read reads one .env file.
func Read(path string) ([]Var, error) {
	data, err := boundedfile.Read(path, boundedfile.Written)
	return parse(string(data)), err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func paths(o Options) []string {
	var all []string
	add := func(dir string) {
		all = append(all, filepath.Join(dir, ".gemini", ".env"), filepath.Join(dir, ".env"))
	}
	if o.Trusted && !o.IgnoreLocal {
		for dir := filepath.Clean(o.Dir); ; dir = filepath.Dir(dir) {
			add(dir)
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	add(o.Home)
	return all
}
