package app

import (
	"io"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/term"

	"minigem/hooks/dotenv"
	"minigem/internal/settings"
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

// HostSystem returns the System of this process.
func HostSystem() *System {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		Env:       os.Environ(), Dir: dir, Now: time.Now, Account: settings.AccountHome,
		Host: true,
	}
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
