package inspect

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"minigem/hooks/protocol"
)

// samplePrompt is the prompt of sample payloads.
const samplePrompt = "Fix the tests"

// samples are plausible arguments of the built-in tools; core/tools has
// the rules.
var samples = map[string]map[string]any{
	"read_file":       {"file_path": "notes.txt"},
	"read_many_files": {"include": []any{"*.txt"}},
	"write_file":      {"file_path": "notes.txt", "content": "hello\n"},
	"replace": {"file_path": "notes.txt", "instruction": "Say goodbye instead", "old_string": "hello",
		"new_string": "goodbye"},
	"list_directory":    {"dir_path": "."},
	"glob":              {"pattern": "**/*.go"},
	"grep_search":       {"pattern": "TODO"},
	"run_shell_command": {"command": "go test ./...", "description": "Run the tests"},
	"web_fetch":         {"prompt": "Summarize https://example.com"},
	"google_web_search": {"query": "agent hooks"},
	"write_todos":       {"todos": []any{map[string]any{"description": "Run the tests", "status": "pending"}}},
	"save_memory":       {"fact": "Tests run with go test."},
	"activate_skill":    {"name": "review"},
	"invoke_agent":      {"agent_name": "explorer", "prompt": "Find the tests"},
	"ask_user": {
		"questions": []any{map[string]any{"question": "Which one?", "header": "Choice", "type": "text"}}},
	"exit_plan_mode":         {"plan_filename": "plan.md"},
	"update_topic":           {"strategic_intent": "Find the tests"},
	"read_background_output": {"pid": float64(1)},
}

// SampleArgs returns plausible arguments of a built-in tool; empty for any other. The
// top-level map is the caller's; values in it must not be changed.
func SampleArgs(tool string) map[string]any {
	return maps.Clone(sampleArgs(tool))
}

// sampleArgs returns the sample arguments of a tool; empty ones for a tool that is not
// known.
func sampleArgs(tool string) map[string]any {
	if args := samples[tool]; args != nil {
		return args
	}
	return map[string]any{}
}

// sampleMCP returns the MCP context of a tool called mcp_SERVER_TOOL, or nil for other
// tools.
func sampleMCP(tool string) *protocol.MCPContext {
	rest, ok := strings.CutPrefix(tool, "mcp_")
	if !ok {
		return nil
	}
	server, name, ok := strings.Cut(strings.TrimPrefix(rest, "_"), "_")
	if !ok {
		return nil
	}
	return &protocol.MCPContext{ServerName: server, ToolName: strings.TrimPrefix(name, "_"), Command: server}
}

// sampleRequest returns the sample of what hooks read of a request.
func sampleRequest() protocol.LLMRequest {
	temperature, topP, topK := 1.0, 0.95, 64.0
	return protocol.LLMRequest{
		Model:    "gemini-2.5-flash",
		Messages: []protocol.LLMMessage{{Role: "user", Text: samplePrompt}},
		Config:   protocol.LLMConfig{Temperature: &temperature, TopP: &topP, TopK: &topK},
		Tools:    []string{"read_file", "write_file", "replace", "run_shell_command"},
	}
}

// sampleChunk returns the sample of what hooks read of an answer.
func sampleChunk() protocol.LLMChunk {
	return protocol.LLMChunk{
		Text: "All tests pass now.",
		Candidates: []protocol.LLMCandidate{
			{Content: protocol.LLMContent{Role: "model", Parts: []string{"All tests pass now."}}, FinishReason: "STOP"}},
		UsageMetadata: &protocol.LLMUsage{PromptTokenCount: 100, CandidatesTokenCount: 10, TotalTokenCount: 110},
	}
}

// Set changes one value of a payload. assignment is PATH=VALUE. A path consists of
// names and indices joined by dots, such as tool_input.file_path or
// llm_request.messages.0.content. A value is JSON; anything that is not JSON is a
// string. Missing objects on the way are created, and an index may be one past the end.
// timestamp and hook_event_name cannot be set. payload itself is not changed. The error
// says what is wrong with the assignment, or that payload is not JSON.
func Set(payload []byte, assignment string) ([]byte, error) {
	path, text, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return nil, fmt.Errorf("--set %q: write path=value", assignment)
	}
	if path == "timestamp" || path == "hook_event_name" {
		return nil, fmt.Errorf("--set %s: it cannot be set: the engine writes it", path)
	}
	var value any = text
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		value = text
	}
	var root any
	if err := json.Unmarshal(payload, &root); err != nil {
		return nil, fmt.Errorf("reading the payload: %w", err)
	}
	root, err := put(root, strings.Split(path, "."), value)
	if err != nil {
		return nil, fmt.Errorf("--set %s: %w", path, err)
	}
	return protocol.Encode(root)
}

// put sets the value at path in a JSON value, and returns that. Missing objects are
// made; an array can be extended by one. Objects and arrays on the way are changed
// themselves. Below a null, every name makes an object, a number too.
func put(at any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	name := path[0]
	switch v := at.(type) {
	case nil:
		at, err := put(nil, path[1:], value)
		return map[string]any{name: at}, err
	case map[string]any:
		at, err := put(v[name], path[1:], value)
		v[name] = at
		return v, err
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i > len(v) {
			return nil, fmt.Errorf("%q is not an index of an array of %d", name, len(v))
		}
		if i == len(v) {
			v = append(v, nil)
		}
		v[i], err = put(v[i], path[1:], value)
		return v, err
	}
	return nil, fmt.Errorf("%q is below a value that is neither an object nor an array", name)
}
