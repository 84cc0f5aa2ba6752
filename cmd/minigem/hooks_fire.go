package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/replay"
	"minigem/hooks/command"
	"minigem/hooks/dialect"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/output"
)

// exitDenied is how hooks fire ends where a hook denied, stopped or asked: what a
// hook itself says with 2.
const exitDenied = 2

// A stimulus is what payload and fire know of the event.
type stimulus struct {
	tool, from, input string
	set               []string
}

func (s *stimulus) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.tool, "tool", "", "the `tool` that is called (write_file), or the trigger of another event")
	cmd.Flags().StringArrayVar(&s.set, "set", nil, "set one value, `path=value`: tool_input.file_path=/etc/passwd; JSON, else a string; again for more")
	cmd.Flags().StringVar(&s.from, "from-transcript", "", "take prompt, call and result from the end of this session's `file`")
	cmd.Flags().StringVar(&s.input, "input", "", "begin with the payload in this `file`, - for stdin")
	cmd.MarkFlagsMutuallyExclusive("input", "from-transcript")
	cmd.MarkFlagsMutuallyExclusive("input", "tool")
}

// payload makes it: a sample, or what was given, changed as --set says.
func (s *stimulus) payload(sys *app.System, ev protocol.Event) ([]byte, error) {
	payload, err := s.begin(sys, ev)
	if err != nil {
		return nil, err
	}
	for _, assignment := range s.set {
		if payload, err = inspect.Set(payload, assignment); err != nil {
			return nil, exit.With(exit.Input, err)
		}
	}
	return payload, nil
}

func (s *stimulus) begin(sys *app.System, ev protocol.Event) ([]byte, error) {
	switch {
	case s.input != "":
		data, err := readInput(sys, s.input)
		if err != nil {
			return nil, err
		}
		var p planned
		if err := p.read(data); err != nil {
			return nil, exit.Errorf(exit.Input, "%s: %w", s.input, err)
		}
		if p.events[0] != ev {
			return nil, exit.Errorf(exit.Input, "%s is a payload of %s, not of %s", s.input, p.events[0], ev)
		}
		return data, nil
	case s.tool != "" && !ev.HasSubject():
		return nil, exit.Errorf(exit.Input, "--tool has no meaning for %s, which is not about a tool", ev)
	case s.tool != "" && ev.Triggers() != nil && !slices.Contains(ev.Triggers(), s.tool):
		return nil, exit.Errorf(exit.Input, "%s never has %q, only %s", ev, s.tool, strings.Join(ev.Triggers(), ", "))
	}
	payload, err := inspect.Sample(ev, s.tool)
	if err != nil || s.from == "" {
		return payload, err
	}
	past, err := replay.Read(app.Absolute(sys, s.from))
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	payload, err = past.Payload(payload, s.tool)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	return payload, nil
}

func hooksPayloadCommand(sys *app.System) *cobra.Command {
	var s stimulus
	cmd := &cobra.Command{
		Use:   "payload EVENT",
		Short: "Print what the hooks of an event read on stdin",
		Long: `Prints a payload, made by the code that makes them in a session, with plausible
values: for trying a hook by hand, or as a beginning for fire --input.`,
		Example: `  minigem hooks payload BeforeTool --tool run_shell_command --set 'tool_input.command=rm -rf /' | ./guard.sh
  minigem hooks payload AfterAgent --set stop_hook_active=true`,
		ValidArgsFunction: completeEvents,
		RunE: func(cmd *cobra.Command, args []string) error {
			ev, err := parseEvent(args[0])
			if err != nil {
				return err
			}
			c, err := app.Configure(sys, &app.Options{})
			if err != nil {
				return err
			}
			sample, err := s.payload(sys, ev)
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
	s.register(cmd)
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs an event: "+eventNames())
	return cmd
}

func hooksFireCommand(sys *app.System) *cobra.Command {
	var s stimulus
	var asJSON, untrusted bool
	var elsewhere string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "fire EVENT",
		Short: "Run the hooks of an event and show everything they did",
		Long: `Fires one event at the configured hooks, as a session would, and shows for each
of them what it read, what it printed, how it ended, how long it took, what was
understood and what was ignored; then the merge and the effect. No tool and no
model is called.

Exit codes: 0 the action would go on, 2 a hook denied, stopped or asked, 1 a
hook failed (and the action would go on), 42 bad input, 52 bad settings.`,
		Example: `  minigem hooks fire BeforeTool --tool write_file --set tool_input.file_path=.env
  minigem hooks payload AfterAgent > p.json && minigem hooks fire AfterAgent --input p.json --json`,
		ValidArgsFunction: completeEvents,
		RunE: func(cmd *cobra.Command, args []string) error {
			ev, err := parseEvent(args[0])
			if err != nil {
				return err
			}
			if timeout < 0 {
				return wrongUsage(sys, cmd, "--timeout must not be negative")
			}
			c, err := app.Configure(sys, &app.Options{SkipTrust: untrusted})
			if err != nil {
				return err
			}
			payload, err := s.payload(sys, ev)
			if err != nil {
				return err
			}
			agents, err := dialect.List(elsewhere)
			if err != nil {
				return exit.With(exit.Input, err)
			}
			return fireHooks(c, sys, payload, timeout, agents, asJSON)
		},
	}
	s.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "the engine's report, for programs")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "the longest `time` any hook gets, such as 500ms, whatever its own timeout is")
	cmd.Flags().BoolVar(&untrusted, "skip-trust", false, "run the hooks of this folder though it is not trusted")
	cmd.Flags().StringVar(&elsewhere, "for", "", "say what these `agents` make of the answers, such as claude,codex, or all")
	cmd.MarkFlagsMutuallyExclusive("for", "json")
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs an event: "+eventNames())
	return cmd
}

func fireHooks(c *app.Configuration, sys *app.System, payload []byte, timeout time.Duration, agents []*dialect.Agent, asJSON bool) error {
	ctx, stop := exit.Context()
	defer stop()
	s := c.Inspection()
	if timeout > 0 {
		s.Config.Hooks = slices.Clone(s.Config.Hooks)
		for i := range s.Config.Hooks {
			if h := &s.Config.Hooks[i]; h.Timeout <= 0 || h.Timeout > timeout {
				h.Timeout = timeout
			}
		}
	}
	children := &command.Children{}
	defer children.Close() // it always returns nil
	e := c.HookEngine(s.Config, children)
	r, err := inspect.Fire(ctx, e, payload)
	switch {
	case ctx.Err() != nil:
		return exit.Ended(ctx)
	case err != nil:
		return exit.With(exit.Input, err)
	}
	if asJSON {
		err = output.WriteJSON(sys.Stdout, r)
	} else {
		_, err = sys.Stdout.Write(c.Mask([]byte(c.InspectionText().Report(r) + inspect.Elsewhere(r, agents))))
	}
	switch {
	case err != nil:
		return err
	case r.Verdict.Decision != hooks.Proceed:
		return exit.Silent(exitDenied)
	case slices.ContainsFunc(r.Runs, func(run hooks.Run) bool { return run.Failed != "" }):
		return exit.Silent(exit.Failed)
	}
	return nil
}

func eventNames() string {
	var names []string
	for _, e := range protocol.Events {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}
