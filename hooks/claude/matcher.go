package claude

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// Matchers of Claude Code: nothing or * matches everything; names, commas, spaces, dashes
// and | are a list of whole names; anything else is a regular expression. With "dialect":
// "claude" they mean the same here, so that only the names in them change.
var plainList = regexp.MustCompile(`^[\w\-, |]*$`)

// triggers maps Claude Code's triggers of the other events to ours. A trigger that has
// two names here maps to both.
var triggers = map[protocol.Event]map[string][]string{
	protocol.SessionStart: {"startup": {"startup"}, "resume": {"resume"}, "clear": {"clear"}, "compact": {"compact"},
		"fork": nil},
	protocol.SessionEnd: {
		"clear": {"clear"}, "logout": {"logout"}, "prompt_input_exit": {"exit", "prompt_input_exit"},
		"other": {"exit", "other"}, "resume": nil, "bypass_permissions_disabled": nil,
	},
	protocol.PreCompress: {"manual": {"manual"}, "auto": {"auto"}},
	protocol.PostCompact: {"manual": {"manual"}, "auto": {"auto"}},
	protocol.StopFailure: {
		"authentication_failed": {"authentication_failed"}, "rate_limit": {"rate_limit"}, "overloaded": {"overloaded"},
		"invalid_request": {"invalid_request"},
		"model_not_found": {"model_not_found"}, "server_error": {"server_error"}, "max_output_tokens": {"max_output_tokens"},
		"unknown":       {"unknown"},
		"billing_error": nil, "oauth_org_not_allowed": nil, "account_on_hold": nil, "verification_required": nil,
		"cloud_credential_error": nil,
	},
	protocol.Notification: {
		"permission_prompt": {"ToolPermission"}, "idle_prompt": {"Idle"}, "auth_success": nil, "elicitation_dialog": nil,
	},
}

// matcher translates a matcher, and reports whether it can still match.
func (m *migration) matcher(theirs string, event protocol.Event, n jsonc.Node) (string, bool) {
	text := strings.TrimSpace(n.Text())
	switch {
	case !n.Exists() || n.Kind() == jsonc.Null || text == "" || text == "*":
		return "", true
	case n.Kind() != jsonc.String:
		m.lost(n, "%s: a matcher that is %s, with its hooks", theirs, n.Kind())
		return "", false
	case event.IsTool():
		return m.toolMatcher(theirs, n, text)
	case event.IsAgent():
		return text, true // agents have the names that people give them
	case triggers[event] == nil:
		return "", true // Claude Code ignores it too
	}
	return m.triggerMatcher(theirs, n, text, triggers[event])
}

// toolMatcher translates the names in a matcher of tools. It is lost if no name has a
// counterpart.
func (m *migration) toolMatcher(theirs string, n jsonc.Node, text string) (string, bool) {
	if !plainList.MatchString(text) {
		return toolExpression(text), true
	}
	var names []string
	for _, word := range words(text) {
		name := Tool(word)
		if strings.HasPrefix(word, "mcp__") {
			name = mcpName(word)
		}
		if name == "" {
			m.lost(n, "%s: there is no tool like %s", theirs, word)
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|"), len(names) > 0
}

// What is translated in an expression of Claude Code.
var (
	word = regexp.MustCompile(`\\.|[A-Za-z]+`) // an escape is not a word, nor is its letter of the next one
	// mcpTool matches the server's part of an MCP tool's name in an expression.
	mcpTool = regexp.MustCompile(`mcp__([^|()]+?)__`)
)

// toolExpression translates the names in a regular expression, word by word.
func toolExpression(text string) string {
	text = strings.ReplaceAll(mcpTool.ReplaceAllString(text, "mcp_${1}_"), "mcp__", "mcp_")
	return replaceWords(text, func(w string) string {
		if name := Tool(w); name != "" {
			return name
		}
		return w
	})
}

// replaceWords replaces whole words. Parts of a longer name, such as a server's, stay.
func replaceWords(text string, replace func(string) string) string {
	var b strings.Builder
	last := 0
	for _, at := range word.FindAllStringIndex(text, -1) {
		b.WriteString(text[last:at[0]])
		last = at[1]
		part := at[0] > 0 && strings.ContainsRune(`_-0123456789`, rune(text[at[0]-1])) ||
			at[1] < len(text) && strings.ContainsRune(`_-0123456789`, rune(text[at[1]]))
		if part {
			b.WriteString(text[at[0]:at[1]])
			continue
		}
		b.WriteString(replace(text[at[0]:at[1]]))
	}
	return b.String() + text[last:]
}

// mcpName returns our name of an MCP tool.
func mcpName(name string) string {
	return strings.Replace("mcp_"+strings.TrimPrefix(name, "mcp__"), "__", "_", 1)
}

// triggerMatcher translates a matcher of triggers into a list. An expression becomes the
// list of the triggers that it matches.
func (m *migration) triggerMatcher(theirs string, n jsonc.Node, text string, known map[string][]string) (string, bool) {
	var names []string
	add := func(their string) {
		for _, ours := range known[their] {
			if !slices.Contains(names, ours) {
				names = append(names, ours)
			}
		}
	}
	if plainList.MatchString(text) {
		for _, w := range words(text) {
			if known[w] == nil {
				m.lost(n, "%s: nothing like %s happens here", theirs, w)
			}
			add(w)
		}
		return strings.Join(names, "|"), len(names) > 0
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		m.lost(n, "%s: the matcher %q cannot be read, with its hooks", theirs, text)
		return "", false
	}
	for _, their := range slices.Sorted(maps.Keys(known)) {
		if expression.MatchString(their) {
			add(their)
		}
	}
	if len(names) == 0 {
		m.lost(n, "%s: nothing like %s happens here", theirs, text)
	}
	return strings.Join(names, "|"), len(names) > 0
}

// words splits a list of names.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' || r == ' ' })
}
