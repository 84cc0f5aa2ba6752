package policy

import "strings"

// shellTool is the one tool whose calls are judged by what their command line runs.
const shellTool = "run_shell_command"

// aliases are older names that lists and rules may still use: class names and
// display names of earlier releases, and renamed tools
// (core/tools/tool-names.ts, docs/spec/contract.md 7).
var aliases = map[string]string{
	"ReadFileTool":        "read_file",
	"ReadManyFilesTool":   "read_many_files",
	"WriteFileTool":       "write_file",
	"EditTool":            "replace",
	"LSTool":              "list_directory",
	"GlobTool":            "glob",
	"GrepTool":            "grep_search",
	"RipGrepTool":         "grep_search",
	"ShellTool":           shellTool,
	"WebFetchTool":        "web_fetch",
	"WebSearchTool":       "google_web_search",
	"MemoryTool":          "save_memory",
	"WriteTodosTool":      "write_todos",
	"ActivateSkillTool":   "activate_skill",
	"AskUserTool":         "ask_user",
	"EnterPlanModeTool":   "enter_plan_mode",
	"ExitPlanModeTool":    "exit_plan_mode",
	"ReadFile":            "read_file",
	"ReadManyFiles":       "read_many_files",
	"WriteFile":           "write_file",
	"Edit":                "replace",
	"ReadFolder":          "list_directory",
	"FindFiles":           "glob",
	"SearchText":          "grep_search",
	"Shell":               shellTool,
	"WebFetch":            "web_fetch",
	"GoogleSearch":        "google_web_search",
	"WriteTodos":          "write_todos",
	"search_file_content": "grep_search",
	"delegate_to_agent":   "invoke_agent",
}

// canonical returns the current name of a tool.
func canonical(name string) string {
	if now, ok := aliases[name]; ok {
		return now
	}
	return name
}

// splitEntry reads an entry of a tool list: "name" or "name(argument)".
func splitEntry(entry string) (tool, arg string, narrowed bool) {
	entry = strings.TrimSpace(entry)
	inner, closed := strings.CutSuffix(entry, ")")
	if tool, arg, ok := strings.Cut(inner, "("); ok && closed {
		return canonical(strings.TrimSpace(tool)), strings.TrimSpace(arg), true
	}
	return canonical(entry), "", false
}
