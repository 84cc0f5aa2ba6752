package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/trust"
	"minigem/tools/policy"
)

// policiesCommand lists the rules that decide what may run.
func policiesCommand(sys *system) *cobra.Command {
	f := &flags{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "policies",
		Aliases: []string{"policy"},
		Short:   "List the rules that decide which tools may run",
		Long: `Lists the rules in force, in the order in which they are tried: the first one
that fits a call decides. Each shows its decision, tier and priority, where it
stands, the tools and the conditions. What no rule speaks of is asked about, and
is denied where nobody can be asked. A tool of which every call would be denied
is not offered to the model; one that it calls all the same tells both of you
why, and which --approval-mode would offer it.`,
		Example: "  minigem policies\n  minigem policies --policy ./strict.toml\n  minigem policies --json | jq '.rules[] | select(.decision == \"deny\")'",
		Args:    withUsage(sys, cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			c, err := configure(sys, f)
			if err != nil {
				return err
			}
			rules, err := rulesInForce(sys, c, f)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(sys.Stdout, listedRules(rules))
			}
			return c.writeRules(sys, rules)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	cmd.Flags().StringSliceVar(&f.policies, "policy", nil, "policy `files` or folders in place of the user's")
	cmd.Flags().StringSliceVar(&f.adminPolicies, "admin-policy", nil, "policy `files` or folders that win over all others")
	cmd.Flags().StringSliceVar(&f.allowedTools, "allowed-tools", nil, "`tools` that run unasked")
	return cmd
}

// rulesInForce are the rules of a session with these flags; faults of files are
// told on stderr.
func rulesInForce(sys *system, c *configuration, f *flags) ([]policy.Rule, error) {
	rules, problems := (&rig{configuration: c, flags: f}).policyRules()
	for _, p := range problems {
		fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", c.shortenIn(p.String()))
	}
	e, err := policy.New(policy.Options{Rules: rules})
	if err != nil {
		return nil, withCode(exitConfig, err)
	}
	return e.Rules(), nil
}

type listedRule struct {
	Name        string         `json:"name,omitempty"`
	Decision    string         `json:"decision"`
	Tier        int            `json:"tier"`
	Priority    int            `json:"priority"`
	Tools       []string       `json:"tools"`
	Server      string         `json:"server,omitempty"`
	Subagent    string         `json:"subagent,omitempty"`
	Args        string         `json:"args_pattern,omitempty"`
	Prefixes    []string       `json:"command_prefixes,omitempty"`
	Regex       string         `json:"command_regex,omitempty"`
	Modes       []policy.Mode  `json:"modes,omitempty"`
	Interactive *bool          `json:"interactive,omitempty"`
	Annotations map[string]any `json:"annotations,omitempty"`
	Area        policy.Area    `json:"area,omitempty"`
	Redirection bool           `json:"redirection,omitempty"`
	TrustedOnly bool           `json:"trusted_servers_only,omitempty"`
	BuiltinOnly bool           `json:"builtin_tools_only,omitempty"`
	Message     string         `json:"deny_message,omitempty"`
	File        string         `json:"file"`
	Line        int            `json:"line,omitempty"`
}

func listedRules(rules []policy.Rule) any {
	out := struct {
		Rules []listedRule `json:"rules"`
	}{[]listedRule{}}
	for _, r := range rules {
		tools := r.Tools
		if len(tools) == 0 {
			tools = []string{"*"}
		}
		out.Rules = append(out.Rules, listedRule{
			Name: r.Name, Decision: r.Decision.String(), Tier: r.Priority / 1000, Priority: r.Priority % 1000, Tools: tools,
			Server: r.Server, Subagent: r.Subagent, Args: r.Args, Prefixes: r.Prefixes, Regex: r.Regex, Modes: r.Modes,
			Interactive: r.Interactive, Annotations: r.Annotations, Area: r.Area, Redirection: r.Redirection,
			TrustedOnly: r.TrustedOnly, BuiltinOnly: r.BuiltinOnly, Message: r.Message, File: r.Place.File, Line: r.Place.Line,
		})
	}
	return out
}

func (c *configuration) writeRules(sys *system, rules []policy.Rule) error {
	rows := make([][]string, len(rules))
	for i, r := range rules {
		place := r.Place
		place.File = c.shorten(place.File)
		rows[i] = []string{
			r.Decision.String(), fmt.Sprintf("%d.%03d", r.Priority/1000, r.Priority%1000), place.String(),
			trust.Printable(strings.Join(append([]string{cmp.Or(strings.Join(r.Tools, ","), "*")}, conditionsOf(r)...), " ")),
		}
	}
	align(rows)
	for _, row := range rows {
		if _, err := fmt.Fprintln(sys.Stdout, strings.Join(row, "  ")); err != nil {
			return err
		}
	}
	return nil
}

// conditionsOf are the conditions of a rule beside its tools, in short.
func conditionsOf(r policy.Rule) []string {
	var out []string
	add := func(label, value string) {
		if value != "" {
			out = append(out, label+"="+value)
		}
	}
	add("server", r.Server)
	add("subagent", r.Subagent)
	add("args", r.Args)
	add("command", strings.Join(r.Prefixes, "|"))
	add("command", r.Regex)
	add("in", string(r.Area))
	if len(r.Modes) > 0 {
		add("mode", strings.Trim(fmt.Sprint(r.Modes), "[]"))
	}
	if r.Interactive != nil {
		add("interactive", fmt.Sprint(*r.Interactive))
	}
	if len(r.Annotations) > 0 {
		add("annotations", fmt.Sprint(r.Annotations))
	}
	if r.TrustedOnly {
		out = append(out, "(trusted servers only)")
	}
	if r.BuiltinOnly {
		out = append(out, "(built-in tools only)")
	}
	return out
}
