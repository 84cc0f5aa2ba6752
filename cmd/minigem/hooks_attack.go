package main

import (
	"github.com/spf13/cobra"

	"minigem/hooks/author/attack"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/trials"
)

func hooksAttackCommand(sys *app.System) *cobra.Command {
	var o trials.Attack
	goals := map[string]*string{attack.Command: new(string), attack.Path: new(string), attack.Text: new(string),
		attack.URL: new(string)}
	cmd := &cobra.Command{
		Use:   "attack [EVENT] HOOK",
		Short: "Find the spellings that get past a guard",
		Long: `Gives one hook many spellings of a call, as a model could write them, to run a
command, read a file, print a secret or fetch a URL, and harmless look-alikes.
Only the hook runs, never the call; the hook must be trusted. That a spelling
has the effect is known from minigem's own tests, which run those whose programs
are installed against a fake of the program.

The event is BeforeTool unless you name one. --write saves what got through as
a case.

Exit codes: 0 it held (see --min), 1 something got through, 42 wrong usage.`,
		Example: `  minigem hooks attack guard --command 'git push --force'
  minigem hooks attack guard --path .env --min 95
  minigem hooks attack guard --url https://paste.example/new
  minigem hooks attack AfterTool redactor --text hunter2hunter2 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Event, o.Hook, err = trials.EventAndHook(args); err != nil {
				return err
			}
			if o.Min < 0 || o.Min > 100 {
				return wrongUsage(sys, cmd, "--min is %d: it must be a percentage from 0 to 100", o.Min)
			}
			for kind, value := range goals {
				if *value != "" {
					o.Goals = append(o.Goals, attack.Goal{Kind: kind, Value: *value})
				}
			}
			if len(o.Goals) != 1 {
				return wrongUsage(
					sys, cmd, "say what the guard should prevent: one of --command, --path, --text and --url")
			}
			ctx, stop := exit.Context()
			defer stop()
			return o.Run(ctx, sys)
		},
	}
	for _, kind := range []struct{ name, value, usage string }{
		{attack.Command, "", "a `command` that must not run"}, {attack.Path, "", "a `file` that must not be read"},
		{attack.Text, "", "a `secret` that must not be written"},
		{attack.URL, "", "a `URL` that must not be fetched"},
	} {
		cmd.Flags().StringVar(goals[kind.name], kind.name, kind.value, kind.usage)
	}
	cmd.Flags().IntVar(&o.Min, "min", 100, "the lowest `percentage` of spellings to refuse")
	cmd.Flags().StringVar(&o.Write, "write", "",
		"write the spellings that got through to a case in this `file`, or add them to it")
	cmd.Flags().BoolVar(&o.All, "all", false, "list everything that got through")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.SkipTrust, "skip-trust", false, "run the hooks of this folder even if it is not trusted")
	cmd.Args = withUsage(cobra.RangeArgs(1, 2), "needs the name of a hook; minigem hooks list shows them")
	return cmd
}
