// Package claude moves the hooks of Claude Code's settings into a project's
// settings for Gemini CLI and minigem. It computes; reading and writing the
// files is for its callers. What a hook of Claude Code reads and says is not
// its matter: the moved hooks carry "dialect": "claude" for that.
package claude

// Events are the events of Claude Code that have a counterpart, which it calls
// otherwise or the same.
var Events = map[string]string{
	"PreToolUse":       "BeforeTool",
	"PostToolUse":      "AfterTool",
	"UserPromptSubmit": "BeforeAgent",
	"Stop":             "AfterAgent",
	"SubagentStop":     "AfterAgent",
	"SubAgentStop":     "AfterAgent", // as upstream's migration spells it
	"PreCompact":       "PreCompress",
	"SessionStart":     "SessionStart",
	"SessionEnd":       "SessionEnd",
	"Notification":     "Notification",
}

// Tools are the tools of Claude Code that have a counterpart.
var Tools = map[string]string{
	"Agent":           "invoke_agent",
	"AskUserQuestion": "ask_user",
	"Bash":            "run_shell_command",
	"BashOutput":      "read_background_output",
	"Edit":            "replace",
	"Glob":            "glob",
	"Grep":            "grep_search",
	"LS":              "list_directory",
	"MultiEdit":       "replace",
	"Read":            "read_file",
	"Skill":           "activate_skill",
	"Task":            "invoke_agent",
	"TodoWrite":       "write_todos",
	"WebFetch":        "web_fetch",
	"WebSearch":       "google_web_search",
	"Write":           "write_file",
}
