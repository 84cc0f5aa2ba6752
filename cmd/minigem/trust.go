package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/trust"
)

// trustCommand trusts a folder and the hooks that it has now.
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
				return listTrusted(c, sys)
			case never:
				return neverTrust(c, sys)
			}
			if err := c.TrustFolder(); err != nil {
				return err
			}
			listing.WriteTrusted(c, sys)
			return nil
		},
	}
	cmd.Flags().BoolVar(&never, "never", false, "never trust this folder, and do not ask")
	cmd.Flags().BoolVar(&list, "list", false, "list the folders that you decided about")
	cmd.MarkFlagsMutuallyExclusive("never", "list")
	return cmd
}

func neverTrust(c *app.Configuration, sys *app.System) error {
	if err := trust.Set(c.TrustedFolders(), c.Dir, trust.Never); err != nil {
		return err
	}
	fmt.Fprintf(sys.Stdout, "%s will not be trusted; minigem trust changes that\n", c.Dir)
	return nil
}

func listTrusted(c *app.Configuration, sys *app.System) error {
	rules, warnings, err := trust.Load(c.TrustedFolders())
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
	}
	for _, dir := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(sys.Stdout, "%-13s  %s\n", rules[dir], dir)
	}
	if len(rules) == 0 {
		fmt.Fprintln(sys.Stdout, "you have not decided about any folder yet")
	}
	return nil
}
