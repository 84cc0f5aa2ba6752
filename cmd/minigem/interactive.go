package main

import (
	"context"
	"os"

	"minigem/internal/app"
	"minigem/internal/cases"
	"minigem/internal/chat"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// runInteractive runs the chat in the terminal.
func runInteractive(ctx context.Context, sys *app.System, f *app.Options) error {
	in, isFile := sys.Stdin.(*os.File)
	out, isFile2 := exit.Raw(text.Raw(sys.Stdout)).(*os.File)
	if f.PromptInteractive != "" && !sys.StdinTTY {
		return exit.Errorf(exit.Input, "The --prompt-interactive flag cannot be used when input is piped from stdin")
	}
	if !isFile || !isFile2 || !sys.StdinTTY || !sys.StdoutTTY {
		return exit.Errorf(
			exit.Input, "the chat needs a terminal on standard input and output: give a prompt with -p (minigem --help has "+
				"examples)")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &chat.Chat{Sys: sys, Flags: f, Ctx: ctx}
	exit.SurvivePipe()
	stop := exit.OnSignals(cancel, t.GiveBack)
	defer stop()
	if err := (&cases.Recording{Sys: sys, Flags: f}).Check(); err != nil {
		return err
	}
	if err := headless.EnterWorktree(ctx, sys, f); err != nil {
		return err
	}
	guard := terminal.NewGuard(out) // starts while the settings are read
	defer guard.Release()
	return cases.Recorded(t, func() error { return t.Talk(terminal.Options{In: in, Out: out, Guard: guard}) })
}
