package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/settings"
	"minigem/internal/trust"
)

// settingsCommand shows which settings are in force.
func settingsCommand(sys *system) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Show the settings in force, where they come from, and their schema",
		Long: `Shows settings; it changes none. They come from five layers, of which a later one
outranks an earlier one: defaults, system-defaults, user (~/.gemini/settings.json),
workspace (.gemini/settings.json, in a trusted folder), system.`,
		Example:                    "  minigem settings list\n  minigem settings list --origin general\n  minigem settings schema > settings.schema.json",
		Args:                       noSuchSubcommand(sys),
		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(settingsListCommand(sys), settingsSchemaCommand(sys))
	return cmd
}

func settingsListCommand(sys *system) *cobra.Command {
	var origin, asJSON bool
	cmd := &cobra.Command{
		Use:   "list [KEY]",
		Short: "List every setting in force",
		Long: `Lists every setting in force, or those at or below KEY. Secrets are masked. What
is wrong with the files stands on standard error, unknown keys included: they
may be meant for another program, and are otherwise passed over in silence.`,
		Example: "  minigem settings list tools --origin\n  minigem settings list --json | jq -r '.settings[] | select(.layer != \"default\") | .key'",
		Args:    withUsage(sys, cobra.MaximumNArgs(1), "takes one key, or none for all of them"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := configure(sys, &flags{})
			if err != nil {
				return err
			}
			below := strings.Join(args, "")
			found := c.settingsBelow(below)
			if len(found) == 0 && below != "" {
				return exitf(exitInput, "no setting %q is in force: minigem settings list shows those that are", below)
			}
			c.writeSettingsFaults(sys)
			if asJSON {
				return writeJSON(sys.Stdout, struct {
					Settings []listedSetting `json:"settings"`
				}{found})
			}
			return c.writeSettings(sys, found, origin)
		},
	}
	cmd.Flags().BoolVar(&origin, "origin", false, "say where each value stands")
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs; origins are always there")
	return cmd
}

func settingsSchemaCommand(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of settings.json",
		Example: "  minigem settings schema > settings.schema.json",
		Args:    withUsage(sys, cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			s, err := settings.Schema()
			if err != nil {
				return err
			}
			return writeJSON(sys.Stdout, s)
		},
	}
}

type listedSetting struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Layer settings.Layer  `json:"layer"`
	File  string          `json:"file,omitempty"`
	Line  int             `json:"line,omitempty"`
}

func (c *configuration) settingsBelow(key string) []listedSetting {
	out := []listedSetting{}
	for _, e := range c.loaded.Entries() {
		if key == "" || e.Key == key || strings.HasPrefix(e.Key, key+".") {
			out = append(out, listedSetting{e.Key, c.mask(e.Value), e.Origin.Layer, e.Origin.File, e.Origin.Line})
		}
	}
	return out
}

func (c *configuration) writeSettings(sys *system, found []listedSetting, origin bool) error {
	rows := make([][]string, len(found))
	for i, s := range found {
		rows[i] = []string{s.Key, trust.Printable(string(s.Value))}
		if !origin {
			continue
		}
		at := string(s.Layer)
		if s.File != "" {
			at = fmt.Sprintf("%s %s:%d", s.Layer, c.shorten(s.File), s.Line)
		}
		rows[i] = append(rows[i], at)
	}
	align(rows)
	for _, row := range rows {
		if _, err := fmt.Fprintln(sys.Stdout, strings.Join(row, "  ")); err != nil {
			return err
		}
	}
	return nil
}

// writeSettingsFaults tells what was ignored, and what was not known.
func (c *configuration) writeSettingsFaults(sys *system) {
	for _, w := range c.loaded.Warnings {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
	}
	for _, u := range c.loaded.Unknown {
		text := fmt.Sprintf("%s:%d: the key %q is not known", c.shorten(u.Origin.File), u.Origin.Line, u.Key)
		if u.Suggestion != "" {
			text += fmt.Sprintf("; did you mean %q?", u.Suggestion)
		}
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", text)
	}
	for _, f := range c.loaded.Files {
		if f.Layer == settings.LayerWorkspace && f.Skipped != "" && exists(f.Path) && !c.trust.trusted {
			fmt.Fprintf(sys.Stderr, "[WARNING] %s is not read: %s\n", c.shorten(f.Path), f.Skipped)
		}
	}
}
