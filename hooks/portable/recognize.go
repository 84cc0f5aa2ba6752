package portable

import (
	"strings"

	"minigem/hooks/agents"
)

// signs recognize an agent by the payload, the surest first. Variables come after the
// payload, because they may be inherited from another agent, in whose shell this one was
// started.
var signs = []struct {
	agent string
	is    func(p map[string]any, native string, env func(string) string) bool
}{
	{"opencode", func(_ map[string]any, native string, _ func(string) string) bool {
		return strings.Contains(native, ".")
	}},
	{"cline", func(p map[string]any, _ string, _ func(string) string) bool { return has(p, "clineVersion") }},
	{"kimi", func(p map[string]any, _ string, _ func(string) string) bool {
		return strings.HasPrefix(str(p, "client_type"), "kimi")
	}},
	{"copilot", func(p map[string]any, _ string, _ func(string) string) bool {
		return has(p, "sessionId") && !has(p, "session_id")
	}},
	{"gemini", func(_ map[string]any, native string, _ func(string) string) bool {
		return strings.HasPrefix(native, "Before") || native == "AfterTool" || native == "AfterModel" ||
			native == "AfterAgent" || native == "PreCompress"
	}},
	{"codex", func(p map[string]any, _ string, _ func(string) string) bool {
		return has(p, "turn_id") || strings.Contains(slashes(str(p, "transcript_path")), "/rollout-")
	}},
	{"qwen", func(p map[string]any, _ string, env func(string) string) bool {
		return has(p, "timestamp") &&
			(env("QWEN_PROJECT_DIR") != "" || strings.Contains(slashes(str(p, "transcript_path")), "/.qwen/"))
	}},
	{"copilotc", func(p map[string]any, _ string, _ func(string) string) bool {
		return has(p, "timestamp") && (!has(p, "transcript_path") || has(p, "stop_reason"))
	}},
	{"gemini", func(p map[string]any, native string, _ func(string) string) bool {
		return has(p, "timestamp") && !has(p, "permission_mode") &&
			(native == "SessionStart" || native == "SessionEnd" || native == "Notification")
	}},
	{"claude", func(_ map[string]any, native string, _ func(string) string) bool {
		a, err := agents.Find("claude")
		if err != nil {
			return false // unreachable: it is in the table
		}
		for _, e := range a.Events {
			if e.Native == native {
				return true
			}
		}
		return false
	}},
}

// recognize returns the agent that sends such a payload, or nil if it is unknown.
func recognize(payload map[string]any, native string, env func(string) string) *agents.Agent {
	for _, s := range signs {
		if s.is(payload, native, env) {
			if a, err := agents.Find(s.agent); err == nil {
				return a
			}
		}
	}
	return nil
}

// nativeEvent returns the agent's name of the event. Copilot CLI, for events in camelCase,
// and Cline CLI do not send it; the other fields show it.
func nativeEvent(p map[string]any) string {
	if name := str(p, "hook_event_name"); name != "" && !has(p, "sessionId") {
		return name
	}
	if has(p, "clineVersion") {
		return clineEvent(p)
	}
	if name := str(p, "hookName"); name != "" {
		return name
	}
	for _, shape := range []struct{ key, event string }{
		{"toolResult", "postToolUse"}, {"errorContext", "errorOccurred"}, {"notification_type", "notification"},
		{"stopReason", "agentStop"}, {"initialPrompt", "sessionStart"}, {"source", "sessionStart"},
		{"prompt", "userPromptSubmitted"},
		{"trigger", "preCompact"}, {"agentName", "subagentStart"}, {"reason", "sessionEnd"},
	} {
		if has(p, shape.key) {
			return shape.event
		}
	}
	switch {
	case has(p, "toolName") && has(p, "error"):
		return "postToolUseFailure"
	case has(p, "toolName"):
		return "preToolUse"
	}
	return ""
}

// clineEvent returns Cline CLI's event by the object that each event has. hookName is
// spelled differently there.
func clineEvent(p map[string]any) string {
	cline, err := agents.Find("cline")
	if err != nil {
		return "" // unreachable: it is in the table
	}
	for _, e := range cline.Events {
		if has(p, strings.ToLower(e.Native[:1])+e.Native[1:]) {
			return e.Native
		}
	}
	return str(p, "hookName")
}

// has reports whether the payload has the key, whatever its value.
func has(m map[string]any, key string) bool { _, ok := m[key]; return ok }

// str returns a string of the payload; empty if it has none of this name.
func str(m map[string]any, key string) string { s, _ := m[key].(string); return s }

// object returns the object at key; nil if there is none.
func object(m map[string]any, key string) map[string]any {
	o, _ := m[key].(map[string]any)
	return o
}

// slashes returns a path of Windows with slashes, as patterns want it.
func slashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }
