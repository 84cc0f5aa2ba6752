package main

import "github.com/spf13/cobra"

// subcommands is the list of them, one file each.
func subcommands(sys *system) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(sys),
		fakeAPICommand(sys),
		trustCommand(sys),
		hooksCommand(sys),
		sessionsCommand(sys),
		settingsCommand(sys),
		policiesCommand(sys),
	}
}
