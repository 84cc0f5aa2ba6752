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
		Long: `Runs one script as the hook of any agent. Use this as the command of a hook in
any agent's configuration. It recognizes the agent by its payload, gives the
script the payload in Gemini CLI's format (or Claude Code's), and translates the
answer: a refusal refuses everywhere. Where an agent's hooks cannot ask, or
cannot change the arguments of a call, the call is refused and stderr says so.
The files of a patch and the commands of a list are judged one by one.

A script that cannot be started, or does not end, refuses calls and prompts. An
exit code other than 0 and 2 is a warning. --on-error changes both.

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
		"run the script only for tools that this `matcher`, in the script's dialect, matches; let other calls pass")
	cmd.Flags().StringVar(&o.OnError, "on-error", "", "what happens when the script fails: block or allow")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0,
		"end the script after this `time`, and refuse; it should be less than the agent's timeout")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return exit.Silent(o.Refuse(err.Error())) })
	return cmd
}
