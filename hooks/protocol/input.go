package protocol

import (
	"bytes"
	"encoding/json"
)

// TimeLayout is the form of [Base.Timestamp] for [time.Time.Format]: UTC with
// milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Base holds the fields that every hook reads, before the fields of its event. The tags
// of this file's types are the documentation of the fields; hooks/schema and
// docs/EVENTS.md are generated from them.
type Base struct {
	SessionID string `json:"session_id" jsonschema:"the session's id; another one after /clear"`
	// TranscriptPath is a file of JSON Lines, which may still be written to. In Claude
	// Code's dialect it is a copy in that agent's form.
	TranscriptPath string `json:"transcript_path" jsonschema:"absolute path of the session file; empty: none"`
	Cwd            string `json:"cwd" jsonschema:"the agent's working directory, which is the hook's too"`
	HookEventName  Event  `json:"hook_event_name" jsonschema:"the event"`
	// Timestamp is, for example, 2026-01-31T09:05:00.250Z.
	Timestamp string `json:"timestamp" jsonschema:"when the event fired: ISO 8601, UTC, milliseconds"`
	// AgentID differs for each run of a subagent.
	AgentID        string `json:"agent_id,omitempty" jsonschema:"the run of a subagent; absent: the main agent"`
	AgentType      string `json:"agent_type,omitempty" jsonschema:"a subagent's name, or main where permission_mode is"`
	PermissionMode string `json:"permission_mode,omitempty" jsonschema:"default, autoEdit, yolo or plan"`
}

// EventName returns the event that the input says it belongs to, which [Run] compares
// with the event of its type.
func (b Base) EventName() Event { return b.HookEventName }

// Input is the type set of what hooks read, one type per event. [Run] takes a function
// of one of them.
type Input interface {
	SessionStartInput | BeforeAgentInput | PreCompressInput | PostCompactInput | BeforeModelInput |
		BeforeToolSelectionInput |
		AfterModelInput | BeforeToolInput | PermissionRequestInput | NotificationInput | SubagentStartInput |
		SubagentStopInput | AfterToolInput | PostToolUseFailureInput | AfterAgentInput | StopFailureInput | SessionEndInput
	EventName() Event
}

// What the hooks of each event read (core/hooks/hookEventHandler.ts). The order of fields
// is the order on the wire.
type (
	// SessionStartInput is the input of [SessionStart] hooks.
	SessionStartInput struct {
		Base
		Source string `json:"source" jsonschema:"startup, resume or clear; compact after a compression"`
	}

	// BeforeAgentInput is the input of [BeforeAgent] hooks. Where hooks run one after the
	// other, Prompt has the context that earlier ones added.
	BeforeAgentInput struct {
		Base
		Prompt string `json:"prompt" jsonschema:"the prompt as submitted; in a retry, the reason that AfterAgent gave"`
	}

	// PreCompressInput is the input of [PreCompress] hooks.
	PreCompressInput struct {
		Base
		Trigger string `json:"trigger" jsonschema:"auto or manual"`
	}

	// PostCompactInput is the input of [PostCompact] hooks.
	PostCompactInput struct {
		Base
		Trigger        string `json:"trigger" jsonschema:"auto or manual"`
		CompactSummary string `json:"compact_summary" jsonschema:"what replaced older messages; may be empty"`
	}

	// BeforeModelInput is the input of [BeforeModel] hooks.
	BeforeModelInput struct {
		Base
		LLMRequest LLMRequest `json:"llm_request" jsonschema:"the request about to be sent"`
	}

	// BeforeToolSelectionInput is the input of [BeforeToolSelection] hooks.
	BeforeToolSelectionInput struct {
		Base
		LLMRequest LLMRequest `json:"llm_request" jsonschema:"the request as BeforeModel hooks left it"`
	}

	// AfterModelInput is the input of [AfterModel] hooks, once for each chunk.
	// FullContent is the text without thoughts; it is absent while there is none, and
	// Gemini CLI never sends it.
	AfterModelInput struct {
		Base
		LLMRequest LLMRequest `json:"llm_request" jsonschema:"the request as it was sent"`
		// LLMResponse is the chunk as the hooks before left it, if hooks run one after
		// the other.
		LLMResponse LLMChunk `json:"llm_response" jsonschema:"one streamed chunk of the answer"`
		FullContent string   `json:"full_content,omitempty" jsonschema:"the answer so far, with this chunk"`
	}

	// BeforeToolInput is the input of [BeforeTool] hooks. ToolInput is never null. In
	// Claude Code's dialect names and arguments are that agent's.
	BeforeToolInput struct {
		Base
		// ToolName is Gemini CLI's name, such as run_shell_command, or mcp_SERVER_TOOL
		// for an MCP tool.
		ToolName string `json:"tool_name" jsonschema:"the name that was asked for"`
		// ToolInput holds the arguments as the model gave them or, if hooks run one after
		// the other, as the hooks before left them.
		ToolInput map[string]any `json:"tool_input" jsonschema:"the arguments"`
		// ToolUseID joins the events of one call. It is the id that the model sees.
		ToolUseID string `json:"tool_use_id,omitempty" jsonschema:"the id of the call"`
		// MCPContext is nil for a built-in tool.
		MCPContext *MCPContext `json:"mcp_context,omitempty" jsonschema:"where an MCP tool comes from"`
		// OriginalRequestName is empty unless an AfterTool hook asked for this call.
		OriginalRequestName string `json:"original_request_name,omitempty" jsonschema:"the first tool of a tail call"`
	}

	// PermissionRequestInput is the input of [PermissionRequest] hooks. ToolInput is
	// never null.
	PermissionRequestInput struct {
		Base
		ToolName string `json:"tool_name" jsonschema:"the name that was asked for"`
		// ToolInput holds the arguments that the user would be asked about.
		ToolInput           map[string]any `json:"tool_input" jsonschema:"the arguments"`
		ToolUseID           string         `json:"tool_use_id,omitempty" jsonschema:"the id of the call"`
		MCPContext          *MCPContext    `json:"mcp_context,omitempty" jsonschema:"where an MCP tool comes from"`
		OriginalRequestName string         `json:"original_request_name,omitempty" jsonschema:"the first tool of a tail call"`
	}

	// NotificationInput is the input of [Notification] hooks.
	NotificationInput struct {
		Base
		// NotificationType is what matchers see.
		NotificationType string `json:"notification_type" jsonschema:"ToolPermission, or Idle"`
		Message          string `json:"message" jsonschema:"one line for people"`
		// Details is a JSON object with the key "type", such as "edit", "exec" or "idle".
		Details any `json:"details" jsonschema:"what is asked: type, title and more by type"`
	}

	// SubagentStartInput is the input of [SubagentStart] hooks. AgentType is the
	// subagent's name.
	SubagentStartInput struct {
		Base
		Prompt string `json:"prompt" jsonschema:"the task that the agent was given"`
	}

	// SubagentStopInput is the input of [SubagentStop] hooks. AgentType is the subagent's
	// name.
	SubagentStopInput struct {
		Base
		Prompt         string `json:"prompt" jsonschema:"the task that the agent was given"`
		PromptResponse string `json:"prompt_response" jsonschema:"what it hands over, or what went wrong"`
		Ending         string `json:"ending" jsonschema:"GOAL, MAX_TURNS, TIMEOUT, ERROR_NO_COMPLETE_TASK_CALL or ERROR"`
		// StopHookActive is as in [AfterAgentInput].
		StopHookActive      bool   `json:"stop_hook_active" jsonschema:"a SubagentStop hook sent the agent on before"`
		AgentTranscriptPath string `json:"agent_transcript_path" jsonschema:"the agent's own transcript; empty: none is kept"`
	}

	// AfterToolInput is the input of [AfterTool] hooks. OriginalToolInput is absent if no
	// hook changed the arguments.
	AfterToolInput struct {
		Base
		ToolName string `json:"tool_name" jsonschema:"the name that was asked for"`
		// ToolInput holds the arguments that ran, changes by hooks included.
		ToolInput           map[string]any `json:"tool_input" jsonschema:"the arguments that ran"`
		ToolResponse        ToolResponse   `json:"tool_response" jsonschema:"what the tool gave"`
		ToolUseID           string         `json:"tool_use_id,omitempty" jsonschema:"the id of the call"`
		MCPContext          *MCPContext    `json:"mcp_context,omitempty" jsonschema:"where an MCP tool comes from"`
		OriginalRequestName string         `json:"original_request_name,omitempty" jsonschema:"the first tool of a tail call"`
		// OriginalToolInput holds the arguments that the model gave.
		OriginalToolInput map[string]any `json:"original_tool_input,omitempty" jsonschema:"before hooks changed them"`
	}

	// PostToolUseFailureInput is the input of [PostToolUseFailure] hooks. Error is "Exit
	// code N" if the command failed and the tool itself did not.
	PostToolUseFailureInput struct {
		Base
		ToolName            string         `json:"tool_name" jsonschema:"the name that was asked for"`
		ToolInput           map[string]any `json:"tool_input" jsonschema:"the arguments that ran"`
		ToolResponse        ToolResponse   `json:"tool_response" jsonschema:"what the tool gave"`
		Error               string         `json:"error" jsonschema:"why it failed; of a command: Exit code N"`
		ToolUseID           string         `json:"tool_use_id,omitempty" jsonschema:"the id of the call"`
		MCPContext          *MCPContext    `json:"mcp_context,omitempty" jsonschema:"where an MCP tool comes from"`
		OriginalRequestName string         `json:"original_request_name,omitempty" jsonschema:"the first tool of a tail call"`
	}

	// AfterAgentInput is the input of [AfterAgent] hooks. Unlike Gemini CLI's,
	// PromptResponse is the final answer alone.
	AfterAgentInput struct {
		Base
		Prompt         string `json:"prompt" jsonschema:"the prompt that was answered"`
		PromptResponse string `json:"prompt_response" jsonschema:"the final answer of this attempt, as shown"`
		// StopHookActive should make a hook that always sends the answer back let it
		// pass. The number of retries is bounded by hooksConfig.maxRetries, 10 by
		// default.
		StopHookActive bool `json:"stop_hook_active" jsonschema:"true in a retry that an AfterAgent hook asked for"`
	}

	// StopFailureInput is the input of [StopFailure] hooks. Error is one of [Failures].
	StopFailureInput struct {
		Base
		Prompt               string `json:"prompt" jsonschema:"the prompt that has no answer"`
		Error                string `json:"error" jsonschema:"why it failed, such as rate_limit; docs/EVENTS.md lists them"`
		ErrorDetails         string `json:"error_details,omitempty" jsonschema:"the same in a sentence, for people"`
		LastAssistantMessage string `json:"last_assistant_message,omitempty" jsonschema:"what the model said last"`
	}

	// SessionEndInput is the input of [SessionEnd] hooks.
	SessionEndInput struct {
		Base
		Reason string `json:"reason" jsonschema:"exit, clear, logout, prompt_input_exit or other"`
	}
)

// MCPContext tells a tool hook which MCP server a tool comes from. Which of Command, URL
// and TCP is set depends on the server's transport.
type MCPContext struct {
	// ServerName is the server's name in the settings.
	ServerName string `json:"server_name"`
	// ToolName is the tool's name at the server.
	ToolName string `json:"tool_name"`
	// Command, Args and Cwd describe a server that is a process.
	Command string `json:"command,omitempty"`
	// Args are the program's arguments, as the settings have them.
	Args []string `json:"args,omitempty"`
	// Cwd is the directory in which the program runs; empty if the settings name none.
	Cwd string `json:"cwd,omitempty"`
	// URL is the address of a server that is reached by HTTP.
	URL string `json:"url,omitempty"`
	// TCP is the address of a web socket server. Gemini CLI has the field; minigem does
	// not set it.
	TCP string `json:"tcp,omitempty"`
}

// ToolResponse is what a tool returned, as AfterTool hooks read it.
type ToolResponse struct {
	// LLMContent is what the model reads: a string, a part or an array of parts.
	LLMContent any `json:"llmContent"`
	// ReturnDisplay is what the user sees: a string or an object, such as a diff.
	ReturnDisplay any `json:"returnDisplay"`
	// Error is set if the tool failed; nil otherwise.
	Error *ToolError `json:"error,omitempty"`
}

// ToolError describes a tool's failure.
type ToolError struct {
	// Message says what went wrong, for the model.
	Message string `json:"message"`
	// Type is a word for programs, such as "file_not_found".
	Type string `json:"type"`
}

// Encode writes v as JSON the way hooks read and write it: on one line, without a newline
// at the end, and with `<`, `>` and `&` unescaped. It fails only for values that have no
// JSON form.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
