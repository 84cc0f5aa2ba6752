package main

import (
	"slices"

	"github.com/spf13/cobra"

	"minigem/hooks"
	"minigem/hooks/author/replay"
	"minigem/hooks/command"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/output"
	"minigem/internal/trials"
)

func hooksReplayCommand(sys *app.System) *cobra.Command {
	var asJSON, skipTrust bool
	cmd := &cobra.Command{
		Use:   "replay TRANSCRIPT...",
		Short: "Run today's hooks on past sessions",
		Long: `Fires the prompts, tool calls, results and answers of past sessions at today's
hooks. It reports where they decide differently than they did then, and how
long each hook takes. No tool and no model is called, but the hooks run. Events
of the model are not fired.

A transcript is a session file of minigem, Gemini CLI or Claude Code, or a
folder of *.jsonl and *.json files. What hooks decided then is known from
minigem's notes and from the texts of failed calls.

Exit codes: 0 all as recorded, 1 something would differ or no hook ran, 42 bad
input.`,
		Example: `  minigem hooks replay ~/.gemini/tmp/my-project/chats
  minigem hooks replay session.jsonl --json | jq '.decided[] | select(.differs)'`,
		RunE: func(_ *cobra.Command, args []string) error {
			own, _, stop, err := trials.Confined(sys)
			if err != nil {
				return err
			}
			defer stop()
			c, err := app.Configure(own, &app.Options{SkipTrust: skipTrust})
			if err != nil {
				return err
			}
			return replayHooks(c, sys, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&skipTrust, "skip-trust", false, "run the hooks of this folder even if it is not trusted")
	cmd.Args = withUsage(cobra.MinimumNArgs(1), "needs session files, or folders of them")
	return cmd
}

func replayHooks(c *app.Configuration, sys *app.System, args []string, asJSON bool) error {
	ctx, stop := exit.Context()
	defer stop()
	paths := make([]string, len(args))
	for i, arg := range args {
		paths[i] = app.Absolute(sys, arg)
	}
	sessions, skipped, err := replay.ReadAll(paths)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	children := &command.Children{}
	defer children.Close() // it always returns nil
	e := &hooks.Engine{
		Config: inspection.Of(c).Config.Config, Runner: c.HookRunner(children), Origin: c.Origin(), Mask: c.Mask,
	}
	r := replay.Run(ctx, e, sessions)
	if err := exit.Ended(ctx); err != nil {
		return err
	}
	r.Skipped = append(skipped, r.Skipped...)
	if asJSON {
		err = output.WriteJSON(sys.Stdout, r)
	} else {
		_, err = sys.Stdout.Write(c.Mask([]byte(r.Text(c.ShortenIn))))
	}
	switch {
	case err != nil:
		return err
	case r.Differ() > 0:
		return exit.Silent(exit.Failed)
	case !slices.ContainsFunc(r.Hooks, func(h replay.HookTime) bool { return h.Runs > 0 }):
		return exit.Errorf(exit.Failed, "nothing was proved: no hook ran for anything in these sessions")
	}
	return nil
}
