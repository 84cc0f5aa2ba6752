package policy

import "slices"

// Lists holds the tool and server lists of the settings and the command line.
// Entries are names, older names, or name(command prefix) for the shell.
type Lists struct {
	Core                 []string // tools.core; nil: not set; empty: no built-in tool at all
	Allowed              []string // tools.allowed and --allowed-tools
	Excluded             []string // tools.exclude
	ConfirmationRequired []string // tools.confirmationRequired
	AllowedServers       []string // mcp.allowed and --allowed-mcp-server-names
	ExcludedServers      []string // mcp.excluded
}

// FromLists converts the lists to rules (core/policy/config.ts).
func FromLists(l Lists) []Rule {
	var rules []Rule
	add := func(setting string, d Decision, priority int, r Rule) {
		r.Decision, r.Priority, r.Place = d, priority, Place{File: "settings: " + setting}
		rules = append(rules, r)
	}
	for _, s := range l.ExcludedServers {
		add("mcp.excluded", Deny, 4900, Rule{Server: s})
	}
	for _, entry := range l.Excluded {
		add("tools.exclude", Deny, 4400, listed(entry))
	}
	for _, entry := range l.ConfirmationRequired {
		add("tools.confirmationRequired", Ask, 4350, listed(entry))
	}
	for _, entry := range l.Allowed {
		add("tools.allowed", Allow, 4300, listed(entry))
	}
	if onlyNarrowed(l.Allowed, shellTool) {
		add("tools.allowed", Deny, 4290, Rule{
			Tools: []string{shellTool}, Message: "Only the shell commands listed in tools.allowed may run.",
		})
	}
	for _, entry := range l.Core {
		r := listed(entry)
		r.Modes = outsidePlan
		add("tools.core", Allow, 4250, r)
	}
	if l.Core != nil {
		add("tools.core", Deny, 4240, Rule{
			BuiltinOnly: true, Modes: outsidePlan,
			Message: "This tool is not among those of the setting tools.core.",
		})
	}
	for _, s := range l.AllowedServers {
		add("mcp.allowed", Allow, 4100, Rule{Server: s, Modes: outsidePlan})
	}
	return rules
}

// listed returns the condition of one entry.
func listed(entry string) Rule {
	tool, arg, narrowed := splitEntry(entry)
	r := Rule{Tools: []string{tool}}
	if narrowed && tool == shellTool && arg != "" {
		r.Prefixes = []string{arg}
	}
	return r
}

// onlyNarrowed reports whether the list names the tool, but only with a prefix.
func onlyNarrowed(list []string, tool string) bool {
	prefixed := func(entry string) bool { return len(listed(entry).Prefixes) > 0 }
	names := func(entry string) bool { name, _, _ := splitEntry(entry); return name == tool }
	mine := slices.DeleteFunc(slices.Clone(list), func(e string) bool { return !names(e) })
	return len(mine) > 0 && !slices.ContainsFunc(mine, func(e string) bool { return !prefixed(e) })
}
