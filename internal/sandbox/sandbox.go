// Package sandbox confines commands: the system enforces what they may write
// and whether they reach the network, whatever the command line looks like.
// Reading and executing are not restricted. On Linux it uses Landlock and, if
// the system allows them, namespaces; on macOS sandbox-exec. The callers decide
// which commands are confined.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"minigem/internal/proc"
	"minigem/internal/stage"
	"minigem/internal/text"
	"minigem/tools/workspace"
)

// Options say what confined commands may do.
type Options struct {
	// Writable lists the directories and files that they may change. An entry that does
	// not exist yet counts once it exists.
	Writable []string
	// Kept returns paths below Writable that they must not change all the same. It is
	// called before each command. What does not exist cannot be protected, and for what
	// cannot be looked at, the folder that hides it is kept. May be nil.
	Kept func() []string
	// Network lets them use the network, and the servers of this machine.
	Network bool
}

// Sandbox starts confined commands. It is safe for concurrent use.
type Sandbox struct {
	options Options
	temp    string // a folder for temporary files, writable
	remove  func() // removes temp
	partial bool   // Linux: there are no namespaces
	signals bool   // commands can signal processes outside
}

// ErrUnavailable means that this system cannot confine commands.
var ErrUnavailable = errors.New(
	"this system has no sandbox that minigem can use: it needs Landlock (Linux 6.2 or later) or sandbox-exec (macOS)")

// Open makes a folder for temporary files and checks that a command can be confined.
// The error says why it cannot.
func Open(ctx context.Context, o Options) (*Sandbox, error) {
	temp, remove, err := stage.Temp()
	if err != nil {
		return nil, fmt.Errorf("making a folder for temporary files: %w", err)
	}
	s := &Sandbox{options: o, temp: temp, remove: remove}
	if err := s.begin(ctx); err != nil {
		remove()
		return nil, err
	}
	return s, nil
}

// Close removes the folder for temporary files.
func (s *Sandbox) Close() error {
	s.remove()
	return nil
}

// Temp returns the folder for temporary files, which is the value of TMPDIR.
func (s *Sandbox) Temp() string { return s.temp }

// Partial says what this system does not enforce. It is empty if everything is
// enforced.
func (s *Sandbox) Partial() string {
	if !s.partial {
		return ""
	}
	return "this system allows no user namespaces, so that commands may change settings, hooks and .git below the " +
		"folders that they write to, " +
		"and permissions, owners and times of your files anywhere; other writing is kept to those folders"
}

// Signals says that commands can kill processes outside, such as hooks and minigem. It
// is empty if they cannot.
func (s *Sandbox) Signals() string {
	if !s.signals {
		return ""
	}
	return "this system does not keep commands from killing minigem and its hooks: that needs Linux 6.12 or later"
}

// Confine makes a command start confined: see [proc.Command].
func (s *Sandbox) Confine(argv []string, attr *os.ProcAttr) ([]string, error) {
	r := rules{writable: append([]string{s.temp}, s.options.Writable...), network: s.options.Network}
	if s.options.Kept != nil {
		r.kept = s.options.Kept()
	}
	if err := r.resolve(); err != nil {
		return nil, err
	}
	attr.Env = append(slices.Clone(attr.Env), "TMPDIR="+s.temp, "TMP="+s.temp, "TEMP="+s.temp)
	return s.confine(argv, attr, r)
}

// try runs a command that does nothing.
func (s *Sandbox) try(ctx context.Context) error {
	r, err := proc.Run(ctx, proc.Command{Line: "exit 0", Dir: s.temp, Merge: true, Out: proc.Limit{Head: 1000},
		Confine: s.Confine})
	switch {
	case err != nil:
		return err
	case r.Stopped != nil:
		return r.Stopped
	case r.ExitCode != 0:
		return fmt.Errorf("a command that does nothing could not be confined: %s",
			strings.TrimSpace(string(r.Stdout.Bytes())))
	}
	return nil
}

// rules are the [Options] for one command, with only existing paths and links resolved.
type rules struct {
	writable, kept []string
	network        bool
}

func (r *rules) resolve() error {
	r.writable = existing(r.writable, nil)
	if slices.Contains(r.writable, string(filepath.Separator)) {
		return errors.New("all files of the machine belong to the workspace, so nothing is left to confine")
	}
	r.kept = slices.DeleteFunc(existing(r.kept, hiding), func(p string) bool { return !belowAny(p, r.writable) })
	return nil
}

// existing drops missing paths, resolves links, and sorts parents before children. It
// takes instead for paths that cannot be looked at, and drops them if it is nil.
func existing(paths []string, instead func(string) string) []string {
	var out []string
	for _, p := range paths {
		real, err := filepath.EvalSymlinks(p)
		switch {
		case err == nil:
			out = append(out, real)
		case instead != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			out = append(out, instead(p))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hiding returns the folder that path is in or below, and that cannot be searched.
func hiding(path string) string {
	if real, err := workspace.Follow(path); err == nil {
		path = real
	}
	for {
		path = filepath.Dir(path)
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
}

func belowAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return text.Inside(dir, path) })
}

// pinned returns the directories between writable and kept paths. If one of them could
// be renamed, another could replace it.
func (r *rules) pinned() []string {
	var out []string
	for _, p := range r.kept {
		for dir := filepath.Dir(p); belowAny(dir, r.writable) && !slices.Contains(r.writable, dir) &&
			!slices.Contains(r.kept, dir); dir = filepath.Dir(dir) {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
