package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/manage"
	"minigem/internal/mcp/servers"
)

// mcpCommand manages the MCP servers in Gemini CLI's settings files.
func mcpCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Add, remove and list MCP servers, and switch them on and off",
		Long: `Manages the MCP servers under "mcpServers" in the settings, which Gemini CLI
reads too: .gemini/settings.json of this folder (--scope project, the default)
or ~/.gemini/settings.json (--scope user).`,
		Args: noSuchSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(mcpAddCommand(sys), mcpRemoveCommand(sys), mcpListCommand(sys), mcpAuthCommand(sys),
		mcpSwitchCommand(sys, "enable"), mcpSwitchCommand(sys, "disable"))
	return cmd
}

func mcpAddCommand(sys *app.System) *cobra.Command {
	var o servers.Options
	var scope string
	cmd := &cobra.Command{
		Use:   "add [flags] NAME COMMAND|URL [ARGS...]",
		Short: "Add a server, or replace one",
		Long: `Adds a server to the settings, or replaces the one with that name. Everything
after the command belongs to the server; put minigem's flags before it, and --
in between if in doubt. A value such as '${TOKEN}' is taken from the
environment when the server starts, which keeps secrets out of the file.`,
		Example: "  minigem mcp add github npx -y @modelcontextprotocol/server-github\n" +
			"  minigem mcp add -s user -e 'KEY=${MY_KEY}' notes -- notes-server --verbose\n" +
			"  minigem mcp add --transport http -H 'Authorization: Bearer ${TOKEN}' \\\n    docs https://docs.example/mcp",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, target, rest, err := o.Words(cmd.Flags(), args)
			if err != nil {
				return wrongUsage(sys, cmd, "%w", err)
			}
			e, err := o.New(target, rest)
			if err != nil {
				return exit.With(exit.Input, err)
			}
			return manage.EditServers(sys, scope, func(file string) (string, error) {
				replaced, err := servers.Add(file, name, e)
				if replaced {
					return fmt.Sprintf("MCP server %q updated in %s settings. (%s)", name, scope, e.Kind()), err
				}
				return fmt.Sprintf("MCP server %q added to %s settings. (%s)", name, scope, e.Kind()), err
			})
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	scopeFlag(f, &scope)
	f.StringVarP(&o.Transport, "transport", "t", "",
		"`how` the server is reached: stdio, sse or http (default: depends on what follows)")
	f.StringVar(&o.Transport, "type", "", "the same as --transport")
	_ = f.MarkHidden("type")
	f.StringArrayVarP(&o.Env, "env", "e", nil, "`NAME=value` in the environment of the server (may be repeated)")
	f.StringArrayVarP(&o.Headers, "header", "H", nil, "`\"Name: value\"` sent to the URL (may be repeated)")
	f.IntVar(&o.Entry.Timeout, "timeout", 0, "`milliseconds` that one request may take")
	f.BoolVar(&o.Entry.Trust, "trust", false, "run its tools without asking")
	f.StringVar(&o.Entry.Description, "description", "", "what it is for")
	f.StringSliceVar(&o.Entry.IncludeTools, "include-tools", nil, "only these `tools`")
	f.StringSliceVar(&o.Entry.ExcludeTools, "exclude-tools", nil, "without these `tools`")
	return cmd
}

func mcpRemoveCommand(sys *app.System) *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm"}, Short: "Remove a server from the settings",
		Example: "  minigem mcp remove github\n  minigem mcp remove --scope user notes",
		Args:    withUsage(cobra.ExactArgs(1), "needs the name of a server; minigem mcp list shows them"),
		RunE: func(_ *cobra.Command, args []string) error {
			return manage.EditServers(sys, scope, func(file string) (string, error) {
				found, err := servers.Remove(file, args[0])
				if err == nil && !found {
					err = exit.Errorf(
						exit.Input, "Server %q not found in %s settings: minigem mcp list shows the servers, and --scope says "+
							"which file", args[0], scope)
				}
				return fmt.Sprintf("Server %q removed from %s settings.", args[0], scope), err
			})
		},
	}
	scopeFlag(cmd.Flags(), &scope)
	return cmd
}

func scopeFlag(f *pflag.FlagSet, scope *string) {
	f.StringVarP(scope, "scope", "s", "project", "the settings `file`: user or project")
}

func mcpListCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List servers and whether they answer",
		Long: `Lists the servers in the settings. Those that a session would use are started
or contacted, and then stopped; in a folder that is not trusted, none are.`,
		Example: "  minigem mcp list\n  minigem mcp list --json |\n    jq -r '.servers[] | select(.status == " +
			"\"Disconnected\") | .name'",
		Args: withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: configured(sys, func(c *app.Configuration, _ []string) error {
			ctx, stop := exit.Context()
			defer stop()
			statuses := c.MCP(nil).Probe(ctx, func(s string) { fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", s) })
			if err := exit.Ended(ctx); err != nil {
				return err
			}
			manage.WarnUntrusted(c, sys)
			return listing.WriteMCP(sys, listing.ListedMCPServers(c, statuses), asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func mcpAuthCommand(sys *app.System) *cobra.Command {
	return &cobra.Command{
		Use: "auth NAME", Short: "Sign in to a server",
		Long: `Shows an address to open in a browser on this machine, and waits up to five
minutes until you have signed in. The token is kept in
~/.gemini/mcp-oauth-tokens.json, which Gemini CLI reads too, and renewed when
it expires.`,
		Example: "  minigem mcp auth docs",
		Args:    withUsage(cobra.ExactArgs(1), "needs the name of a server; minigem mcp list shows them"),
		RunE: configured(sys, func(c *app.Configuration, args []string) error {
			ctx, stop := exit.Context()
			defer stop()
			err := c.MCP(nil).SignIn(ctx, args[0], sys.OpenBrowser, func(s string) { fmt.Fprintln(sys.Stdout, s) })
			return cmp.Or(exit.Ended(ctx), err)
		}),
	}
}

func mcpSwitchCommand(sys *app.System, verb string) *cobra.Command {
	short := map[string]string{"enable": "Enable a disabled server",
		"disable": "Disable a server in every folder"}[verb]
	return &cobra.Command{
		Use: verb + " NAME", Short: short,
		Long: short + `.
The settings stay as they are: the list of disabled servers is in
~/.gemini/mcp-server-enablement.json.`,
		Example: "  minigem mcp " + verb + " github",
		Args:    withUsage(cobra.ExactArgs(1), "needs the name of a server; minigem mcp list shows them"),
		RunE: configured(sys, func(c *app.Configuration, args []string) error {
			done, err := c.MCP(nil).Switch(args[0], verb == "enable")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(sys.Stdout, done)
			return err
		}),
	}
}
