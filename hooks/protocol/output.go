package protocol

import "reflect"

// Output is a hook's answer: what a hook of the SDK returns, and what the
// engine makes of every accepted spelling. The zero Output says nothing: go on.
// It is written as the canonical JSON of the wire.
type Output struct {
	Stop           bool // "continue": false
	StopReason     string
	Decision       string // Deny, Ask, Allow, or "": none
	Reason         string // to the model
	SystemMessage  string // to the user
	SuppressOutput bool   // hides SystemMessage and the hook's line in the terminal

	AdditionalContext string
	UpdatedOutput     *string        // what the model reads in place of a tool's output; nil: that
	ToolInput         map[string]any // merged over the arguments, nil values delete; nil: unchanged
	WholeToolInput    bool           // ToolInput replaces the arguments (Claude Code's updatedInput)
	LLMRequest        *LLMRequestChange
	LLMResponse       *LLMResponse // nil: none
	ToolConfig        *ToolConfig  // nil: none
	ClearContext      bool
	TailToolCall      *TailToolCall // nil: none
}

// The values of Output.Decision. On the wire "block" is read as Deny and
// "approve" as Allow.
const (
	Deny  = "deny"
	Ask   = "ask"
	Allow = "allow"
)

// DenyBecause is an Output that denies.
func DenyBecause(reason string) Output { return Output{Decision: Deny, Reason: reason} }

// StopBecause is an Output that ends the run.
func StopBecause(reason string) Output { return Output{Stop: true, StopReason: reason} }

// TailToolCall asks for another tool to be run, its result to take the place of
// the first one's.
type TailToolCall struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

// ToolConfig narrows or forces tools.
type ToolConfig struct {
	Mode                 string   `json:"mode,omitempty" jsonschema:"AUTO, ANY (at least one call) or NONE; absent: AUTO"`
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty" jsonschema:"the tools it may call; empty: all"`
}

// LLMRequestChange is what a BeforeModel hook changes of a request; absent
// fields stay. It is written as llm_request.
type LLMRequestChange struct {
	Model       string       // empty: unchanged
	Messages    []LLMMessage // nil: unchanged; empty: all removed
	Temperature *float64
	TopP        *float64
	TopK        *float64
	MaxTokens   *int
	ToolConfig  *ToolConfig
	Tools       []string // as echoed; tools are narrowed by ToolConfig, not here
}

// LLMResponse is a synthetic or replacing answer.
type LLMResponse struct {
	Parts        []string // text parts; empty: blank
	VisibleOnly  bool     // it came as "text" alone: thoughts are not meant
	Calls        []LLMCall
	FinishReason string
	Usage        *LLMUsage
}

type wireOutput struct {
	Continue       *bool         `json:"continue,omitempty" jsonschema:"false ends the run"`
	StopReason     string        `json:"stopReason,omitempty" jsonschema:"why, with continue: false"`
	Decision       string        `json:"decision,omitempty" jsonschema:"deny (or block), ask, allow (or approve)"`
	Reason         string        `json:"reason,omitempty" jsonschema:"for the model"`
	SystemMessage  string        `json:"systemMessage,omitempty" jsonschema:"for the user"`
	SuppressOutput bool          `json:"suppressOutput,omitempty" jsonschema:"hide this hook's message and its line"`
	Specific       *wireSpecific `json:"hookSpecificOutput,omitempty"`
}

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

type wireRequest struct {
	Model      string          `json:"model,omitempty" jsonschema:"another model for this request"`
	Messages   *[]LLMMessage   `json:"messages,omitempty" jsonschema:"all of it; role system adds instructions"`
	Config     *LLMConfig      `json:"config,omitempty" jsonschema:"generation settings"`
	ToolConfig *wireToolConfig `json:"toolConfig,omitempty" jsonschema:"narrows or forces tools"`
}

type wireResponse struct {
	Candidates    []LLMCandidate `json:"candidates"`
	UsageMetadata *LLMUsage      `json:"usageMetadata,omitempty"`
	FunctionCalls []LLMCall      `json:"functionCalls,omitempty"`
}

// wireToolConfig writes the list also where it is empty, as upstream does.
type wireToolConfig struct {
	Mode                 string   `json:"mode,omitempty" jsonschema:"AUTO, ANY (at least one call) or NONE"`
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitzero" jsonschema:"the tools it may call; empty: all"`
}

// MarshalJSON writes o as a hook prints it.
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

func (s wireSpecific) said() bool {
	return s.AdditionalContext != "" || s.UpdatedOutput != nil || len(s.ToolInput) > 0 || s.LLMRequest != nil ||
		s.LLMResponse != nil ||
		s.ToolConfig != nil || s.ClearContext || s.TailToolCall != nil
}

func (t *ToolConfig) wire() *wireToolConfig {
	if t == nil {
		return nil
	}
	return &wireToolConfig{t.Mode, t.AllowedFunctionNames}
}

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

// MarshalJSON writes c as llm_request.
func (c LLMRequestChange) MarshalJSON() ([]byte, error) { return Encode(c.wire()) }

// MarshalJSON writes r as llm_response.
func (r LLMResponse) MarshalJSON() ([]byte, error) { return Encode(r.wire()) }

// OutputType is the type whose JSON form is the canonical answer, for schemas.
func OutputType() reflect.Type { return reflect.TypeFor[wireOutput]() }
