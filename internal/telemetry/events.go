package telemetry

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"minigem/agent/event"
)

// Setup describes a session at its start.
type Setup struct {
	Model, OutputFormat               string
	ModelChosen                       bool          // set by a flag, the environment or the settings
	Mode                              func() string // returns the current approval mode; nil means "default"
	CoreTools, Extensions, MCPServers []string
	Sandbox, APIKey, Vertex, Debug    bool
	Worktree                          bool // the session works in a worktree that it made
	RespectGitIgnore                  bool
}

// Begin logs the configuration of a session.
func (t *Telemetry) Begin(s Setup) {
	if t == nil {
		return
	}
	if s.Mode == nil {
		s.Mode = func() string { return "default" }
	}
	mode := s.Mode()
	t.mu.Lock()
	t.setup, t.modes = s, modes{s.Mode, mode, t.o.Now()}
	t.mu.Unlock()
	t.log("gemini_cli.config", "CLI configuration loaded.",
		"model", s.Model, "embedding_model", "gemini-embedding-001",
		"sandbox_enabled", s.Sandbox,
		"core_tools_enabled", strings.Join(s.CoreTools, ","), "approval_mode", mode,
		"api_key_enabled", s.APIKey, "vertex_ai_enabled", s.Vertex,
		"log_user_prompts_enabled", t.o.LogPrompts,
		"file_filtering_respect_git_ignore", s.RespectGitIgnore, "debug_mode", s.Debug,
		"mcp_servers", strings.Join(s.MCPServers, ","),
		"mcp_servers_count", len(s.MCPServers),
		"output_format", s.OutputFormat,
		"extensions", strings.Join(s.Extensions, ","), "extensions_count", len(s.Extensions),
		"extension_ids", "", "worktree_active", s.Worktree)
	t.count(t.counts.sessions, 1)
}

// Emit implements event.Sink.
func (t *Telemetry) Emit(e event.Event) {
	if t == nil {
		return
	}
	if _, often := e.(event.TextDelta); !often {
		t.updateMode(false)
	}
	if n, ok := e.(event.Nested); ok { // its requests are logged by its model
		if f, ok := n.Event.(event.ToolFinished); ok {
			t.Emit(f)
		}
		return
	}
	switch e := e.(type) {
	case event.PromptStarted:
		if e.Attempt == 0 {
			t.prompt(e.Text)
			t.routed()
		}
	case event.RoundStarted:
		t.mu.Lock()
		t.rounds++
		t.mu.Unlock()
	case event.ToolFinished:
		t.toolCall(e.Record, "")
		for _, tail := range e.Record.Followed {
			t.toolCall(tail, e.Record.Call.Name)
		}
	case event.AgentStarted:
		t.log("gemini_cli.agent.start", "Agent "+e.Name+" started.", "agent_id", e.ID,
			"agent_name", e.Name)
	case event.AgentFinished:
		t.log("gemini_cli.agent.finish", fmt.Sprintf("Agent %s finished: %s. Turns: %d.", e.Name, e.Reason, e.Rounds),
			"agent_id", e.ID, "agent_name", e.Name,
			"duration_ms", e.Took.Milliseconds(),
			"turn_count", e.Rounds, "terminate_reason", e.Reason)
	case event.Compressed:
		t.log("gemini_cli.chat_compression", "Chat compression.", "tokens_before", e.Before,
			"tokens_after", e.After)
	case event.Masked:
		t.log("gemini_cli.tool_output_masking", fmt.Sprintf("Tool output masking: %d outputs.", e.Outputs),
			"tokens_before", e.Before, "tokens_after", e.After,
			"masked_count", e.Outputs, "total_prunable_tokens", e.Prunable)
	case event.LoopDetected:
		t.log("loop_detected", "Loop detected: "+e.Kind, "loop_type", e.Kind,
			"prompt_id", t.promptID())
	case event.RoundDiscarded:
		t.log("gemini_cli.chat.content_retry", fmt.Sprintf("Content retry attempt %d: %s", e.Attempt, e.Reason),
			"attempt_number", e.Attempt, "error_type", e.Reason,
			"retry_delay_ms", e.Delay.Milliseconds())
	case event.Waiting:
		t.log("gemini_cli.network_retry_attempt", fmt.Sprintf("Network retry attempt %d of %d: %s", e.Attempt, e.Max,
			e.Reason),
			"attempt", e.Attempt, "max_attempts", e.Max,
			"error_type", e.Reason, "delay_ms", e.Delay.Milliseconds())
	}
}

func (t *Telemetry) prompt(text string) {
	t.mu.Lock()
	t.prompts++
	t.mu.Unlock()
	length := len([]rune(text))
	t.log("gemini_cli.user_prompt", fmt.Sprintf("User prompt. Length: %d.", length),
		"prompt_length", length, "prompt_id", t.promptID(), t.payload("prompt", text))
}

// toolCall logs a call. If a hook replaced another call with this one, original is what
// the model asked for.
func (t *Telemetry) toolCall(r event.ToolRecord, original string) {
	took := r.Finished.Sub(r.Started).Milliseconds()
	success := r.Status == event.ToolSuccess
	kind := "native"
	if r.MCPServer != "" {
		kind = "mcp"
	}
	body := fmt.Sprintf("Tool call: %s. Success: %t. Duration: %dms.", r.Call.Name, success, took)
	if r.Decision != event.DecisionNone {
		body = fmt.Sprintf("Tool call: %s. Decision: %s. Success: %t. Duration: %dms.", r.Call.Name, r.Decision, success,
			took)
	}
	name := attribute.String("function_name", r.Call.Name)
	decision := optional("decision", string(r.Decision))
	ctx, end := t.span("tool_call", r.Started, name, "success", success)
	if f := fileOf(r); success && f.operation != "" && len(r.Followed) == 0 {
		t.logIn(ctx, "gemini_cli.file_operation", f.body,
			append([]any{"tool_name", r.Call.Name}, f.attrs...)...)
		t.count(t.counts.fileOperations, 1, f.attrs...)
	}
	t.logIn(ctx, "gemini_cli.tool_call", body,
		name, "duration_ms", took, "success", success, decision,
		"prompt_id", t.promptID(), "tool_type", kind,
		optional("mcp_server_name", r.MCPServer),
		"content_length", contentLength(r), t.payload("function_args", indented(r.Args)),
		optional("original_request_name", original), optional("metadata", metadataOf(r)), optional("error", r.ErrorMessage),
		optional("error.message", r.ErrorMessage),
		optional("error_type", r.ErrorType), optional("error.type", r.ErrorType))
	end(r.Finished)

	t.count(t.counts.toolCalls, 1, name, "success", success, decision, "tool_type", kind)
	t.measure(t.counts.toolLatency, took, name)
	if success && len(r.Followed) == 0 { // the last of them changed the files
		t.lines(r)
	}
}

// lines counts the lines that a call changed.
func (t *Telemetry) lines(r event.ToolRecord) {
	d := diffOf(r)
	for kind, n := range map[string]int64{
		"added":   d.Stat.ModelAdded + d.Stat.UserAdded,
		"removed": d.Stat.ModelRemoved + d.Stat.UserRemoved,
	} {
		if n > 0 {
			t.count(t.counts.lines, n, "type", kind, "function_name", r.Call.Name)
		}
	}
}

// diff is the part of an edit's display that is counted.
type diff struct {
	New  bool `json:"isNewFile"`
	Stat struct {
		ModelAdded   int64 `json:"model_added_lines"`
		ModelRemoved int64 `json:"model_removed_lines"`
		UserAdded    int64 `json:"user_added_lines"`
		UserRemoved  int64 `json:"user_removed_lines"`
	} `json:"diffStat"`
}

func diffOf(r event.ToolRecord) diff {
	var d diff
	if _, text := r.Display.(string); r.Display != nil && !text {
		data, err := json.Marshal(r.Display)
		if err != nil || json.Unmarshal(data, &d) != nil {
			return diff{}
		}
	}
	return d
}

// metadataOf returns the statistics of an edit, and the tool's own data, as JSON.
func metadataOf(r event.ToolRecord) string {
	all := map[string]any{}
	for k, v := range r.Data {
		all[k] = v
	}
	var shown struct {
		Stat map[string]any `json:"diffStat"`
	}
	if data, err := json.Marshal(r.Display); err == nil && json.Unmarshal(data, &shown) == nil {
		for k, v := range shown.Stat {
			all[k] = v
		}
	}
	if len(all) == 0 {
		return ""
	}
	return indented(all)
}

// contentLength returns the length of the content for the model.
func contentLength(r event.ToolRecord) int {
	n := 0
	for _, key := range []string{"output", "error"} {
		if s, ok := r.Result.Response[key].(string); ok {
			n += len(s)
		}
	}
	return n
}

// indented formats v as indented JSON. It returns "" if v cannot be encoded.
func indented(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
