package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// builtinTools are the tools of docs/spec/contract.md, section 7.
var builtinTools = []string{
	"read_file", "read_many_files", "write_file", "replace", "list_directory", "glob", "grep_search",
	"run_shell_command", "web_fetch", "google_web_search", "write_todos", "save_memory", "activate_skill",
	"invoke_agent", "complete_task", "ask_user", "enter_plan_mode", "exit_plan_mode", "update_topic",
	"list_background_processes", "read_background_output",
}

// othersTools are tools of Gemini CLI 0.61 that minigem does not have. A matcher
// may name them (core/tools/definitions/base-declarations.ts).
var othersTools = []string{
	"get_internal_docs", "list_mcp_resources", "read_mcp_resource",
	"tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks", "tracker_add_dependency",
	"tracker_visualize",
}

// Misspelled returns the built-in tool that name probably means. It returns "" if name
// may be right, because it is a tool of minigem or Gemini CLI (in any case) or begins
// with "mcp_", and if no tool is similar.
func Misspelled(name string) string {
	known := func(tool string) bool { return strings.EqualFold(tool, name) }
	if strings.HasPrefix(name, "mcp_") || slices.ContainsFunc(slices.Concat(builtinTools, othersTools), known) {
		return ""
	}
	return text.Nearest(name, builtinTools)
}

// wordList matches a matcher that is a list of names joined by |.
var wordList = regexp.MustCompile(`^\s*[\w-]+(\s*\|\s*[\w-]+)*\s*$`)

// checkMatcher reports names in a matcher that can never match. Only near misses are
// problems, because extensions and MCP servers bring tools of any name.
func (l *loader) checkMatcher(event protocol.Event, dialect string, n jsonc.Node) {
	matcher := strings.Trim(n.Text(), " ^$()")
	if matcher == "" || matcher == "*" || !wordList.MatchString(matcher) {
		return
	}
	for word := range strings.SplitSeq(matcher, "|") {
		word = strings.TrimSpace(word)
		if event.IsTool() {
			l.checkTool(n.Line(), protocol.DialectOf(dialect), word)
			continue
		}
		known := event.Triggers()
		if known != nil && !slices.Contains(known, word) && !slices.ContainsFunc(known, func(k string) bool {
			return protocol.DialectOf(dialect).Triggers[k] == word
		}) {
			l.problem(n.Line(), "matcher: %s never has %q, only %s%s", event, word,
				strings.Join(known, ", "), text.DidYouMean(text.Nearest(word, known))).Rule = "HK004"
		}
	}
}

// checkTool reports a word of a matcher that no tool has, as a problem if a tool is
// similar, else as a note. Gemini CLI's matchers find parts of names, Claude Code's whole
// names.
func (l *loader) checkTool(line int, d *protocol.Dialect, word string) {
	matches := strings.Contains
	if d.ExactMatchers {
		matches = func(name, word string) bool { return name == word }
	}
	if strings.HasPrefix(word, "mcp_") || slices.ContainsFunc(builtinTools, func(tool string) bool {
		return slices.ContainsFunc(d.MatcherNames(tool), func(name string) bool { return matches(name, word) })
	}) || slices.Contains(othersTools, word) {
		return
	}
	if tool := toolOfClass(word); tool != "" && !d.ExactMatchers {
		p := l.note(line, "matcher: %q is what early documents call %s; Gemini CLI does not find it by that name", word, tool)
		p.Rule = "HK024"
		return
	}
	if suggestion := suggestTool(word); suggestion != "" {
		p := l.problem(line, "matcher: no built-in tool is called %q%s", word, text.DidYouMean(suggestion))
		p.Rule, p.Fix = "HK003", Fix{From: word, To: suggestion}
		if ToolAlias(word) != "" { // another name may mean anything
			p.Fix.Edit = RenameTool
		}
		return
	}
	p := l.note(line, "matcher: no built-in tool is called %q; is it one of an extension?", word)
	p.Rule, p.Fix.From = "HK003", word
}

// suggestTool also knows Claude Code's names and Gemini CLI's older ones.
func suggestTool(word string) string {
	return cmp.Or(ToolAlias(word), text.Nearest(word, builtinTools))
}

// ToolMeant reports whether a tool of minigem, of Gemini CLI or of an MCP server
// ("mcp_...") may have the name. If not, meant is the built-in tool that was probably
// meant, or "" if none is similar.
func ToolMeant(name string) (meant string, known bool) {
	if strings.HasPrefix(name, "mcp_") || slices.Contains(builtinTools, name) || slices.Contains(othersTools, name) {
		return "", true
	}
	return suggestTool(name), false
}

// ToolAlias returns the tool that is surely meant by a name that no tool has: the name of
// a class in Gemini CLI, Claude Code's name, or a common wrong name such as "bash". It
// returns "" if the name may mean anything.
func ToolAlias(word string) string {
	return cmp.Or(toolOfClass(word), claude.Tool(word), toolAliases[word])
}

// toolAliases are names that people write for tools of Gemini CLI.
var toolAliases = map[string]string{
	"edit_file": "replace", "create_file": "write_file", "shell": "run_shell_command", "bash": "run_shell_command",
	"search_file_content": "grep_search",
}

// toolOfClass knows the names of classes, which a matcher may hold.
func toolOfClass(word string) string {
	for tool, class := range protocol.ClassNames {
		if class == word {
			return tool
		}
	}
	return ""
}

// SuggestEvent returns the event that was probably meant by a name that no event has,
// or "" if no event is similar. It knows Claude Code's names. The name is compared
// without regard to small differences in spelling.
func SuggestEvent(name string) string { return suggestEvent(name) }

// suggestEvent implements SuggestEvent.
func suggestEvent(name string) string {
	if event := claude.Event(name); event != "" {
		return string(event)
	}
	names := make([]string, len(protocol.Events))
	for i, e := range protocol.Events {
		names[i] = string(e)
	}
	return text.Nearest(name, names)
}

// BuiltinTools returns the names of minigem's built-in tools, in a slice of the caller's.
func BuiltinTools() []string { return slices.Clone(builtinTools) }

// MatchesNone reports whether a matcher finds no tool of minigem, Gemini CLI or MCP.
func MatchesNone(dialect, matcher string) bool {
	return strings.TrimSpace(matcher) != "*" && !strings.Contains(matcher, "mcp_") &&
		!slices.ContainsFunc(slices.Concat(builtinTools, othersTools), func(tool string) bool {
			return slices.ContainsFunc(protocol.DialectOf(dialect).MatcherNames(tool), func(name string) bool {
				return hooks.Matcher(matcher).Finds(name)
			})
		})
}
