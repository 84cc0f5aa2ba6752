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
		Short: "Run a hook with unpleasant payloads and report what breaks",
		Long: `Runs one hook with payloads that are valid but unpleasant (quotes, NUL,
commands, 5 MB, deep nesting, nothing), twenty at once, twice in a row, ended
half-way, without a home, in other languages and time zones, and in a folder
with blanks. It compares each run with an undisturbed one, and reports crashes,
lost denials, answers that are not JSON, payloads that run as commands, runs
that disturb one another, and files and processes left behind.

The event is BeforeTool unless you name one. Use --set to make a payload that
the hook refuses, so that lost denials are found. The hook must be trusted. It
runs in this folder, with a new temporary folder.

Exit codes: 0 nothing found, 1 something found, 42 wrong usage.`,
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
	cmd.Flags().StringArrayVar(&o.Set, "set", nil, "set one value of the payload, `path=value` (may be repeated)")
	cmd.Flags().StringVar(&match, "run", "", "only trials whose name matches this `pattern`, such as HOME")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 10*time.Second,
		"the longest a run may take, unless its own timeout is shorter")
	cmd.Flags().BoolVar(&o.Fix, "fix", false,
		"where a failure of a guard lets the action go on, write \"onError\": \"block\" into its settings")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.SkipTrust, "skip-trust", false, "run the hooks of this folder even if it is not trusted")
	cmd.Args = withUsage(cobra.RangeArgs(1, 2), "needs the name of a hook; minigem hooks list shows them")
	return cmd
}
