package app

import (
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"minigem/hooks/dotenv"
	"minigem/internal/proc"
	"minigem/internal/text"
)

// System is everything outside the program that it uses directly. Tests replace it.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	StdinTTY       bool
	StdoutTTY      bool
	Env            []string // "NAME=value"; later ones win
	Dir            string   // working directory, absolute
	Now            func() time.Time
	Account        func() (string, error)                        // home of the account; may be nil
	Within         func(only []string, begin func() error) error // starts programs confined; may be nil
	Host           bool                                          // this is the System of the process itself
	// NotRun says why a command of the model is answered instead of run. It returns "" if
	// the command runs. nil runs them all.
	NotRun func(command string) string
}

// Getenv returns the last value of name in s.Env, or "" if there is none.
func (s *System) Getenv(name string) string {
	v, _ := s.LookupEnv(name)
	return v
}

// LookupEnv returns the last value of name in s.Env and whether there is one.
func (s *System) LookupEnv(name string) (string, bool) { return dotenv.Lookup(s.Env, name) }

// setHome sets HOME for everything that minigem starts, so that hooks and commands do
// not find the project where they look for the user's files.
func (s *System) setHome(home string) {
	if s.Getenv("HOME") != home {
		s.Env = append(slices.Clone(s.Env), "HOME="+home)
	}
}

// What --version prints. A release build sets both with -ldflags.
var (
	Version = "0.1.0-dev"
	Commit  = "" // if empty, the commit recorded by the toolchain
)

// FullVersion returns the version with the commit that the binary was built from, if it
// is known.
func FullVersion() string {
	commit := Commit
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	if commit == "" {
		return Version
	}
	return Version + " (" + commit + ")"
}

// Absolute resolves path against the directory where the command was started.
func Absolute(sys *System, path string) string {
	return text.Abs(sys.Dir, path)
}

// OpenBrowser opens address in this machine's browser, using the system's opener, and
// reports whether the opener was started. It starts nothing if no user sits at this
// machine's screen (core/utils/secure-browser-launcher.ts). It uses the user's own
// environment, so that a project's .env cannot decide which program runs.
func (s *System) OpenBrowser(address string) bool {
	if !s.StdinTTY || !s.StdoutTTY {
		return false
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return s.Getenv(name) != "" })
	}
	opener := []string{"xdg-open"}
	switch {
	case has("NO_BROWSER", "CI"):
		return false
	case runtime.GOOS == "darwin":
		opener = []string{"open"}
	case runtime.GOOS == "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case !has("DISPLAY", "WAYLAND_DISPLAY"):
		return false
	}
	_, err := proc.Start(proc.Command{Path: opener[0], Args: append(opener[1:], address), Dir: s.Dir, Env: s.Env,
		Outlives: true})
	return err == nil
}
