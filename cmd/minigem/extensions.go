package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/listing"
	"minigem/internal/manage"
)

// extensionsCommand manages extensions in Gemini CLI's folders.
func extensionsCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use: "extensions", Aliases: []string{"extension"},
		Short: "Install, link, update, remove and configure extensions",
		Long: `Manages extensions: folders with a gemini-extension.json that bring hooks, MCP
servers, commands, skills, agents, policies and context. They are in
~/.gemini/extensions, which Gemini CLI reads too.`,
		Args: noSuchSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(extensionsInstallCommand(sys), extensionsLinkCommand(sys), extensionsUninstallCommand(sys),
		extensionsUpdateCommand(sys),
		extensionsSwitchCommand(sys, "enable"), extensionsSwitchCommand(sys, "disable"), extensionsListCommand(sys),
		extensionsNewCommand(sys), extensionsValidateCommand(sys), extensionsConfigCommand(sys))
	return cmd
}

// extending makes cmd fill in e and then call do.
func extending(sys *app.System, e *manage.Extensions, cmd *cobra.Command,
	do func(ctx context.Context, args []string) error) *cobra.Command {
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		e.Sys = sys
		if e.Config, err = app.Configure(sys, &app.Options{}); err != nil {
			return err
		}
		ctx, stop := exit.Context()
		defer stop()
		if err = do(ctx, args); exit.Ended(ctx) != nil {
			return exit.Ended(ctx)
		}
		return err
	}
	return cmd
}

func extensionsInstallCommand(sys *app.System) *cobra.Command {
	e := &manage.Extensions{}
	cmd := extending(sys, e, &cobra.Command{
		Use: "install SOURCE", Short: "Install the extension of a Git repository, a GitHub release or a folder",
		Long: `Installs an extension from an address (https://, ssh://, git@, file://,
github:O/R, gitlab:O/R) or a folder. A GitHub repository with releases is
installed from the latest one. You are shown everything that would run or be
read, and asked to confirm; without a terminal nothing is installed unless you
give --consent.`,
		Example: "  minigem extensions install https://github.com/owner/extension\n" +
			"  minigem extensions install ./my-extension --consent --skip-settings",
		Args: withUsage(cobra.ExactArgs(1), "needs one source"),
	}, func(ctx context.Context, args []string) error { return e.Install(ctx, args[0], false) })
	cmd.Flags().StringVar(&e.Options.Ref, "ref", "", "the branch, tag or commit; for a release, its tag")
	cmd.Flags().BoolVar(&e.Options.AutoUpdate, "auto-update", false,
		"let Gemini CLI update it automatically; minigem never does")
	cmd.Flags().BoolVar(&e.Options.AllowPreRelease, "pre-release", false, "include prereleases")
	consentFlags(cmd, e)
	return cmd
}

func consentFlags(cmd *cobra.Command, e *manage.Extensions) {
	cmd.Flags().BoolVar(&e.Options.Consent, "consent", false, "do not ask: you know what will be run and read")
	cmd.Flags().BoolVar(&e.Options.SkipSettings, "skip-settings", false, "do not ask for settings")
}

func extensionsLinkCommand(sys *app.System) *cobra.Command {
	e := &manage.Extensions{}
	cmd := extending(sys, e, &cobra.Command{
		Use: "link FOLDER", Short: "Use an extension from its folder, without a copy",
		Long: `Uses an extension from its folder, so changes to its files take effect at
once. You are asked to confirm, as for install.`,
		Example: "  minigem extensions link ./my-extension",
		Args:    withUsage(cobra.ExactArgs(1), "needs one folder"),
	}, func(ctx context.Context, args []string) error { return e.Install(ctx, args[0], true) })
	consentFlags(cmd, e)
	return cmd
}

func extensionsUninstallCommand(sys *app.System) *cobra.Command {
	e, all := &manage.Extensions{}, false
	cmd := extending(sys, e, &cobra.Command{
		Use: "uninstall NAME...", Short: "Remove extensions, with their settings",
		Example: "  minigem extensions uninstall flowers\n  minigem extensions uninstall --all",
		Args:    namesOrAll(&all),
	}, func(_ context.Context, args []string) error { return e.Uninstall(args, all) })
	cmd.Flags().BoolVar(&all, "all", false, "all of them")
	return cmd
}

func namesOrAll(all *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return withUsage(func(*cobra.Command, []string) error {
			if (len(args) > 0) == *all {
				return context.Canceled // any error will do: withUsage writes the message
			}
			return nil
		}, "needs the name of an extension, or --all; minigem extensions list shows them")(cmd, args)
	}
}

func extensionsUpdateCommand(sys *app.System) *cobra.Command {
	e, all := &manage.Extensions{}, false
	cmd := extending(sys, e, &cobra.Command{
		Use: "update NAME", Short: "Update extensions",
		Long: `Updates an extension. If anything that runs or is read would change, you are
shown what changes and asked to confirm.`,
		Example: "  minigem extensions update flowers\n  minigem extensions update --all --consent",
		Args:    namesOrAll(&all),
	}, func(ctx context.Context, args []string) error { return e.Update(ctx, strings.Join(args, " "), all) })
	cmd.Flags().BoolVar(&all, "all", false, "all of them")
	consentFlags(cmd, e)
	return cmd
}

func extensionsSwitchCommand(sys *app.System, verb string) *cobra.Command {
	e := &manage.Extensions{}
	cmd := extending(sys, e, &cobra.Command{
		Use: verb + " NAME", Example: "  minigem extensions " + verb + " flowers --scope workspace",
		Short: map[string]string{"enable": "Enable an extension",
			"disable": "Disable an extension without removing it"}[verb],
		Args: withUsage(cobra.ExactArgs(1), "needs the name of an extension; minigem extensions list shows them"),
	}, func(_ context.Context, args []string) error { return e.Switch(args[0], verb == "enable") })
	scopeOf(cmd, &e.Scope, "user")
	return cmd
}

func extensionsListCommand(sys *app.System) *cobra.Command {
	e, format := &manage.Extensions{}, "text"
	cmd := extending(sys, e, &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List extensions, what each brings, and what is in use",
		Example: "  minigem extensions list\n  minigem extensions list -o json | jq -r '.[].name'",
		Args:    withUsage(cobra.NoArgs, "takes no arguments"),
	}, func(context.Context, []string) error { return listing.WriteExtensions(e.Config, sys, format) })
	cmd.Flags().StringVarP(&format, "output-format", "o", "text", "text or json")
	return cmd
}

func extensionsNewCommand(sys *app.System) *cobra.Command {
	e := &manage.Extensions{}
	return extending(sys, e, &cobra.Command{
		Use: "new FOLDER [TEMPLATE]", Short: "Create an extension from a template",
		Long: "Creates an extension named after its folder. Templates: " +
			strings.Join(extensions.Templates(), ",\n") + ".",
		Example: "  minigem extensions new ./my-extension hooks",
		Args:    withUsage(cobra.RangeArgs(1, 2), "takes a folder and an optional template"),
	}, func(_ context.Context, args []string) error { return e.New(args[0], strings.Join(args[1:], "")) })
}

func extensionsValidateCommand(sys *app.System) *cobra.Command {
	e := &manage.Extensions{}
	return extending(sys, e, &cobra.Command{
		Use: "validate FOLDER", Short: "Check an extension's manifest and contents",
		Example: "  minigem extensions validate .",
		Args:    withUsage(cobra.ExactArgs(1), "needs a folder"),
	}, func(_ context.Context, args []string) error { return e.Validate(args[0]) })
}

func extensionsConfigCommand(sys *app.System) *cobra.Command {
	e := &manage.Extensions{}
	cmd := extending(sys, e, &cobra.Command{
		Use: "config NAME [SETTING]", Short: "Change the settings of an extension",
		Long: `Asks for the settings of an extension, or for one of them. An empty line
removes a value. Secrets are kept in the system's keychain, or without one in
~/.gemini/gemini-credentials.json, which only you can read.`,
		Example: "  minigem extensions config flowers FLOWERS_TOKEN",
		Args:    withUsage(cobra.RangeArgs(1, 2), "takes the name of an extension and an optional setting"),
	}, func(_ context.Context, args []string) error { return e.Configure(args[0], strings.Join(args[1:], "")) })
	scopeOf(cmd, &e.Scope, "user")
	return cmd
}
