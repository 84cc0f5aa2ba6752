package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/tools/policy"
)

// policiesCommand lists the rules that decide which tools may run.
func policiesCommand(sys *app.System) *cobra.Command {
	f := &app.Options{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "policies",
		Aliases: []string{"policy"},
		Short:   "List the rules that decide which tools may run",
		Long: `Lists the rules in force, in the order in which they are tried: the first one
that matches a call decides. Each shows its decision, tier and priority, its
file, the tools and the conditions. If no rule matches a call, you are asked,
or it is denied if there is nobody to ask. A tool whose every call would be
denied is not offered to the model. If it calls one anyway, you and it are told
why, and which --approval-mode would offer it.

A shell command that only reads needs no rule, because the kernel confines it;
stderr lists these commands. A rule about commands (command=...) allows a
command, not its consequences, and only in a list or pipe of simple commands. A
rule that denies is not a sandbox: it asks about lines that mention the command
elsewhere or that it cannot read, but it cannot know what an allowed program
does. Rules with evenIfAllowed ask even if another rule allows.

A rule that allows write_file or replace does not cover settings and scripts of
hooks unless its argsPattern names them.`,
		Example: "  minigem policies\n  minigem policies --policy ./strict.toml\n" +
			"  minigem policies --json | jq '.rules[] | select(.decision == \"deny\")'",
		Args: withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			c, err := app.Configure(sys, f)
			if err != nil {
				return err
			}
			rules, err := rulesInForce(sys, c, f)
			if err != nil {
				return err
			}
			if asJSON {
				return output.WriteJSON(sys.Stdout, listing.ListedRules(rules))
			}
			return listing.WriteRules(c, sys, rules)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringSliceVar(&f.Policies, "policy", nil, "policy `files` or folders instead of the user's")
	cmd.Flags().StringSliceVar(&f.AdminPolicies, "admin-policy", nil, "policy `files` or folders that win over all others")
	cmd.Flags().StringSliceVar(&f.AllowedTools, "allowed-tools", nil, "`tools` that run without asking")
	return cmd
}

// rulesInForce returns the rules of a session with these flags and prints their
// problems on stderr. If a session would not begin, it returns that error.
func rulesInForce(sys *app.System, c *app.Configuration, f *app.Options) ([]policy.Rule, error) {
	rules, problems, err := app.PolicyRules(c, f)
	for _, p := range problems {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", c.ShortenIn(p.String()))
	}
	if err != nil {
		return nil, err
	}
	e, err := policy.New(policy.Options{Rules: rules})
	if err != nil {
		return nil, exit.With(exit.Config, err)
	}
	return e.Rules(), nil
}
