package main

import (
	"strings"

	"github.com/spf13/cobra"

	"minigem/hooks/schema"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/settings"
)

// settingsCommand shows which settings are in force.
func settingsCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Show the settings in force, where they come from, and their schema",
		Long: `Shows settings, and changes none. They come from five layers, each of which
overrides the ones before: defaults, system-defaults, user
(~/.gemini/settings.json), workspace (.gemini/settings.json, in a trusted
folder), system.`,
		Example: "  minigem settings list\n  minigem settings list --origin general\n" +
			"  minigem settings schema > settings.schema.json",
		Args: noSuchSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(settingsListCommand(sys), settingsSchemaCommand(sys))
	return cmd
}

func settingsListCommand(sys *app.System) *cobra.Command {
	var origin, asJSON, known bool
	cmd := &cobra.Command{
		Use:   "list [KEY]",
		Short: "List every setting in force",
		Long: `Lists every setting in force, or those at or below KEY. Secrets are masked.
Faults in the files are printed on standard error, including unknown keys,
which are otherwise ignored silently because they may be meant for another
program.`,
		Example: "  minigem settings list tools --origin\n  minigem settings list --json |\n" +
			"    jq -r '.settings[] | select(.layer != \"default\") | .key'",
		Args: withUsage(cobra.MaximumNArgs(1), "takes one key, or none for all of them"),
		RunE: func(_ *cobra.Command, args []string) error {
			below := strings.Join(args, "")
			if known {
				return listing.WriteKnown(sys, below)
			}
			c, err := app.Configure(sys, &app.Options{})
			if err != nil {
				return err
			}
			found := listing.SettingsBelow(c, below)
			if len(found) == 0 && below != "" {
				return exit.Errorf(exit.Input, "no setting %q is in force: minigem settings list shows those that are", below)
			}
			listing.WriteSettingsFaults(c, sys)
			if asJSON {
				return output.WriteJSON(sys.Stdout, struct {
					Settings []listing.ListedSetting `json:"settings"`
				}{found})
			}
			return listing.WriteSettings(c, sys, found, origin)
		},
	}
	cmd.Flags().BoolVar(&origin, "origin", false, "show the file and line of each value")
	cmd.Flags().BoolVar(&known, "known", false, "list every known key and whether it works")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON; origins are always included")
	return cmd
}

func settingsSchemaCommand(sys *app.System) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of settings.json",
		Example: "  minigem settings schema > settings.schema.json",
		Args:    withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			s, err := settings.Schema()
			if err != nil {
				return err
			}
			s.Properties["hooks"] = schema.Configuration()
			return output.WriteJSON(sys.Stdout, s)
		},
	}
}
