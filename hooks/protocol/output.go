package protocol

// Output is a hook's answer after reading: every accepted spelling has become
// one of these fields. The zero Output says nothing.
type Output struct {
	Stop           bool // "continue": false
	StopReason     string
	Decision       string // "deny", "ask", "allow"; "": none ("block" and "approve" are read as deny and allow)
	Reason         string
	SystemMessage  string
	SuppressOutput bool

	AdditionalContext string
	ToolInput         map[string]any // merged over the arguments, nil values delete; nil: unchanged
	LLMRequest        *LLMRequestChange
	LLMResponse       *LLMResponse // nil: none
	ToolConfig        *ToolConfig  // nil: none
	ClearContext      bool
	TailToolCall      *TailToolCall // nil: none
}

// TailToolCall asks for another tool to be run, its result to take the place of
// the first one's.
type TailToolCall struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

// ToolConfig narrows or forces tools.
type ToolConfig struct {
	Mode                 string   `json:"mode,omitempty"` // "AUTO", "ANY", "NONE"; empty: not said
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty"`
}

// LLMRequestChange is what a BeforeModel hook changes of a request; absent
// fields stay.
type LLMRequestChange struct {
	Model       string       // empty: unchanged
	Messages    []LLMMessage // nil: unchanged; empty: all removed
	Temperature *float64
	TopP        *float64
	TopK        *float64
	MaxTokens   *int
	ToolConfig  *ToolConfig
}

// LLMMessage is one message of llm_request. Exactly one of Text and Parts is
// used: Text where Parts is nil.
type LLMMessage struct {
	Role  string // "user", "model", "system"
	Text  string
	Parts []LLMPart
}

// LLMPart is one part of a message that is more than text.
type LLMPart struct {
	Type     string         `json:"type"` // "text", "function_call", "function_response", "inline_data"
	Text     string         `json:"text,omitempty"`
	Name     string         `json:"name,omitempty"`
	ID       string         `json:"id,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
	Response map[string]any `json:"response,omitempty"`
	MIMEType string         `json:"mimeType,omitempty"`
	Bytes    int            `json:"bytes,omitempty"` // size of inline_data
}

// LLMResponse is a synthetic or replacing answer.
type LLMResponse struct {
	Parts        []string // text parts; empty: blank
	FinishReason string
	Usage        *LLMUsage
}

// LLMUsage are the token counts of llm_response.usageMetadata.
type LLMUsage struct {
	PromptTokenCount     int `json:"promptTokenCount,omitempty"`
	CandidatesTokenCount int `json:"candidatesTokenCount,omitempty"`
	TotalTokenCount      int `json:"totalTokenCount,omitempty"`
}
