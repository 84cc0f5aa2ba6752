package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks"
	"minigem/hooks/author/scaffold"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/trials"
)

func hooksNewCommand(sys *app.System) *cobra.Command {
	var o scaffold.Options
	var event, matcher, onError string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a hook: program, settings entry and a test that passes",
		Long: `Makes the beginning of a hook in this project: a program in .gemini/hooks that
does one small thing, its entry in .gemini/settings.json (comments stay), and a
case for minigem hooks test. Nothing that is there is overwritten.

With --kind it is a hook of another kind than a command: http (the program is
its server), mcp_tool (the program is an MCP server), or prompt (a model judges,
and the case says what it answers). With --async it is a command that nobody
waits for.`,
		Example: `  minigem hooks new guard
  minigem hooks new guard --event BeforeTool --on-error block \
    --matcher '^(write_file|replace)$'
  minigem hooks new deploys --event BeforeTool --tool run_shell_command
  minigem hooks new reviewer --event AfterAgent --lang py
  minigem hooks new filter --event AfterModel --kind http
  minigem hooks new judge --event BeforeTool --kind prompt --on-error block
  minigem hooks new looker --event AfterTool --async`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ev, err := trials.ParseEvent(event)
			if err != nil {
				return err
			}
			o.Name, o.Event = args[0], ev
			h, err := scaffold.Make(o)
			if err != nil {
				return exit.With(exit.Input, err)
			}
			if err := h.Narrow(matcher, onError); err != nil {
				return exit.With(exit.Input, err)
			}
			c, err := app.Configure(sys, &app.Options{SkipTrust: true})
			if err != nil {
				return err
			}
			if err := scaffold.Write(h, c.ProjectDir, c.Hooks); err != nil {
				return exit.With(exit.Input, err)
			}
			_, err = io.WriteString(sys.Stdout, h.Made())
			return err
		},
	}
	cmd.Flags().StringVar(&event, "event", string(protocol.BeforeTool), "the `event` that it is for")
	cmd.Flags().StringVar(&o.Language, "lang", "", "the `language` of the program: "+
		strings.Join(scaffold.Languages, ", ")+"; py or js for http and mcp_tool")
	cmd.Flags().StringVar(&o.Kind, "kind", "", "the `kind` of hook: "+strings.Join(hooks.Kinds(), ", "))
	cmd.Flags().BoolVar(&o.Async, "async", false, "nobody waits for it; what it says is read later")
	cmd.Flags().StringVar(&matcher, "matcher", "", "the `pattern` of the tools that it is for")
	cmd.Flags().StringVar(&o.Tool, "tool", "", "the `tool` whose calls it refuses, at BeforeTool")
	cmd.Flags().StringVar(&onError, "on-error", "", "what comes of its failure: `allow` or block")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents) // the flag is there
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs a name for the hook")
	return cmd
}
