package main

import (
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/trials"
)

func hooksTortureCommand(sys *app.System) *cobra.Command {
	var o trials.Torture
	var match string
	cmd := &cobra.Command{
		Use:   "torture [EVENT] HOOK",
		Short: "Find out whether a hook survives what happens to hooks",
		Long: `Runs one hook with payloads that are valid and unpleasant (quotes, NUL,
commands, 5 MB, deep nesting, nothing), twenty at once, twice in a row, ended
half-way, without a home, in other languages and time zones, in a folder with
blanks, and compares what it does with what it does undisturbed. It finds
crashes, denials that are lost, answers that are no JSON, payloads that are run
as commands, runs that disturb one another, and files and processes that are
left behind.

The event is BeforeTool where none is named. With --set the payload is one that
the hook refuses: then a denial that is lost is found, too. The hook must be
trusted; it runs in this folder, with a folder for temporary files of its own.

Exit codes: 0 nothing was found, 1 something was, 42 wrong usage.`,
		Example: `  minigem hooks torture guard --set tool_input.file_path=.env
  minigem hooks torture AfterAgent tests --fix`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Event, o.Hook, err = trials.EventAndHook(args); err != nil {
				return err
			}
			if match != "" {
				if o.Match, err = regexp.Compile(match); err != nil {
					return wrongUsage(sys, cmd, "reading --run: %v", err)
				}
			}
			ctx, stop := exit.Context()
			defer stop()
			return o.Run(ctx, sys)
		},
	}
	cmd.Flags().StringVar(&o.Tool, "tool", "", "the `tool` that is called, or the trigger of another event")
	cmd.Flags().StringArrayVar(&o.Set, "set", nil, "set one value of the payload, `path=value`; again for more")
	cmd.Flags().StringVar(&match, "run", "", "only trials whose name matches this `pattern`, such as HOME")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 10*time.Second,
		"the most that a run gets, if its own time-out is not less")
	cmd.Flags().BoolVar(&o.Fix, "fix", false,
		"where a failure of a guard lets the action go on, write \"onError\": \"block\" into its settings")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "for programs")
	cmd.Flags().BoolVar(&o.SkipTrust, "skip-trust", false, "run the hooks of this folder though it is not trusted")
	cmd.Args = withUsage(cobra.RangeArgs(1, 2), "needs the name of a hook; minigem hooks list shows them")
	return cmd
}
