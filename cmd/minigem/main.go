// Command minigem is a small coding agent, compatible with Gemini CLI on the wire, and
// the testbed for hooks that are written for it. This package wires the rooms together,
// with one file per subcommand. It leaves to other packages whatever can be decided
// there.
package main

import (
	"os"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/management"
	"minigem/internal/text"
)

func main() {
	app.DelayCollection()
	os.Exit(run(os.Args[1:], app.HostSystem()))
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
