package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"

	"minigem/tools"
)

// Tier is the origin of a rule. Rules of a higher tier outrank rules of a lower one,
// whatever their priorities (core/policy/policy-engine.ts).
type Tier int

// The tiers, from the lowest to the highest.
const (
	// built in
	TierDefault Tier = 1 + iota
	// an extension's policies folder; its rules may only tighten
	TierExtension
	// the project's policies; Gemini CLI has them switched off
	TierWorkspace
	// the user's policies, settings and command line
	TierUser
	// the administrator's policies
	TierAdmin
)

// Place says where a rule is defined, for messages.
type Place struct {
	// File is an absolute path, or a name such as "settings: tools.allowed".
	File string
	// Line counts from 1; 0 means that it is not known.
	Line int
}

// String returns "file:line", or the file alone.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Area restricts a rule to a part of the disk. A call without paths is in no area but
// [Anywhere].
type Area string

// The areas.
const (
	// no restriction
	Anywhere Area = ""
	// every path of the call is inside the workspace
	Workspace Area = "workspace"
	// every path of the call is a Markdown file in the plans folder
	Plans Area = "plans"
)

// Rule is one rule. Every condition that is set must be met. The zero Rule has none: it
// allows everything.
type Rule struct {
	// Name is for people; may be empty.
	Name string
	// Decision is what happens with a call that meets the conditions. The zero value
	// allows it.
	Decision Decision
	// Priority is 1000 times the tier plus the priority in the file, 0 to 999. [New]
	// tries rules of equal priority in the order in which they were given, the built-in
	// ones first.
	Priority int
	// Message is for the model if Decision is [Deny]; may be empty.
	Message string
	// Place says where the rule is defined.
	Place Place

	// Tools are names, "*", or a prefix with a trailing "*"; older names count too. Empty
	// means every tool.
	Tools []string
	// Server is the MCP server, "*" for any. Tools are then the server's own names or
	// full ones.
	Server string
	// Subagent limits the rule to calls of one subagent; empty means every agent.
	Subagent string
	// Args is a regular expression (of JavaScript) on the arguments as JSON with sorted
	// keys. Keys are sorted and each pair of the outermost object is between NUL
	// characters, so that an expression can anchor a whole pair. An expression that
	// takes longer than 100 ms counts as a match, unless the rule allows.
	Args string
	// Prefixes are prefixes of a shell command, compared word by word; one has to match.
	Prefixes []string
	// Regex is a regular expression on a shell command, anchored at its start.
	Regex string
	// Modes are the modes in which it counts; empty means every mode.
	Modes []Mode
	// Interactive limits the rule to sessions with a user, or without one; nil means
	// both.
	Interactive *bool
	// Annotations have to be among the tool's, with equal values.
	Annotations map[string]any
	// Redirection is an allow that includes redirections. Without it, an allow of a
	// command asks where the command's output goes to a file.
	Redirection bool
	// Inside is an allow that includes redirections to files of the workspace.
	Inside bool
	// Always rules count in addition to the one that decides: the first that matches a
	// command which another rule allows has it asked about, or if it allows keeps those
	// below it from asking.
	Always bool
	// Area restricts the rule to a part of the disk.
	Area Area
	// Sandbox is an allow of commands that run in the sandbox.
	Sandbox bool
	// BuiltinOnly leaves MCP tools out.
	BuiltinOnly bool
	// TrustedOnly is for MCP servers that the settings trust, in a trusted folder.
	TrustedOnly bool

	compiled    bool
	args, regex *regexp2.Regexp
	pattern     [][]string // of regex
	prefixes    [][]string
	whole       bool // a prefix of an interpreter matches nothing longer
}

// matchTimeout limits one regular expression; if it takes longer, rules that
// allow do not match and all others do.
const matchTimeout = 100 * time.Millisecond

// maxBacktracking limits what one match may remember, in slots of 8 bytes.
const maxBacktracking = 4 << 20

// compile prepares the rule's expressions. Its error names the field.
func (r *Rule) compile() error {
	if r.compiled {
		return nil
	}
	for _, e := range []struct {
		field, source, anchor string
		to                    **regexp2.Regexp
	}{{"argsPattern", r.Args, "", &r.args}, {"commandRegex", r.Regex, "^", &r.regex}} {
		if e.source == "" {
			continue
		}
		re, err := regexp2.Compile(e.anchor+"(?:"+e.source+")", regexp2.ECMAScript,
			regexp2.OptionMaxBacktrackingStackSize(maxBacktracking))
		if err != nil {
			return fmt.Errorf("%s %q is not a valid regular expression: %w", e.field, e.source, err)
		}
		re.MatchTimeout = matchTimeout
		*e.to = re
	}
	if r.Regex != "" {
		r.pattern = patternOf(r.Regex)
	}
	r.prefixes = nil
	for _, p := range r.Prefixes {
		words := strings.Fields(p)
		if len(words) == 0 {
			return fmt.Errorf("an empty command prefix would match every command: leave it out")
		}
		r.prefixes = append(r.prefixes, words)
	}
	r.Tools = slices.Clone(r.Tools)
	for i, name := range r.Tools {
		r.Tools[i] = canonical(name)
	}
	r.compiled = true
	return nil
}

// conditional reports whether the rule depends on the arguments of a call.
func (r *Rule) conditional() bool {
	return r.args != nil || r.regex != nil || len(r.prefixes) > 0 || r.Area != Anywhere
}

// restrictive reports whether the rule restricts anything.
func (r *Rule) restrictive() bool { return r.Decision != Allow }

// builtIn reports whether the rule is of the lowest tier.
func (r *Rule) builtIn() bool { return r.Priority < 1000*int(TierExtension) }

// appliesTo reports whether everything but the arguments matches.
func (r *Rule) appliesTo(s situation, c Call) bool {
	switch {
	case len(r.Modes) > 0 && !slices.Contains(r.Modes, s.Mode):
	case r.Interactive != nil && *r.Interactive != (s.Interactive || s.wanted && r.builtIn()):
	case r.Subagent != "" && r.Subagent != c.Subagent:
	case r.BuiltinOnly && c.Info.MCP != nil:
	case r.TrustedOnly && (c.Info.MCP == nil || !c.Info.MCP.Trusted || s.Untrusted):
	case !r.namesTool(c.Tool, c.Info.MCP):
	case !annotated(r.Annotations, c.Info.Annotations):
	default:
		return true
	}
	return false
}

// namesTool matches Server and Tools.
func (r *Rule) namesTool(tool string, origin *tools.MCPOrigin) bool {
	if r.Server != "" {
		if origin == nil || r.Server != "*" && r.Server != origin.Server {
			return false
		}
	}
	if len(r.Tools) == 0 {
		return true
	}
	return slices.ContainsFunc(r.Tools, func(p string) bool {
		if r.Server != "" && wildcard(p, origin.Tool) {
			return true
		}
		return matchTool(p, tool, origin)
	})
}

// matchTool matches one entry of Tools against a full name. "mcp_*" means every MCP
// tool. "mcp_<server>_*" means the tools of that server, not of one whose name has the
// same prefix. Lists in settings may still use the double underscores of earlier
// releases.
func matchTool(pattern, tool string, origin *tools.MCPOrigin) bool {
	if origin != nil && strings.TrimPrefix(pattern, "mcp__") == origin.Server+"__"+origin.Tool {
		return true
	}
	if strings.HasPrefix(pattern, "mcp_") && strings.HasSuffix(pattern, "*") && origin != nil {
		return pattern == "mcp_*" || pattern == "mcp_"+tools.MCPName(origin.Server)+"_*"
	}
	return wildcard(pattern, tool)
}

// wildcard compares name with a pattern that may end in "*".
func wildcard(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// annotated reports whether have holds all of want.
func annotated(want, have map[string]any) bool {
	for k, v := range want {
		if !reflect.DeepEqual(have[k], v) {
			return false
		}
	}
	return true
}

// matches runs an expression; it returns stuck if the expression does not end
// in time.
func matches(re *regexp2.Regexp, text string, stuck bool) bool {
	ok, err := re.MatchString(text)
	if err != nil {
		return stuck
	}
	return ok
}

// sortRules puts the highest priority first; equals keep their order.
func sortRules(rules []Rule) {
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(b.Priority, a.Priority) })
}
