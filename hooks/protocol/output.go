package protocol

import "reflect"

// Output is a hook's answer: what a hook in Go returns, and what the engine makes of
// every accepted spelling. The zero Output lets the action go on. It marshals to the
// canonical JSON of the wire. Which fields have an effect depends on the event;
// docs/EVENTS.md lists them.
type Output struct {
	// Stop ends the run ("continue": false).
	Stop bool
	// StopReason says why, with Stop.
	StopReason string
	// Decision is [Deny], [Ask], [Allow] or "", which means none.
	Decision string
	// Reason explains Decision to the model.
	Reason string
	// SystemMessage is shown to the user.
	SystemMessage string
	// SuppressOutput hides SystemMessage and the hook's line in the terminal.
	SuppressOutput bool

	// AdditionalContext is added to what the model reads.
	AdditionalContext string
	// UpdatedOutput replaces what the model reads of a tool's output; nil leaves it.
	// AfterTool only.
	UpdatedOutput *string
	// ToolInput is merged over the call's arguments; a nil value deletes an argument. nil
	// changes nothing. BeforeTool and PermissionRequest only.
	ToolInput map[string]any
	// WholeToolInput says that ToolInput replaces the arguments (Claude Code's
	// updatedInput). It is not written to JSON.
	WholeToolInput bool
	// LLMRequest changes the request; nil changes nothing. BeforeModel only.
	LLMRequest *LLMRequestChange
	// LLMResponse answers for the model (BeforeModel) or replaces the chunk (AfterModel);
	// nil does neither.
	LLMResponse *LLMResponse
	// ToolConfig narrows or forces tools; nil does neither. BeforeToolSelection only;
	// BeforeModel has LLMRequest.ToolConfig.
	ToolConfig *ToolConfig
	// ClearContext clears the conversation, together with a deny or a stop. AfterAgent
	// only.
	ClearContext bool
	// TailToolCall asks for another tool to run next; nil for none. AfterTool only.
	TailToolCall *TailToolCall
}

// The values of [Output.Decision]. When an answer is read, "block" counts as Deny,
// "approve" as Allow and, in Claude Code's dialect, "defer" as Ask.
const (
	// Deny prevents the action ("deny" or "block").
	Deny = "deny"
	// Ask makes the user confirm it ("ask"). BeforeTool only.
	Ask = "ask"
	// Allow has an effect at PermissionRequest only. At other events it equals no
	// decision.
	Allow = "allow"
)

// DenyBecause returns an Output that denies the action. reason is for the model; if it is
// empty, the engine says that no reason was given.
func DenyBecause(reason string) Output { return Output{Decision: Deny, Reason: reason} }

// StopBecause returns an Output that ends the run. reason is for the user.
func StopBecause(reason string) Output { return Output{Stop: true, StopReason: reason} }

// TailToolCall asks for another tool to run. Its result replaces the first tool's.
type TailToolCall struct {
	// Name is the tool's name; a hook's answer must have one.
	Name string `json:"name"`
	// Args are the arguments; null is read as {}.
	Args map[string]any `json:"args"`
}

// ToolConfig narrows or forces the tools of a request. Names that are not offered are
// dropped with a warning; if none is left, no tool can be called.
type ToolConfig struct {
	// Mode is "AUTO", "ANY" (at least one call) or "NONE" (no call); empty leaves the
	// mode. Lower case is accepted with a warning.
	Mode string `json:"mode,omitempty" jsonschema:"AUTO, ANY (at least one call) or NONE; absent: AUTO"`
	// AllowedFunctionNames lists the only tools to offer; empty means all.
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty" jsonschema:"the tools it may call; empty: all"`
}

// LLMRequestChange is what a BeforeModel hook changes in a request. Absent fields stay as
// they are. It marshals as llm_request.
type LLMRequestChange struct {
	// Model is another model for this request; empty changes nothing.
	Model string
	// Messages is the whole new list; nil changes nothing, and an empty list removes
	// everything. Messages are matched to the old ones by content. Messages with the role
	// "system" are added to the system instruction.
	Messages []LLMMessage
	// Temperature replaces the request's; nil changes nothing.
	Temperature *float64
	// TopP replaces the request's; nil changes nothing.
	TopP *float64
	// TopK replaces the request's; nil changes nothing.
	TopK *float64
	// MaxTokens replaces the request's limit of output tokens; nil changes nothing.
	MaxTokens *int
	// ToolConfig narrows or forces tools; nil does neither.
	ToolConfig *ToolConfig
	// Tools is the list that the hook gave back. It has no effect; a changed one is
	// warned about. It is not written to JSON.
	Tools []string
}

// LLMResponse is a hook's answer for the model, or a replacement of a chunk. It marshals
// as llm_response.
type LLMResponse struct {
	// Parts are texts; an empty list is a blank answer.
	Parts []string
	// VisibleOnly says that the answer came as "text" alone, so that it does not replace
	// thoughts. It is not written to JSON.
	VisibleOnly bool
	// Calls are function calls of the answer. AfterModel hooks cannot change the calls of the
	// chunk.
	Calls []LLMCall
	// FinishReason is the provider's word, such as "STOP". If it is empty, BeforeModel's
	// answer gets "STOP", and a chunk keeps its own.
	FinishReason string
	// Usage holds token counts; nil keeps the chunk's.
	Usage *LLMUsage
}

// wireOutput is the canonical JSON of an Output; its tags are the documentation of the
// fields.
type wireOutput struct {
	Continue       *bool         `json:"continue,omitempty" jsonschema:"false ends the run"`
	StopReason     string        `json:"stopReason,omitempty" jsonschema:"why, with continue: false"`
	Decision       string        `json:"decision,omitempty" jsonschema:"deny (or block), ask, allow (or approve)"`
	Reason         string        `json:"reason,omitempty" jsonschema:"for the model"`
	SystemMessage  string        `json:"systemMessage,omitempty" jsonschema:"for the user"`
	SuppressOutput bool          `json:"suppressOutput,omitempty" jsonschema:"hide this hook's message and its line"`
	Specific       *wireSpecific `json:"hookSpecificOutput,omitempty"`
}

// wireSpecific is hookSpecificOutput.
type wireSpecific struct {
	AdditionalContext string          `json:"additionalContext,omitempty" jsonschema:"text that the model is given, too"`
	UpdatedOutput     *string         `json:"updatedOutput,omitempty" jsonschema:"what the model reads instead; no error"`
	ToolInput         map[string]any  `json:"tool_input,omitempty" jsonschema:"merged over the arguments; null deletes"`
	LLMRequest        *wireRequest    `json:"llm_request,omitempty" jsonschema:"merged over the request"`
	LLMResponse       *wireResponse   `json:"llm_response,omitempty" jsonschema:"the model's answer, or this chunk's"`
	ToolConfig        *wireToolConfig `json:"toolConfig,omitempty" jsonschema:"narrows or forces tools"`
	ClearContext      bool            `json:"clearContext,omitempty" jsonschema:"at a deny or stop: forget everything"`
	TailToolCall      *TailToolCall   `json:"tailToolCallRequest,omitempty" jsonschema:"a tool whose result is used"`
}

// wireRequest is llm_request in an answer. An empty list of messages differs from none.
type wireRequest struct {
	Model      string          `json:"model,omitempty" jsonschema:"another model for this request"`
	Messages   *[]LLMMessage   `json:"messages,omitempty" jsonschema:"all of it; role system adds instructions"`
	Config     *LLMConfig      `json:"config,omitempty" jsonschema:"generation settings"`
	ToolConfig *wireToolConfig `json:"toolConfig,omitempty" jsonschema:"narrows or forces tools"`
}

// wireResponse is llm_response in an answer.
type wireResponse struct {
	Candidates    []LLMCandidate `json:"candidates"`
	UsageMetadata *LLMUsage      `json:"usageMetadata,omitempty"`
	FunctionCalls []LLMCall      `json:"functionCalls,omitempty"`
}

// wireToolConfig also writes a list that is empty but not nil, as Gemini CLI does.
type wireToolConfig struct {
	Mode                 string   `json:"mode,omitempty" jsonschema:"AUTO, ANY (at least one call) or NONE"`
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitzero" jsonschema:"the tools it may call; empty: all"`
}

// MarshalJSON writes o as a hook prints it, in the canonical spelling. Zero fields are
// left out.
func (o Output) MarshalJSON() ([]byte, error) {
	w := wireOutput{
		Decision: o.Decision, Reason: o.Reason,
		SystemMessage: o.SystemMessage, SuppressOutput: o.SuppressOutput,
	}
	if o.Stop {
		w.Continue, w.StopReason = new(bool), o.StopReason
	}
	s := wireSpecific{
		AdditionalContext: o.AdditionalContext, UpdatedOutput: o.UpdatedOutput, ToolInput: o.ToolInput,
		LLMRequest: o.LLMRequest.wire(), LLMResponse: o.LLMResponse.wire(), ToolConfig: o.ToolConfig.wire(),
		ClearContext: o.ClearContext, TailToolCall: o.TailToolCall,
	}
	if s.said() {
		w.Specific = &s
	}
	return Encode(w)
}

// said reports whether any field is set, so that an empty hookSpecificOutput is left out.
func (s wireSpecific) said() bool {
	return s.AdditionalContext != "" || s.UpdatedOutput != nil || len(s.ToolInput) > 0 || s.LLMRequest != nil ||
		s.LLMResponse != nil ||
		s.ToolConfig != nil || s.ClearContext || s.TailToolCall != nil
}

// wire returns the JSON form of t; nil for nil.
func (t *ToolConfig) wire() *wireToolConfig {
	if t == nil {
		return nil
	}
	return &wireToolConfig{t.Mode, t.AllowedFunctionNames}
}

// wire returns the JSON form of c; nil for nil.
func (c *LLMRequestChange) wire() *wireRequest {
	if c == nil {
		return nil
	}
	w := &wireRequest{Model: c.Model, ToolConfig: c.ToolConfig.wire()}
	if c.Messages != nil {
		w.Messages = &c.Messages
	}
	if c.Temperature != nil || c.TopP != nil || c.TopK != nil || c.MaxTokens != nil {
		w.Config = &LLMConfig{c.Temperature, c.MaxTokens, c.TopP, c.TopK}
	}
	return w
}

// wire returns the JSON form of r, as one candidate of the model; nil for nil.
func (r *LLMResponse) wire() *wireResponse {
	if r == nil {
		return nil
	}
	parts := r.Parts
	if parts == nil {
		parts = []string{}
	}
	return &wireResponse{
		Candidates:    []LLMCandidate{{Content: LLMContent{"model", parts}, FinishReason: r.FinishReason}},
		UsageMetadata: r.Usage,
		FunctionCalls: r.Calls,
	}
}

// MarshalJSON writes c as the value of llm_request. Messages is left out if it is nil,
// and an empty list is written. Tools never is.
func (c LLMRequestChange) MarshalJSON() ([]byte, error) { return Encode(c.wire()) }

// MarshalJSON writes r as the value of llm_response, with one candidate. Parts that are
// nil are written as an empty list, and VisibleOnly is left out.
func (r LLMResponse) MarshalJSON() ([]byte, error) { return Encode(r.wire()) }

// OutputType returns the type whose JSON form is the canonical answer, for schemas.
// [Output] itself is flat.
func OutputType() reflect.Type { return reflect.TypeFor[wireOutput]() }
