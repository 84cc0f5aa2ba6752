// Command minigem is a small coding agent, compatible with Gemini CLI on the wire, and
// the testbed for hooks that are written for it. This package wires the rooms together,
// with one file per subcommand. It leaves to other packages whatever can be decided
// there.
package main

import (
	"os"
	"time"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/management"
	"minigem/internal/settings"
	"minigem/internal/text"

	"golang.org/x/term"
)

func main() {
	delayCollection()
	os.Exit(run(os.Args[1:], hostSystem()))
}

// hostSystem returns the System of this process.
func hostSystem() *app.System {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &app.System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		Env:       os.Environ(), Dir: dir, Now: time.Now, Account: settings.AccountHome,
		Host: true,
	}
}

// run is main with its dependencies as parameters. Both output streams are
// text.Writers, so nothing that it prints can control a terminal.
func run(args []string, sys *app.System) int {
	stdout := &exit.Stdout{To: sys.Stdout}
	sys.Stdout, sys.Stderr = text.NewWriter(stdout), text.NewWriter(sys.Stderr)
	args = joinOptionalValues(args)
	root, f := newRootCommand(sys, args...)
	args, err := management.Arrange(root, args)
	if err != nil {
		_ = root.ParseFlags(args) // the flags may set the output format
		return stdout.Report(sys.Stderr, headless.New(sys, f, nil).Refuse(err))
	}
	root.SetArgs(args)
	err = root.Execute()
	return stdout.Report(sys.Stderr, err)
}
