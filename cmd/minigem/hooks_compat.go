package main

import (
	"github.com/spf13/cobra"

	"minigem/hooks/author/compat"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/internal/trials"
)

func hooksCompatCommand(sys *app.System) *cobra.Command {
	var o compat.Options
	var claims, file string
	cmd := &cobra.Command{
		Use:   "compat [EVENT]",
		Short: "Show what other agents do with hooks, answer by answer",
		Long: `Prints what agents do with hooks: what they call each event, and with an EVENT,
in any agent's words, what each of them makes of each answer that was tried. A
cell is measured unless it says otherwise; ? means unknown, never no.
--json prints all of it for programs (` + compat.Schema + `), --html a page.
--check compares a file of claims with it, and exits with 1 where one
contradicts. --hif says what becomes of the hooks of a file of the Hook
Interchange Format in each agent: kept, degraded, lost, or inverted, which lets
pass; then it exits with 1.`,
		Example:           "  minigem hooks compat PreToolUse --agents claude,codex\n  minigem hooks compat --html > compat.html\n  minigem hooks compat --check claims.json",
		ValidArgsFunction: completeEvents,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if o.Args, o.From = args, claims; claims != "" {
				if o.Claims, err = trials.Input(sys, claims); err != nil {
					return err
				}
			}
			if file != "" {
				if o.HIF, err = trials.Input(sys, file); err != nil {
					return err
				}
			}
			contradicted, err := compat.Run(sys.Stdout, text.Raw(sys.Stdout), sys.StdoutTTY, o)
			if err == nil && contradicted {
				return exit.Silent(exit.Failed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "for programs")
	cmd.Flags().BoolVar(&o.HTML, "html", false, "one page for the browser, on stdout")
	cmd.Flags().StringVar(&claims, "check", "", "compare the claims of this `file` (- for stdin) with what is known")
	cmd.Flags().StringVar(&file, "hif", "", "what becomes in each agent of the hooks in this `file` of the Hook Interchange Format")
	cmd.Flags().StringVar(&o.Agents, "agents", "", "these `agents` alone, such as claude,codex")
	cmd.Args = withUsage(cobra.MaximumNArgs(1), "takes one event, or none")
	return cmd
}
