package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/author/scaffold"
	"minigem/hooks/config"
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
		Long: `Creates a hook in this project: a small program in .gemini/hooks, its entry in
.gemini/settings.json (comments are kept), and a case for minigem hooks test.
Nothing is overwritten.

--kind makes a hook that is not a command: http (the program is the server),
mcp_tool (the program is an MCP server), or prompt (a model judges; the case
has its answers). --async makes a command that the agent does not wait for.`,
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
			if err := scaffold.Write(h, c.ProjectDir, c.Hooks.Config); err != nil {
				return exit.With(exit.Input, err)
			}
			_, err = io.WriteString(sys.Stdout, h.Made())
			return err
		},
	}
	cmd.Flags().StringVar(&event, "event", string(protocol.BeforeTool), "the `event` of the hook")
	cmd.Flags().StringVar(&o.Language, "lang", "", "the `language` of the program: "+
		strings.Join(scaffold.Languages, ", ")+"; py or js for http and mcp_tool")
	cmd.Flags().StringVar(&o.Kind, "kind", "", "the `kind` of hook: "+strings.Join(config.Kinds(), ", "))
	cmd.Flags().BoolVar(&o.Async, "async", false, "do not wait for the hook; its output is read later")
	cmd.Flags().StringVar(&matcher, "matcher", "", "the matcher: a `pattern` of tool names")
	cmd.Flags().StringVar(&o.Tool, "tool", "", "the `tool` that a guard at BeforeTool refuses")
	cmd.Flags().StringVar(&onError, "on-error", "", "what happens if the hook fails: `allow` or block")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents) // cannot fail: the flag exists
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs a name for the hook; --event EVENT says where it runs")
	return cmd
}
