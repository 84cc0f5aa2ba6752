package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"minigem/e2e/scaffold"
)

func hooksNewCommand(sys *system) *cobra.Command {
	var event, language string
	cmd := &cobra.Command{
		Use:   "new NAME --event EVENT",
		Short: "Make a hook: program, settings entry and a test that passes",
		Long: `Makes the beginning of a hook in this project: a program in .gemini/hooks that
does one small thing, its entry in .gemini/settings.json (comments stay), and a
case for minigem hooks test. Nothing that is there is overwritten.`,
		Example: `  minigem hooks new guard --event BeforeTool
  minigem hooks new reviewer --event AfterAgent --lang py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if event == "" {
				return wrongUsage(sys, cmd, "--event is missing: %s", eventNames())
			}
			ev, err := parseEvent(event)
			if err != nil {
				return err
			}
			h, err := scaffold.New(args[0], ev, language)
			if err != nil {
				return &exitError{exitInput, err}
			}
			c, err := configure(sys, &flags{skipTrust: true})
			if err != nil {
				return err
			}
			if err := scaffold.Write(h, c.projectDir, c.hooks); err != nil {
				return &exitError{exitInput, err}
			}
			_, err = fmt.Fprintf(sys.Stdout, "made %s\nmade %s\nadded to .gemini/settings.json, under %s\n\nWhat to do next:\n"+
				"  minigem hooks test %s    prove that it works\n"+
				"  minigem hooks fire %s    see what it does with one event\n"+
				"  minigem trust    let it run here\n",
				h.Program.Path, h.Case.Path, ev, h.Case.Path, ev)
			return err
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the `event` that it is for")
	cmd.Flags().StringVar(&language, "lang", "sh", "the `language` of the program: "+strings.Join(scaffold.Languages, ", "))
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents) // the flag is there
	return checkedArgs(sys, cmd, cobra.ExactArgs(1), "needs a name for the hook")
}
