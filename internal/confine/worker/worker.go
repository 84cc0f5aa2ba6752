// Package worker runs minigem again as a worker, a process that is confined as a whole:
// what minigem does for a test case in its own process is then held like the case's
// programs. Where namespaces are available, a worker has its own mounts and processes, and
// everything in it ends with minigem, even if that is killed. Between the two is a helper,
// which confines itself while packages are initialized.
package worker

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Names of processes: their first argument, and for the helper the second.
const (
	self    = "/proc/self/exe" // minigem, even if its file was replaced meanwhile
	helper  = "minigem-helper"
	plain   = "minigem-worker"
	mounted = "minigem-worker-with-mounts"
)

// unable is the exit code of a helper that could not confine itself.
const unable = 125

// Inside reports whether this process is a worker.
func Inside() bool { return os.Args[0] == plain || Mounted() }

// Mounted reports whether this process is a worker, and mounts limit what it changes.
func Mounted() bool { return os.Args[0] == mounted }

// ErrUnable means that no worker was started, because nothing can confine it here.
var ErrUnable = errors.New("this machine cannot confine a worker")

// Paths returns those paths that exist, absolute and without links, parents before
// children. It leaves out the folder home, the user's own, and those around it.
func Paths(paths []string, home string) []string {
	var out []string
	for _, path := range paths {
		if path == "" {
			continue // not the working directory
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if rel, around := filepath.Rel(real, home); err == nil && (around != nil || !filepath.IsLocal(rel)) {
			out = append(out, real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// environment returns the variables that a worker has of env: none that may hold a key.
func environment(env []string) []string {
	known := regexp.MustCompile(`^(PATH|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|MINIGEM_TEST_\w+|` +
		`GITHUB_ACTIONS|GITHUB_WORKSPACE|GITHUB_STEP_SUMMARY|GOCACHE|GOMODCACHE|GOCOVERDIR|GOMEMLIMIT|GOGC)=`)
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !known.MatchString(kv) })
}
