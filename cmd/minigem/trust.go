package main

import (
	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/manage"
)

// trustCommand trusts a folder and its current hooks.
func trustCommand(sys *app.System) *cobra.Command {
	var never, list bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Trust this folder and its hooks as they are now",
		Long: `Trusts the current folder: its settings, hooks, commands and MCP servers are
loaded from now on. Its hooks are remembered as they are, their scripts
included: when one changes, you are told before it runs.`,
		Args: withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			c, err := app.Configure(sys, &app.Options{SkipTrust: !list})
			if err != nil {
				return err
			}
			switch {
			case list:
				return manage.ListTrusted(c, sys)
			case never:
				return manage.NeverTrust(c, sys)
			}
			if err := c.TrustFolder(); err != nil {
				return err
			}
			listing.WriteTrusted(c, sys)
			return nil
		},
	}
	cmd.Flags().BoolVar(&never, "never", false, "never trust this folder, and never ask")
	cmd.Flags().BoolVar(&list, "list", false, "list the folders that you have decided about")
	cmd.MarkFlagsMutuallyExclusive("never", "list")
	return cmd
}
