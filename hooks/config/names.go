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

// builtinTools are the names of docs/spec/contract.md 7.
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

// Misspelled returns the built-in tool that name probably means, or "" if it may be the
// name of a tool.
func Misspelled(name string) string {
	known := func(tool string) bool { return strings.EqualFold(tool, name) }
	if strings.HasPrefix(name, "mcp_") || slices.ContainsFunc(slices.Concat(builtinTools, othersTools), known) {
		return ""
	}
	return text.Nearest(name, builtinTools)
}

// wordList is a matcher without regular expression: names joined by |.
var wordList = regexp.MustCompile(`^\s*\w+(\s*\|\s*\w+)*\s*$`)

// checkMatcher reports names in a matcher that nothing will ever have. Only
// near misses are problems: extensions and MCP servers bring tools of any name.
func (l *loader) checkMatcher(event hooks.Event, dialect string, n jsonc.Node) {
	matcher := strings.TrimSpace(n.Text())
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
		p.Rule, p.Fix = "HK003", hooks.Fix{From: word, To: suggestion}
		if ToolAlias(word) != "" { // another name may mean anything
			p.Fix.Edit = hooks.RenameTool
		}
		return
	}
	p := l.note(line, "matcher: no built-in tool is called %q; is it one of an extension?", word)
	p.Rule, p.Fix.From = "HK003", word
}

// suggestTool knows Claude Code's names and the older ones of Gemini CLI too.
func suggestTool(word string) string {
	return cmp.Or(ToolAlias(word), text.Nearest(word, builtinTools))
}

// ToolMeant reports whether a tool of Gemini CLI or of an MCP server may have the
// name, and if not, which built-in tool was probably meant; empty: it is like none.
func ToolMeant(name string) (meant string, known bool) {
	if strings.HasPrefix(name, "mcp_") || slices.Contains(builtinTools, name) || slices.Contains(othersTools, name) {
		return "", true
	}
	return suggestTool(name), false
}

// ToolAlias is the tool that is surely meant by a name that none has; empty: it
// may be anything.
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

// SuggestEvent is the event that was probably meant by a name that no event has;
// empty where nothing is like it. Claude Code's names are known too.
func SuggestEvent(name string) string { return suggestEvent(name) }

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

// BuiltinTools are the names of the tools that come with the agent, for
// matchers to be tried on. The caller may keep the slice.
func BuiltinTools() []string { return slices.Clone(builtinTools) }

// MatchesOthers reports whether a matcher finds a tool of Gemini CLI that minigem
// does not have.
func MatchesOthers(pattern string) bool {
	return slices.ContainsFunc(othersTools, func(tool string) bool { return hooks.MatcherFinds(pattern, tool) })
}
