package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"minigem/hooks/config"
	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/tools/policy"
)

// PolicyRules returns all rules in force besides the built-in ones, and the problems of
// the others. The error, which ends the run, names rules that may restrict the model
// but are not in force.
func PolicyRules(c *Configuration, f *Options) (rules []policy.Rule, problems []policy.Problem, err error) {
	add := func(more []policy.Rule, faults []policy.Problem) {
		rules, problems = append(rules, more...), append(problems, faults...)
	}
	s := c.Settings
	add(policy.FromLists(policy.Lists{
		Core: s.Tools.Core, Allowed: slices.Concat(s.Tools.Allowed, f.AllowedTools),
		Excluded: s.Tools.Exclude, ConfirmationRequired: s.Tools.ConfirmationRequired,
		AllowedServers: slices.Concat(s.MCP.Allowed, f.AllowedMCP), ExcludedServers: s.MCP.Excluded,
	}))
	for _, e := range c.Extensions.Used {
		add(excludedBy(e))
	}
	if own := slices.Concat(f.Policies, s.PolicyPaths); len(own) > 0 {
		add(policy.LoadPaths(policy.TierUser, true, own...))
	} else {
		add(policy.LoadPaths(policy.TierUser, false, filepath.Join(c.DotGemini, "policies")))
	}
	for _, e := range c.Extensions.Used {
		add(policy.LoadPaths(policy.TierExtension, false, filepath.Join(e.Dir, "policies")))
	}
	add(policy.LoadPaths(policy.TierAdmin, false, "/etc/gemini-cli/policies"))
	add(policy.LoadPaths(policy.TierAdmin, true, slices.Concat(f.AdminPolicies, s.AdminPolicyPaths)...))
	add(nil, namesMissed(c, rules))
	var lost []string
	for i, p := range problems {
		if problems[i] = whereSet(c, f, p); p.Loosens {
			lost = append(lost, problems[i].String())
		}
	}
	problems = slices.DeleteFunc(problems, func(p policy.Problem) bool { return p.Loosens })
	if len(lost) > 0 {
		err = exit.Errorf(exit.Config, "%s\nCorrect it, or take it out: "+
			"nothing runs until all rules that may deny are in force.", c.ShortenIn(strings.Join(lost, "\n")))
	}
	return rules, problems, err
}

// excludedBy returns the rules for the tools that an extension excludes, and the
// problems in the entries that are not valid rules.
func excludedBy(e config.Extension) ([]policy.Rule, []policy.Problem) {
	rules, faults := policy.FromLists(policy.Lists{Excluded: e.ExcludeTools})
	place := policy.Place{File: filepath.Join(e.Dir, "gemini-extension.json") + ": excludeTools"}
	for i := range rules {
		rules[i].Place = place
	}
	for i := range faults {
		faults[i].Place = place
	}
	return rules, faults
}

// namesMissed reports rules that name a tool or MCP server that does not exist, because
// such a rule has no effect. A misspelled built-in tool in a rule that denies or asks is
// reported as a rule that loosens. Another unknown tool may appear later, and a server
// may belong to another folder: rules that allow may name such a tool.
func namesMissed(c *Configuration, rules []policy.Rule) []policy.Problem {
	var problems []policy.Problem
	missed := func(r policy.Rule, loosens bool, format string, args ...any) {
		problems = append(problems, policy.Problem{Place: r.Place, Loosens: loosens, Text: fmt.Sprintf(format, args...)})
	}
	servers := slices.Sorted(maps.Keys(c.Settings.MCPServers))
	for _, r := range rules {
		switch {
		case r.Server != "":
			if meant := text.Nearest(r.Server, servers); meant != "" && meant != r.Server {
				missed(r, false, "there is no MCP server %q%s", r.Server, text.DidYouMean(meant))
			}
		case c.Settings.Tools.DiscoveryCommand == "": // discovered tools may have any name
			for _, name := range r.Tools {
				meant, known := config.ToolMeant(name)
				switch {
				case known || strings.Contains(name, "*"):
				case meant != "":
					missed(r, r.Decision != policy.Allow, "there is no tool %q%s", name, text.DidYouMean(meant))
				case r.Decision != policy.Allow:
					missed(r, false, "there is no tool %q: nothing is restricted; tools of MCP servers are called mcp_SERVER_TOOL",
						name)
				}
			}
		}
	}
	return problems
}

// whereSet returns a problem in a list of the settings with the file and line of that
// list.
func whereSet(c *Configuration, f *Options, p policy.Problem) policy.Problem {
	key, isList := strings.CutPrefix(p.Place.File, "settings: ")
	at, set := c.Loaded.Origin(key)
	switch {
	case isList && key == "tools.allowed" && len(f.AllowedTools) > 0:
		p.Place = policy.Place{File: "tools.allowed or --allowed-tools"}
	case isList && set && at.File != "":
		p.Place, p.Text = policy.Place{File: at.File, Line: at.Line}, key+": "+p.Text
	}
	return p
}
