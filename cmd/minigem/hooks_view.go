package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"minigem/hooks/author/trace"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/internal/trials"
)

func hooksViewCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "view TRACE.jsonl > PAGE.html",
		Short: "Turn a trace into a page for the browser",
		Long: `Turns a file of --hook-trace into one self-contained page: a timeline, and for
each event what hooks read, printed and changed. The page loads nothing from
elsewhere. minigem --hook-trace page.html writes the page directly.`,
		Example: "  minigem -p \"fix the tests\" --hook-trace trace.jsonl\n  minigem hooks view trace.jsonl > trace.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			if sys.StdoutTTY {
				return wrongUsage(sys, cmd, "the page is for a browser: send it to a file, minigem hooks view %s > page.html",
					args[0])
			}
			data, err := trials.Input(sys, args[0])
			if err != nil {
				return err
			}
			reports, skipped, err := trace.Read(bytes.NewReader(data))
			if err != nil {
				return exit.Errorf(exit.Input, "%s: %w", args[0], err)
			}
			if skipped > 0 {
				fmt.Fprintf(sys.Stderr, "[WARNING] %s: %d lines that are not hook events were left out\n", args[0], skipped)
			}
			return trace.Write(text.Raw(sys.Stdout), "Hook events in "+filepath.Base(args[0]), reports)
		},
	}
	cmd.Args = withUsage(cobra.ExactArgs(1), "needs a trace, - for stdin")
	return cmd
}
