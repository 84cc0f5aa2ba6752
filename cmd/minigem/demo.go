package main

import (
	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/demo"
	"minigem/internal/exit"
)

func demoCommand(sys *app.System) *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch hooks at work on a small broken project, offline",
		Long: `Creates a small broken project in a temporary folder and runs the agent on it:
the real loop, real tools and real hooks. Only the model is scripted, so it
needs neither a key nor a network. Every hook event is a line.`,
		Args: withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := exit.Context()
			defer stop()
			err := demo.Run(ctx, sys, keep)
			if err != nil && ctx.Err() != nil {
				return exit.Ended(ctx)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "", "create the project in this new `folder` and keep it")
	return cmd
}
