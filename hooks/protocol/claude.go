package protocol

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// claude maps our names to those of Claude Code's documentation. An absent name is the
// same in both.
var claude = &Dialect{
	Name:             "claude",
	Blocks:           []int{2},
	TextIsContext:    []Event{SessionStart, BeforeAgent, PreCompress},
	ExactMatchers:    true,
	DoubleUnderscore: true,
	Defers:           true,
	FailuresApart:    true,
	Events: map[Event]string{
		BeforeTool: "PreToolUse", AfterTool: "PostToolUse", BeforeAgent: "UserPromptSubmit",
		AfterAgent: "Stop", PreCompress: "PreCompact",
	},
	Tools: map[string]string{
		"run_shell_command": "Bash", "replace": "Edit", "write_file": "Write", "read_file": "Read",
		"glob": "Glob", "grep_search": "Grep", "list_directory": "LS", "web_fetch": "WebFetch",
		"google_web_search": "WebSearch", "write_todos": "TodoWrite", "invoke_agent": "Task",
	},
	Triggers: claudeTriggers,
	lacks:    map[Event][]string{StopFailure: {"max_turns", "max_rounds", "loop", "cancelled"}},
	Args: map[string]map[string]string{
		"replace":        {"allow_multiple": "replace_all"},
		"read_file":      {"start_line": "offset"},
		"glob":           {"dir_path": "path"},
		"grep_search":    {"dir_path": "path", "include_pattern": "glob"},
		"list_directory": {"dir_path": "path"},
	},
	top: append(slices.Clip(common),
		// Claude Code documents it in hookSpecificOutput; scripts say it here too.
		field{"additionalContext", []Event{SessionStart, BeforeAgent, AfterTool}, (*reader).context},
	),
	specific: []field{
		{"hookEventName", nil, (*reader).eventName},
		{"additionalContext", contextEvents, (*reader).context},
		{"updatedToolOutput", []Event{AfterTool}, (*reader).updatedOutput},
		{"permissionDecision", []Event{BeforeTool}, (*reader).decision},
		{"permissionDecisionReason", []Event{BeforeTool}, (*reader).reason},
		{"updatedInput", []Event{BeforeTool}, (*reader).updatedInput},
		{"decision", []Event{PermissionRequest}, (*reader).permission},
	},
	foreign: map[string]string{
		"tool_input":    `it is Gemini CLI's; say "updatedInput", or take "dialect": "claude" off this hook`,
		"updatedOutput": `it is not Claude Code's; say "updatedToolOutput"`,
	},
	extra: func(event Event, p map[string]any) {
		delete(p, "timestamp")
		if p["agent_id"] == nil {
			delete(p, "agent_type") // only of agents that another one started
		}
		if mode, _ := p["permission_mode"].(string); event.HasMode() {
			p["permission_mode"] = cmp.Or(claudeModes[mode], mode, "default")
		}
		switch event {
		case SessionEnd:
			if p["reason"] == "exit" {
				p["reason"] = "other"
			}
		case AfterAgent, SubagentStop:
			p["last_assistant_message"] = p["prompt_response"]
		case PreCompress:
			p["custom_instructions"] = ""
		case Notification:
			kind, _ := p["notification_type"].(string)
			p["notification_type"] = cmp.Or(claudeTriggers[kind], kind)
		}
	},
}

// claudeTriggers maps our notifications to Claude Code's.
var claudeTriggers = map[string]string{"ToolPermission": "permission_prompt", Idle: "idle_prompt"}

// claudeModes maps Gemini CLI's approval modes to Claude Code's permission modes.
var claudeModes = map[string]string{"autoEdit": "acceptEdits", "yolo": "bypassPermissions"}

// MatcherNames returns the names under which this dialect's matchers find the tool that
// we call name: this dialect's own name, ours, and older ones, without duplicates. name
// may itself be an older name.
func (d *Dialect) MatcherNames(name string) []string {
	var names []string
	add := func(n string) {
		if n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	canonical := name
	for ours, legacy := range LegacyNames {
		if legacy == name {
			canonical = ours
		}
	}
	add(d.Tools[canonical])
	add(canonical)
	add(name)
	add(LegacyNames[canonical])
	return names
}

// ToolName returns what this dialect calls the tool that we call name. mcp says which MCP
// server the tool comes from; nil if it comes from none.
func (d *Dialect) ToolName(name string, mcp *MCPContext) string {
	if mcp != nil && d.DoubleUnderscore {
		return "mcp__" + mcp.ServerName + "__" + mcp.ToolName
	}
	if n, ok := d.Tools[name]; ok {
		return n
	}
	return name
}

// Translate turns a payload in our form into what this dialect's hooks read: names of the
// event, of the tool and of its arguments, and the fields that only one side has. The
// order of fields is not kept. A payload that is not a JSON object is returned as it is,
// and so is every payload for Gemini's dialect.
func (d *Dialect) Translate(event Event, payload []byte) []byte {
	if d.extra == nil {
		return payload
	}
	var p map[string]any
	if json.Unmarshal(payload, &p) != nil {
		return payload
	}
	if n, ok := d.Events[event]; ok {
		p["hook_event_name"] = n
	}
	if name, ok := p["tool_name"].(string); ok {
		if args, ok := p["tool_input"].(map[string]any); ok {
			cwd, _ := p["cwd"].(string)
			p["tool_input"] = d.ToolInput(name, cwd, args)
		}
		p["tool_name"] = d.ToolName(name, contextOf(p["mcp_context"]))
	}
	d.extra(event, p)
	out, err := Encode(p)
	if err != nil {
		return payload
	}
	return out
}

// contextOf reads the mcp_context of a decoded payload; nil if there is none.
func contextOf(v any) *MCPContext {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	server, _ := m["server_name"].(string)
	tool, _ := m["tool_name"].(string)
	return &MCPContext{ServerName: server, ToolName: tool}
}

// wholeNames splits a matcher that is a list of exact names; ok is false where
// it is a regular expression.
func wholeNames(matcher string) (names []string, ok bool) {
	for _, c := range matcher {
		if !(c == '_' || c == '-' || c == ' ' || c == ',' || c == '|' ||
			'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return nil, false
		}
	}
	for _, n := range strings.FieldsFunc(matcher, func(c rune) bool { return c == ',' || c == '|' }) {
		names = append(names, strings.TrimSpace(n))
	}
	return names, true
}

// WholeNames splits a matcher that, in this dialect, is a list of whole names. ok is
// false if it is a regular expression, as all of Gemini's are. Blanks around a name are
// cut off. An empty matcher is an empty list.
func (d *Dialect) WholeNames(matcher string) (names []string, ok bool) {
	if !d.ExactMatchers {
		return nil, false
	}
	return wholeNames(matcher)
}
