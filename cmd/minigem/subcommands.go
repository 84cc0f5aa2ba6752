package main

import (
	"github.com/spf13/cobra"

	"minigem/internal/app"
)

// subcommands lists the subcommands, one file each.
func subcommands(sys *app.System) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(sys),
		fakeAPICommand(sys),
		trustCommand(sys),
		hooksCommand(sys),
		mcpCommand(sys),
		skillsCommand(sys),
		extensionsCommand(sys),
		agentsCommand(sys),
		sessionsCommand(sys),
		settingsCommand(sys),
		policiesCommand(sys),
	}
}
