package main

import (
	"github.com/spf13/cobra"

	"minigem/hooks/author/compat"
	"minigem/internal/app"
	"minigem/internal/text"
)

func hooksCompatCommand(sys *app.System) *cobra.Command {
	var o compat.Options
	cmd := &cobra.Command{
		Use:   "compat [EVENT]",
		Short: "Show what other agents do with hooks, answer by answer",
		Long: `Prints what agents do with hooks: what they call each event, or for one EVENT,
in any agent's words, what each agent does with each answer that was tried.
Cells are measured unless they say otherwise; ? means unknown, not no. --json
prints everything for programs (` + compat.Schema + `), --html a page.`,
		Example: "  minigem hooks compat PreToolUse --agents claude,codex\n" +
			"  minigem hooks compat --html > compat.html",
		ValidArgsFunction: completeEvents,
		RunE: func(_ *cobra.Command, args []string) error {
			o.Args = args
			return compat.Run(sys.Stdout, text.Raw(sys.Stdout), sys.StdoutTTY, o)
		},
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.HTML, "html", false, "print one page for the browser")
	cmd.Flags().StringVar(&o.Agents, "agents", "", "only these `agents`, such as claude,codex")
	cmd.Args = withUsage(cobra.MaximumNArgs(1), "takes one event, or none")
	return cmd
}
