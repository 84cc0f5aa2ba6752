package main

import (
	"github.com/spf13/cobra"

	"minigem/hooks/author/runner"
	"minigem/internal/app"
	"minigem/internal/exit"
)

func hooksRunCommand(sys *app.System) *cobra.Command {
	o := runner.Options{Dir: sys.Dir, Env: sys.Env, Stdin: sys.Stdin, Stdout: sys.Stdout, Stderr: sys.Stderr}
	var portable bool
	cmd := &cobra.Command{
		Use:   "run --portable -- COMMAND [ARG...]",
		Short: "Run one script as the hook of any agent",
		Long: `Stands in an agent's configuration in the place of a hook's command. It
recognizes the agent by what it says, gives the script the payload in Gemini
CLI's form, or in Claude Code's, and turns the script's answer into what this
agent obeys: a refusal refuses everywhere. What an agent's hooks cannot say
falls to the safe side, and is said on stderr: where a hook cannot ask, or
cannot change the arguments of a call, the call is refused. A patch of several
files and a list of commands are judged one by one.

A script that cannot be started, or does not end, refuses calls and prompts; one
that exits with something else than 0 and 2 is a warning. --on-error changes
both.

Exit codes: those that the agent understands; wrong usage refuses with 2.`,
		Example: "  minigem hooks run --portable -- ./guard.sh\n  minigem hooks run --portable --dialect claude --timeout " +
			"8s -- ./guard.py",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
			if code := runner.Start(cmd.Context(), o, portable); code != 0 {
				return exit.Silent(code)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&portable, "portable", false, "translate for the agent that runs it")
	cmd.Flags().StringVar(&o.Agent, "for", "", "the `agent`, if it cannot be recognized: claude, codex, ...")
	cmd.Flags().StringVar(&o.Event, "event", "", "the `event`, in the agent's words, if its payload does not name it")
	cmd.Flags().StringVar(&o.Dialect, "dialect", "gemini", "the script's dialect: gemini or claude")
	cmd.Flags().StringVar(&o.Match, "match", "",
		"a matcher for tools, in the script's dialect; others pass without the script")
	cmd.Flags().StringVar(&o.OnError, "on-error", "", "what happens when the script fails: block or allow")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0,
		"end the script after this `time`, and refuse; it should be less than the agent's timeout")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return exit.Silent(o.Refuse(err.Error())) })
	return cmd
}
