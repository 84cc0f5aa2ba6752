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

// Options says where [Find] looks for a .env file.
type Options struct {
	// Home is the directory that contains .gemini.
	Home string
	// Dir is the workspace, an absolute path.
	Dir string
	// Trusted says that the workspace is trusted. Otherwise only the home directory is
	// searched.
	Trusted bool
	// Lookup reads the environment. Variables that are set there are left out. nil means
	// that none is set.
	Lookup func(name string) (string, bool)
	// Excluded lists variables that are not read from files outside .gemini
	// (advanced.excludedEnvVars).
	Excluded []string
	// IgnoreLocal restricts the search to the home directory (advanced.ignoreLocalEnv).
	IgnoreLocal bool
}

// File is the .env file that was found.
type File struct {
	// Path is the path of the file; empty if there is none.
	Path string
	// Vars are the variables to set, in the order of the file, without those that are set
	// already.
	Vars []Var
	// Refused names variables of the file that make programs run code, such as
	// LD_PRELOAD. They are accepted only from a file in the home directory.
	Refused []string
}

// Find reads the first .env file that exists (cli/config/settings.ts): from the workspace
// upwards <dir>/.gemini/.env, then <dir>/.env, and at last the same files in the home directory.
// It sets nothing. If there is no file, it returns the zero File and no error; a file
// that cannot be read is an error.
//
// A workspace that is not trusted contributes no variable at all (docs/spec/contract.md,
// section 6). Files outside .gemini do not set excluded names, and files outside
// the home directory do not set variables that make programs run code.
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

// add adds v to f.Vars, or to f.Refused if it makes programs run code and f is not in
// home.
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

// Read reads one .env file. If the file does not exist, errors.Is(err, fs.ErrNotExist)
// holds. Lines that are not assignments are skipped.
func Read(path string) ([]Var, error) {
	data, err := boundedfile.Read(path, boundedfile.Written)
	return parse(string(data)), err
}

// isDir reports whether path is a folder, such as a virtual environment called .env.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// paths returns where to look for a .env file, in this order.
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
