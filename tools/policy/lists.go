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
// returns a [Problem] for each entry that makes none. The rules are in no particular
// order: [New] sorts them. A name that no tool has makes a rule that never matches.
func FromLists(l Lists) ([]Rule, []Problem) {
	var rules []Rule
	var problems []Problem
	for _, list := range []struct {
		setting  string
		decision Decision
		priority int
		modes    []Mode
		entries  []string
	}{
		{"mcp.excluded", Deny, 4900, nil, l.ExcludedServers},
		{"tools.exclude", Deny, 4400, nil, l.Excluded},
		{"tools.confirmationRequired", Ask, 4350, nil, l.ConfirmationRequired},
		{"tools.allowed", Allow, 4300, nil, l.Allowed},
		{"tools.core", Allow, 4250, outsidePlan, l.Core},
		{"mcp.allowed", Allow, 4100, outsidePlan, l.AllowedServers},
	} {
		place := Place{File: "settings: " + list.setting}
		for _, entry := range list.entries {
			r, fault := listed(entry, list.decision)
			if strings.HasPrefix(list.setting, "mcp.") {
				r, fault = Rule{Server: entry}, ""
			}
			if fault != "" {
				problems = append(problems, Problem{Place: place, Text: fault, Loosens: list.decision != Allow})
				continue
			}
			r.Decision, r.Priority, r.Modes, r.Place = list.decision, list.priority, list.modes, place
			rules = append(rules, r)
		}
	}
	if onlyNarrowed(l.Allowed, shellTool) {
		rules = append(rules, Rule{
			Decision: Deny, Priority: 4290, Place: Place{File: "settings: tools.allowed"},
			Tools: []string{shellTool}, Message: "Only the shell commands listed in tools.allowed may run.",
		})
	}
	if l.Core != nil {
		rules = append(rules, Rule{
			Decision: Deny, Priority: 4240, Place: Place{File: "settings: tools.core"}, Modes: outsidePlan,
			BuiltinOnly: true, Message: "This tool is not listed in the setting tools.core.",
		})
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
