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
	"sync"

	"minigem/internal/boundedfile"
	"minigem/internal/exit"
	"minigem/internal/runslater"
	"minigem/internal/text"
	"minigem/internal/trust"
)

// Session is the sandbox of a session. It is made for the first command that a rule
// allows only in the sandbox, or by ConfineAll.
type Session struct {
	runslater.Guard
	Context context.Context // limits how long making it takes
	// Widened returns what the settings allow confined commands beyond the workspace.
	Widened func(warn func(string)) (allowed []string, network bool, err error)
	Folders string // the file of trusted folders
	Warn    func(string)
	All     bool // all commands are confined; set by ConfineAll

	once    sync.Once
	err     error
	box     *Sandbox
	made    bool // own was made
	allowed []string
	ran     bool     // a command was confined
	before  []string // the files that make programs run later, from before that
}

// ConfineAll makes the sandbox and confines all commands.
func (s *Session) ConfineAll() error {
	if err := s.open(); err != nil {
		return err
	}
	s.All = true
	s.Workspace.Keep(func(path string) bool { return s.Runs(path) && len(s.unless(path)) > 0 })
	return nil
}

// Confine changes a command so that it runs in the sandbox.
func (s *Session) Confine(argv []string, attr *os.ProcAttr) ([]string, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	return s.box.Confine(argv, attr)
}

func (s *Session) open() error {
	s.once.Do(func() {
		// A folder that does not exist cannot be protected.
		s.made = s.Dir == s.ProjectDir && os.Mkdir(s.own(), 0o755) == nil
		s.err = s.begin()
	})
	return s.err
}

func (s *Session) own() string { return filepath.Join(s.Dir, ".gemini") }

func (s *Session) begin() (err error) {
	var network bool
	if s.allowed, network, err = s.Widened(s.Warn); err != nil {
		return err
	}
	writable := slices.Concat(s.Workspace.Dirs(), s.allowed)
	for _, dir := range s.Workspace.Dirs() {
		writable = append(writable, boundedfile.Find(dir, ".gemini/worktrees/*")...)
	}
	deep := sync.OnceValue(s.deep)
	s.box, err = Open(s.Context, Options{
		Writable: writable,
		Kept:     func() []string { return s.unless(append(s.Protected(), deep()...)...) },
		Network:  network,
	})
	switch {
	case errors.Is(err, ErrUnavailable):
		return exit.Errorf(
			exit.Config, "%w. Run minigem inside a container, and switch its own sandbox off there by GEMINI_SANDBOX=false, "+
				"--sandbox=false or tools.sandbox and security.toolSandboxing in the settings", err)
	case err != nil:
		return exit.Errorf(exit.Config, "commands cannot be confined: %w", err)
	}
	for _, gap := range []string{s.box.Partial(), s.box.Signals()} {
		if gap != "" {
			s.Warn("the sandbox is incomplete: " + gap)
		}
	}
	return nil
}

// unless returns paths without those that are in one of the allowed folders, or are
// one. The user can allow each by name.
func (s *Session) unless(paths ...string) []string {
	return slices.DeleteFunc(paths, func(p string) bool {
		return slices.ContainsFunc(s.allowed, func(a string) bool { return runslater.Within(a, p) })
	})
}

// deep returns the files in the workspace, at any depth, that make programs run later.
func (s *Session) deep() []string {
	for _, dir := range s.Workspace.Dirs() {
		found, whole := runslater.Find(dir, runslater.All)
		if err := trust.BeforeSandbox(s.Folders, dir, found); err != nil {
			s.Warn("the sandbox is incomplete: minigem may load what commands make here: " + err.Error())
		}
		if s.before = append(s.before, found...); !whole {
			s.Warn(fmt.Sprintf("the sandbox is incomplete: not all of %s could be searched for settings that make programs "+
				"run, so commands may change some", s.Shorten(dir)))
		}
	}
	s.ran = true
	return s.before
}

// Created names the files that make programs run later and that confined commands have
// created. It returns "" if there are none. It looks at no more than most entries of
// each folder.
func (s *Session) Created(most int) string {
	var names []string
	for _, dir := range s.Workspace.Dirs() {
		found, _ := runslater.Find(dir, most)
		for _, name := range found {
			if slices.Contains(s.before, name) {
				continue
			}
			if _, err := os.ReadDir(name); errors.Is(err, fs.ErrPermission) {
				name += " (which cannot be read)"
			}
			names = append(names, s.Relative(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "commands in the sandbox created " + text.VisibleLine(strings.Join(names, ", ")) +
		": programs run what is in there later, outside the sandbox, so look at it first"
}

// Close removes the sandbox and says what commands created in it.
func (s *Session) Close() error {
	s.once.Do(func() { s.err = os.ErrClosed })
	if s.made {
		_ = os.Remove(s.own()) // stays if there is a file in it
	}
	if s.ran {
		if created := s.Created(runslater.All); created != "" {
			s.Warn(created)
		}
	}
	if s.box != nil {
		return s.box.Close()
	}
	return nil
}
