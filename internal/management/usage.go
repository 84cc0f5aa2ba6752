package management

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/text"
)

// Usage returns cobra's usage text of a command, in lines that fit a terminal.
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
		b.WriteString("\n\nFlags:\n" + Flags(cmd, strings.Fields(cmd.Annotations[MostUsed])))
	}
	if cmd.HasAvailableInheritedFlags() {
		b.WriteString("\n\nGlobal Flags:\n" + strings.TrimRight(cmd.InheritedFlags().FlagUsagesWrapped(text.HelpWidth),
			" \n"))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n\nUse \"" + cmd.CommandPath() + " [command] --help\" for more information about a command.")
	}
	return b.String() + "\n"
}

// MostUsed is the annotation of a command that names the flags its help shows. Without
// it, the help shows all flags.
const MostUsed = "most used flags"

// Flags lists the flags of a command: those named, or all if none are.
func Flags(cmd *cobra.Command, named []string) string {
	const column = 30
	var lines []string
	left := 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
			return
		case len(named) > 0 && f.Name != "help" && !slices.Contains(named, f.Name):
			left++
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		line := "      --" + f.Name
		if f.Shorthand != "" {
			line = "  -" + f.Shorthand + ", --" + f.Name
		}
		if name != "" && name != "string" && name != "strings" && name != "int" {
			line += " " + name
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		if len(line) > column-2 {
			line += "\n"
		}
		_, last, broken := strings.Cut(line, "\n")
		if !broken {
			last = line
		}
		lines = append(lines, line+strings.Repeat(" ", column-len(last))+text.Hanging(usage, column))
	})
	if left > 0 {
		path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
		lines = append(lines, fmt.Sprintf("\n\"%s help flags%s\" shows %s.", cmd.Root().Name(), path,
			text.Plural(left, "more flag")))
	}
	return strings.Join(lines, "\n")
}
