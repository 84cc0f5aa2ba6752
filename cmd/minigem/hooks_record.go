package main

import (
	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/management"
)

func hooksRecordCommand(sys *app.System) *cobra.Command {
	f := &app.Options{}
	cmd := &cobra.Command{
		Use:   "record FILE [prompt...]",
		Short: "Record a prompt, or a chat, as a test case",
		Long: `Runs the agent in this folder as usual, and writes what happened to FILE as a
case for minigem hooks test: the prompts, the model's answers, the hooks that
ran with their scripts, the files that tools touched as they were before, and
assertions about the result. Without a prompt it opens the chat. --record-case
FILE does the same for any other run.

Secrets are recognized by name or form, masked and listed; so are your home
folder and user name. Read the case before you share it.

Exit codes: those of minigem; 42, before anything runs, if FILE exists or
cannot be written.`,
		Example: `  minigem hooks record tests/key.txtar "What is in key.pem?"
  minigem hooks record tests/chat.txtar
  minigem hooks test tests/key.txtar`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.Query, err = management.PromptOf(cmd, args[1:]); err != nil {
				return err
			}
			f.RecordCase = args[0]
			if err := check(f); err != nil {
				return wrongUsage(sys, cmd, "%w", err)
			}
			f.PromptSet = len(f.Query) > 0
			return runAgent(cmd.Context(), sys, f)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.SetInterspersed(false) // management.PromptOf decides which flags after FILE count
	fs.BoolVar(&f.Force, "force", false, "overwrite FILE")
	fs.StringVarP(&f.Model, "model", "m", "", "the `model` to use")
	fs.StringVar(&f.ApprovalMode, "approval-mode", "", "what may run without asking: default, auto_edit, yolo or plan")
	fs.BoolVarP(&f.Yolo, "yolo", "y", false, "the same as --approval-mode=yolo")
	fs.BoolVar(&f.SkipTrust, "skip-trust", false, "trust this folder for this session")
	fs.StringVarP(&f.OutputFormat, "output-format", "o", "", "text, json or stream-json")
	fs.StringVar(&f.Fake, "fake-responses", "",
		"answers of the model from a `file`, in order: \"text Hello.\" or \"shell ls\", "+
			"with a blank line between two; see minigem fake-api --help")
	cmd.Args = withUsage(cobra.MinimumNArgs(1), "needs the file to write")
	return cmd
}
