package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/manage"
	"minigem/internal/output"
)

// skillsCommand manages skills in Gemini CLI's folders.
func skillsCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skills", Aliases: []string{"skill"},
		Short: "List, install, link, remove, enable and disable skills",
		Long: `Manages skills: folders with a SKILL.md, whose instructions a model reads with
activate_skill when a task fits. They are in extensions, in ~/.gemini/skills
and ~/.agents/skills and, if the folder is trusted, in its .gemini/skills and
.agents/skills; a later folder overrides an earlier one. Gemini CLI reads the
same folders.`,
		Args: noSuchSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(skillsListCommand(sys), skillsSwitchCommand(sys, "enable"), skillsSwitchCommand(sys, "disable"),
		skillsInstallCommand(sys, false), skillsInstallCommand(sys, true), skillsUninstallCommand(sys))
	return cmd
}

func skillsListCommand(sys *app.System) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List skills",
		Example: "  minigem skills list\n  minigem skills list --json | jq -r '.skills[].name'",
		Args:    withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: configured(sys, func(c *app.Configuration, _ []string) error {
			listed := listing.ListedSkills(c, sys)
			if asJSON {
				return output.WriteJSON(sys.Stdout, struct {
					Skills []listing.ListedSkill `json:"skills"`
				}{listed})
			}
			return listing.WriteSkills(c, sys, listed)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&all, "all", false, "the same: minigem has no built-in skills")
	_ = cmd.Flags().MarkHidden("all")
	return cmd
}

func skillsSwitchCommand(sys *app.System, verb string) *cobra.Command {
	scope := "workspace"
	cmd := &cobra.Command{
		Use: verb + " NAME", Example: "  minigem skills " + verb + " review",
		Args: withUsage(cobra.ExactArgs(1), "needs the name of a skill; minigem skills list shows them"),
		RunE: configured(sys, func(c *app.Configuration, args []string) error {
			done, err := c.Skills().Switch(args[0], verb == "enable", scope == "user")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(sys.Stdout, done)
			return err
		}),
	}
	cmd.Short = "Enable a skill"
	cmd.Long = "Removes a skill from skills.disabled, in the user's settings and in the\nproject's."
	if verb == "disable" {
		cmd.Short = "Disable a skill"
		cmd.Long = "Adds a skill to skills.disabled, in the settings of the project or of the user."
		scopeOf(cmd, &scope, "workspace")
	}
	return cmd
}

func scopeOf(cmd *cobra.Command, scope *string, otherwise string) {
	cmd.Flags().StringVarP(scope, "scope", "s", otherwise, "`where`: user or workspace")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *scope != "user" && *scope != "workspace" {
			return exit.Errorf(exit.Input, "--scope is %q: it must be user or workspace", *scope)
		}
		return run(cmd, args)
	}
}

func skillsInstallCommand(sys *app.System, link bool) *cobra.Command {
	var scope, path string
	var consent bool
	cmd := &cobra.Command{
		Use: "install SOURCE", Short: "Copy the skills of a Git repository or a folder",
		Long: `Copies every skill of SOURCE, the address of a Git repository or a folder, to
~/.gemini/skills (--scope user, the default) or .gemini/skills (--scope
workspace). You are shown what would be installed and asked to confirm; without
a terminal, nothing is installed unless you give --consent.`,
		Example: "  minigem skills install https://github.com/owner/skills --path review\n" +
			"  minigem skills install ./skills --scope workspace --consent",
		Args: withUsage(cobra.ExactArgs(1), "needs one source"),
		RunE: configured(sys, func(c *app.Configuration, args []string) error {
			return manage.Skills{Config: c, Sys: sys, Workspace: scope == "workspace"}.Install(args[0], path, link, consent)
		}),
	}
	if link {
		cmd.Use, cmd.Short = "link FOLDER", "Use the skills of a folder, without a copy"
		cmd.Long = `Links every skill of FOLDER from ~/.gemini/skills (--scope user, the default)
or .gemini/skills (--scope workspace), so changes to its files take effect at
once. You are asked to confirm, as for install.`
		cmd.Example, cmd.Args = "  minigem skills link ./my-skill", withUsage(cobra.ExactArgs(1), "needs one folder")
	} else {
		cmd.Flags().StringVar(&path, "path", "", "the `folder` inside SOURCE that holds the skills")
	}
	scopeOf(cmd, &scope, "user")
	cmd.Flags().BoolVar(&consent, "consent", false, "do not ask: you know what the skills tell models to do")
	return cmd
}

func skillsUninstallCommand(sys *app.System) *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use: "uninstall NAME", Short: "Remove a skill that was installed, or its link",
		Example: "  minigem skills uninstall review\n  minigem skills uninstall review --scope workspace",
		Args:    withUsage(cobra.ExactArgs(1), "needs the name of a skill; minigem skills list shows them"),
		RunE: configured(sys, func(c *app.Configuration, args []string) error {
			return manage.Skills{Config: c, Sys: sys, Workspace: scope == "workspace"}.Uninstall(args[0])
		}),
	}
	scopeOf(cmd, &scope, "user")
	return cmd
}
