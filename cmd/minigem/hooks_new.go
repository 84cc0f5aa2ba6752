package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/author/scaffold"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/trials"
)

func hooksNewCommand(sys *app.System) *cobra.Command {
	var event, language, matcher, onError, tool string
	cmd := &cobra.Command{
		Use:   "new NAME --event EVENT",
		Short: "Make a hook: program, settings entry and a test that passes",
		Long: `Makes the beginning of a hook in this project: a program in .gemini/hooks that
does one small thing, its entry in .gemini/settings.json (comments stay), and a
case for minigem hooks test. Nothing that is there is overwritten.`,
		Example: `  minigem hooks new guard --event BeforeTool
  minigem hooks new guard --event BeforeTool --matcher '^(write_file|replace)$' --on-error block
  minigem hooks new deploys --event BeforeTool --tool run_shell_command
  minigem hooks new reviewer --event AfterAgent --lang py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if event == "" {
				return wrongUsage(sys, cmd, "--event is missing: %s", eventNames())
			}
			ev, err := trials.ParseEvent(event)
			if err != nil {
				return err
			}
			h, err := scaffold.New(args[0], ev, language)
			if tool != "" {
				h, err = scaffold.NewFor(args[0], ev, language, tool)
			}
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
	cmd.Flags().StringVar(&event, "event", "", "the `event` that it is for")
	cmd.Flags().StringVar(&language, "lang", "sh", "the `language` of the program: "+strings.Join(scaffold.Languages, ", "))
	cmd.Flags().StringVar(&matcher, "matcher", "", "the `pattern` of the tools that it is for")
	cmd.Flags().StringVar(&tool, "tool", "", "the `tool` whose calls it refuses, at BeforeTool")
	cmd.Flags().StringVar(&onError, "on-error", "", "what comes of its failure: `allow` or block")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents) // the flag is there
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs a name for the hook")
	return cmd
}
