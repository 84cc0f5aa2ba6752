package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/app"
	"minigem/internal/text"
	"minigem/tools/policy"
	"minigem/tools/policy/shell"
)

// ListedRule is a policy rule in the form for programs.
type ListedRule struct {
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
	Sandbox     bool           `json:"sandbox,omitempty"`
	TrustedOnly bool           `json:"trusted_servers_only,omitempty"`
	BuiltinOnly bool           `json:"builtin_tools_only,omitempty"`
	Message     string         `json:"deny_message,omitempty"`
	File        string         `json:"file"`
	Line        int            `json:"line,omitempty"`
}

// ListedRules lists rules for programs.
func ListedRules(rules []policy.Rule) any {
	out := struct {
		Rules []ListedRule `json:"rules"`
	}{[]ListedRule{}}
	for _, r := range rules {
		tools := r.Tools
		if len(tools) == 0 {
			tools = []string{"*"}
		}
		out.Rules = append(out.Rules, ListedRule{
			Name: r.Name, Decision: r.Decision.String(), Tier: r.Priority / 1000, Priority: r.Priority % 1000, Tools: tools,
			Server: r.Server, Subagent: r.Subagent, Args: r.Args, Prefixes: r.Prefixes, Regex: r.Regex, Modes: r.Modes,
			Interactive: r.Interactive, Annotations: r.Annotations, Area: r.Area, Redirection: r.Redirection, Sandbox: r.Sandbox,
			TrustedOnly: r.TrustedOnly, BuiltinOnly: r.BuiltinOnly, Message: r.Message, File: r.Place.File, Line: r.Place.Line,
		})
	}
	return out
}

// WriteRules lists rules for people.
func WriteRules(c *app.Configuration, sys *app.System, rules []policy.Rule) error {
	rows := make([][]string, len(rules))
	for i, r := range rules {
		place := r.Place
		place.File = c.Shorten(place.File)
		rows[i] = []string{
			r.Decision.String(), fmt.Sprintf("%d.%03d", r.Priority/1000, r.Priority%1000), place.String(),
			text.VisibleLine(strings.Join(append([]string{cmp.Or(strings.Join(r.Tools, ","), "*")}, conditionsOf(r)...), " ")),
		}
	}
	if err := writeRows(sys, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(
		sys.Stderr, "These commands run without a rule where the kernel can confine them, so that they only read:\n"+
			shell.Readers())
	if err == nil && slices.ContainsFunc(rules, heldBackCommands) {
		_, err = fmt.Fprintln(
			sys.Stderr, "A rule that holds commands back reads command lines, and what it cannot read it asks about or "+
				"denies. It is not a sandbox:\n"+
				"a program or a script that is allowed may run the command, and so may a copy of it under another name.")
	}
	return err
}

// heldBackCommands reports whether a rule denies commands. Such a rule is easily taken
// for more than it is.
func heldBackCommands(r policy.Rule) bool {
	return r.Decision != policy.Allow && !r.Always && (len(r.Prefixes) > 0 || r.Regex != "")
}

// conditionsOf briefly lists the conditions of a rule other than its tools.
func conditionsOf(r policy.Rule) []string {
	var out []string
	if r.Always {
		out = append(out, "evenIfAllowed")
	}
	if r.Sandbox {
		out = append(out, "sandbox")
	}
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
