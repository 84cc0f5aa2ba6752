package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"minigem/hooks/dotenv"
	"minigem/internal/boundedfile"
)

// EnvOptions says where to look for a .env file.
type EnvOptions struct {
	Home    string // the directory that holds .gemini
	Dir     string // the workspace, absolute
	Trusted bool   // the workspace is; otherwise only the home directory is looked at
	// Lookup reads the environment: what is set there is left out. nil: nothing is.
	Lookup      func(name string) (string, bool)
	Excluded    []string // advanced.excludedEnvVars
	IgnoreLocal bool     // advanced.ignoreLocalEnv: only the home directory
}

// EnvFile is the .env file that was found.
type EnvFile struct {
	Path string // empty: there is none
	Vars []Var  // in the order of the file, none that is set already
}

// Var is one variable.
type Var = dotenv.Var

// LoadEnv finds the first .env file and reads it (cli/config/settings.ts): from
// the workspace upwards <dir>/.gemini/.env, then <dir>/.env; at last those of
// the home directory. It sets nothing. An untrusted workspace brings no
// variable at all (docs/spec/contract.md 6). From a file outside of .gemini the
// excluded names are skipped.
func LoadEnv(o EnvOptions) (EnvFile, error) {
	for _, path := range envPaths(o) {
		data, err := boundedfile.Read(path, boundedfile.Written)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isDir(path) {
			continue
		}
		if err != nil {
			return EnvFile{}, fmt.Errorf("reading variables: %w", err)
		}
		file := EnvFile{Path: path}
		project := filepath.Base(filepath.Dir(path)) != ".gemini"
		for _, v := range dotenv.Parse(string(data)) {
			if o.Lookup != nil {
				if _, set := o.Lookup(v.Name); set {
					continue
				}
			}
			if !project || !slices.Contains(o.Excluded, v.Name) {
				file.Vars = append(file.Vars, v)
			}
		}
		return file, nil
	}
	return EnvFile{}, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func envPaths(o EnvOptions) []string {
	var paths []string
	add := func(dir string) {
		paths = append(paths, filepath.Join(dir, ".gemini", ".env"), filepath.Join(dir, ".env"))
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
	return paths
}
