package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/inspection"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/trials"
)

func hooksExplainCommand(sys *app.System) *cobra.Command {
	var tool, input string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [EVENT]",
		Short: "Show which hooks would run at an event, which would not, and why",
		Long: `Plans an event as a session would, without running anything. For each hook it
shows file and line, whether it is trusted and enabled, what its matcher
accepts, what shadows it, and its position; then the files that were searched,
and where Gemini CLI 0.61 behaves differently, with the source file that shows
it. To see what depends on a hook's answer, use minigem hooks fire.`,
		Example: `  minigem hooks explain
  minigem hooks explain BeforeTool --tool write_file
  minigem hooks payload SessionStart | minigem hooks explain --input - --json`,
		ValidArgsFunction: completeEvents,
		RunE: func(cmd *cobra.Command, args []string) error {
			what, err := trials.Plan(sys, strings.Join(args, ""), tool, input)
			if err != nil {
				return err
			}
			c, err := app.Configure(sys, &app.Options{})
			if err != nil {
				return err
			}
			x := inspection.Of(c).Explain(what.Events, what.Subject, what.MCP)
			if asJSON {
				return output.WriteJSON(sys.Stdout, x)
			}
			if len(args) > 0 && len(what.Events) > 0 && args[0] != string(what.Events[0]) {
				fmt.Fprintf(sys.Stdout, "%s is called %s here.\n\n", args[0], what.Events[0])
			}
			if _, err = io.WriteString(sys.Stdout, inspection.Text(c).Explanation(x)); err != nil {
				return err
			}
			return listing.WriteForeign(c, sys.Stdout)
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "the `tool` that is called, or the trigger of another event")
	cmd.Flags().StringVar(&input, "input", "", "plan the event and tool of the payload in this `file` (- for stdin)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Args = withUsage(cobra.MaximumNArgs(1), "takes one event, or none for all")
	return cmd
}

func hooksWhyCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why NAME",
		Short: "Show when a hook runs, or why it does not",
		Long: `Explains the hooks with this name or command, at each event that they are
configured for.`,
		Example: "  minigem hooks why guard\n  minigem hooks why guard --json | jq '.events[].hooks[].skipped'",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			c, err := app.Configure(sys, &app.Options{})
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return inspection.Of(c).Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: configured(sys, func(c *app.Configuration, args []string) error {
			return listing.WhyHook(c, sys, args[0], asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs the name of a hook; minigem hooks list shows them")
	return cmd
}
