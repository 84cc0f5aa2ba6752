package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/agents"
	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/trials"
)

// registerStimulus registers the flags of payload and fire.
func registerStimulus(s *trials.Stimulus, cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.Tool, "tool", "", "the `tool` that is called (write_file), or the trigger of another event")
	cmd.Flags().StringArrayVar(&s.Set, "set", nil,
		"set one value, `path=value`: tool_input.file_path=/etc/passwd; JSON, else a string (may be repeated)")
	cmd.Flags().StringVar(&s.Transcript, "from-transcript", "",
		"take prompt, call and result from the end of this session's `file`")
	cmd.Flags().StringVar(&s.Input, "input", "", "begin with the payload in this `file`, - for stdin")
	cmd.MarkFlagsMutuallyExclusive("input", "from-transcript")
	cmd.MarkFlagsMutuallyExclusive("input", "tool")
}

func hooksPayloadCommand(sys *app.System) *cobra.Command {
	var s trials.Stimulus
	cmd := &cobra.Command{
		Use:   "payload EVENT",
		Short: "Print what the hooks of an event read on stdin",
		Long: `Prints a payload with plausible values, built by the code that builds it in a
session. Use it to try a hook by hand, or as a starting point for fire --input.
What a hook reads in another agent, a case shows: minigem hooks test --as kimi
-v CASE.`,
		Example: `  minigem hooks payload BeforeTool --tool run_shell_command \
    --set 'tool_input.command=rm -rf /' | ./guard.sh
  minigem hooks payload AfterAgent --set stop_hook_active=true`,
		ValidArgsFunction: completeEvents,
		RunE: func(cmd *cobra.Command, args []string) error {
			ev, err := trials.ParseEvent(args[0])
			if err != nil {
				return err
			}
			c, err := app.Configure(sys, &app.Options{})
			if err != nil {
				return err
			}
			sample, err := s.Payload(sys, ev)
			if err != nil {
				return err
			}
			payload, err := inspect.Payload(context.Background(), c.Origin(), sample)
			if err != nil {
				return exit.With(exit.Input, err)
			}
			_, err = fmt.Fprintf(sys.Stdout, "%s\n", payload)
			return err
		},
	}
	registerStimulus(&s, cmd)
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs an event: "+eventNames())
	return cmd
}

func hooksFireCommand(sys *app.System) *cobra.Command {
	var s trials.Stimulus
	var f trials.Fire
	var untrusted bool
	var elsewhere string
	cmd := &cobra.Command{
		Use:   "fire EVENT",
		Short: "Run the hooks of an event and show everything they did",
		Long: `Fires one event as a session would. For each hook it shows what it read, what
it printed, how it ended, how long it took, what was understood and what was
ignored; then how the answers were merged, and the effect. No tool and no model
is called.

Exit codes: 0 the action would go on, 2 a hook denied, stopped or asked, 1 a
hook failed (and the action would go on), 42 bad input, 52 bad settings.`,
		Example: `  minigem hooks fire BeforeTool --tool write_file \
    --set tool_input.file_path=.env
  minigem hooks payload AfterAgent > p.json
  minigem hooks fire AfterAgent --input p.json --json`,
		ValidArgsFunction: completeEvents,
		RunE: func(cmd *cobra.Command, args []string) error {
			ev, err := trials.ParseEvent(args[0])
			if err != nil {
				return err
			}
			if f.Timeout < 0 {
				return wrongUsage(sys, cmd, "--timeout must not be negative")
			}
			c, err := app.Configure(sys, &app.Options{SkipTrust: untrusted})
			if err != nil {
				return err
			}
			payload, err := s.Payload(sys, ev)
			if err != nil {
				return err
			}
			if f.Agents, err = agents.List(elsewhere); err != nil {
				return exit.With(exit.Input, err)
			}
			ctx, stop := exit.Context()
			defer stop()
			return f.Run(ctx, c, sys, payload)
		},
	}
	registerStimulus(&s, cmd)
	cmd.Flags().BoolVar(&f.JSON, "json", false, "print the engine's report as JSON")
	cmd.Flags().DurationVar(&f.Timeout, "timeout", 0,
		"end each hook after at most this `time`, such as 500ms, whatever its own timeout")
	cmd.Flags().BoolVar(&untrusted, "skip-trust", false, "run the hooks of this folder even if it is not trusted")
	cmd.Flags().StringVar(&elsewhere, "for", "",
		"also show what these `agents` do with the answers, such as claude,codex, or all")
	cmd.MarkFlagsMutuallyExclusive("for", "json")
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs an event: "+eventNames())
	return cmd
}

func eventNames() string {
	var names []string
	for _, e := range protocol.Events {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}
