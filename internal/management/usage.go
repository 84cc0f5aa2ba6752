package management

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/text"
)

// Usage is what cobra says of a command by itself, in lines that fit a terminal.
func Usage(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:")
	if cmd.Runnable() {
		b.WriteString("\n  " + cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n  %s [command]", cmd.CommandPath())
	}
	if len(cmd.Aliases) > 0 {
		b.WriteString("\n\nAliases:\n  " + cmd.NameAndAliases())
	}
	if cmd.HasExample() {
		b.WriteString("\n\nExamples:\n" + cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n\nAvailable Commands:")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), text.Hanging(sub.Short, sub.NamePadding()+3))
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\n\nFlags:\n" + strings.TrimRight(cmd.LocalFlags().FlagUsagesWrapped(text.HelpWidth), " \n"))
	}
	if cmd.HasAvailableInheritedFlags() {
		b.WriteString("\n\nGlobal Flags:\n" + strings.TrimRight(cmd.InheritedFlags().FlagUsagesWrapped(text.HelpWidth), " \n"))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n\nUse \"" + cmd.CommandPath() + " [command] --help\" for more information about a command.")
	}
	return b.String() + "\n"
}
