package policy

import (
	"fmt"
	"strings"
)

// Lists holds the tool and server lists of the settings and the command line. Entries are
// names, older names, or name(command prefix) for the shell. A list that is empty makes
// no rule, except Core.
type Lists struct {
	// Core is tools.core; nil means that it is not set, empty that there is no built-in
	// tool.
	Core []string
	// Allowed is tools.allowed and --allowed-tools: these run without a question. If it
	// names the shell only with prefixes, other commands are denied.
	Allowed []string
	// Excluded is tools.exclude: their calls are denied.
	Excluded []string
	// ConfirmationRequired is tools.confirmationRequired: their calls are asked about.
	ConfirmationRequired []string
	// AllowedServers is mcp.allowed and --allowed-mcp-server-names.
	AllowedServers []string
	// ExcludedServers is mcp.excluded.
	ExcludedServers []string
}

// FromLists converts the lists to rules of the user's tier (core/policy/config.ts), and
// returns a [Problem] for each entry that makes none.
func FromLists(l Lists) ([]Rule, []Problem) {
	var rules []Rule
	var problems []Problem
	add := func(setting string, d Decision, priority int, r Rule) {
		r.Decision, r.Priority, r.Place = d, priority, Place{File: "settings: " + setting}
		rules = append(rules, r)
	}
	list := func(setting string, d Decision, priority int, modes []Mode, entries []string) {
		for _, entry := range entries {
			r, fault := listed(entry, d)
			if fault != "" {
				problems = append(problems, Problem{Place: Place{File: "settings: " + setting}, Text: fault, Loosens: d != Allow})
				continue
			}
			r.Modes = modes
			add(setting, d, priority, r)
		}
	}
	for _, s := range l.ExcludedServers {
		add("mcp.excluded", Deny, 4900, Rule{Server: s})
	}
	list("tools.exclude", Deny, 4400, nil, l.Excluded)
	list("tools.confirmationRequired", Ask, 4350, nil, l.ConfirmationRequired)
	list("tools.allowed", Allow, 4300, nil, l.Allowed)
	if onlyNarrowed(l.Allowed, shellTool) {
		add("tools.allowed", Deny, 4290, Rule{
			Tools: []string{shellTool}, Message: "Only the shell commands listed in tools.allowed may run.",
		})
	}
	list("tools.core", Allow, 4250, outsidePlan, l.Core)
	if l.Core != nil {
		add("tools.core", Deny, 4240, Rule{
			BuiltinOnly: true, Modes: outsidePlan,
			Message: "This tool is not listed in the setting tools.core.",
		})
	}
	for _, s := range l.AllowedServers {
		add("mcp.allowed", Allow, 4100, Rule{Server: s, Modes: outsidePlan})
	}
	return rules, problems
}

// listed returns the condition of one entry, or what is wrong with it.
func listed(entry string, d Decision) (r Rule, fault string) {
	tool, arg, narrowed := splitEntry(entry)
	r.Tools = []string{tool}
	switch {
	case strings.Contains(tool, "("):
		return r, fmt.Sprintf("%q has no closing parenthesis", entry)
	case !narrowed || arg == "":
	case tool == shellTool:
		r.Prefixes = []string{arg}
	case d == Allow: // without what narrows it, it would allow more than was written
		return r, fmt.Sprintf("%q allows nothing: only commands can be named in parentheses, as in run_shell_command(git)",
			entry)
	}
	return r, ""
}

// onlyNarrowed reports whether the list names the tool, but only with a prefix.
func onlyNarrowed(list []string, tool string) bool {
	named := false
	for _, entry := range list {
		if name, prefix, _ := splitEntry(entry); name == tool {
			if named = true; prefix == "" {
				return false
			}
		}
	}
	return named
}
