package main

import (
	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/output"
)

func hooksListCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all configured hooks, and why any of them does not run",
		Long: `Lists the hooks of all layers by event, in the order in which they run: the
project's, yours, the system's, and those of extensions, with any faults in the
files that configure them. The hooks of a folder that is not trusted are listed
as not loaded.`,
		Example: "  minigem hooks list\n  minigem hooks list --json | jq '.hooks[] | select(.enabled | not) | .id'",
		Args:    withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: configured(sys, func(c *app.Configuration, _ []string) error {
			list := listing.ListHooks(c)
			if asJSON {
				return output.WriteJSON(sys.Stdout, list)
			}
			if err := listing.WriteHookList(c, sys.Stdout, list, list.Hooks); err != nil {
				return err
			}
			return listing.WriteForeign(c, sys.Stdout)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
