package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
)

// LLMRequest is a request to the model as hooks read it (core/hooks/hookTranslator.ts).
// Unlike Gemini CLI's it has parts that are not text, the names of the tools, and
// toolConfig.
type LLMRequest struct {
	// Model is the name of the model that is asked.
	Model string `json:"model"`
	// Messages is the conversation, the oldest message first, without the system
	// instruction.
	Messages []LLMMessage `json:"messages"`
	// Config holds the generation settings that are set.
	Config LLMConfig `json:"config"`
	// Tools names the tools that are declared. BeforeToolSelection reads those that are
	// left.
	Tools []string `json:"tools,omitempty" jsonschema:"names of the tools offered"`
	// ToolConfig is nil if the model is free to call any tool or none.
	ToolConfig *ToolConfig `json:"toolConfig,omitempty" jsonschema:"how free the model is to call tools; absent: free"`
}

// LLMConfig holds the generation settings that hooks see and change. A nil setting is
// left to the provider.
type LLMConfig struct {
	// Temperature is usually from 0 to 2; the provider decides what is valid.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxOutputTokens bounds the answer, thoughts included. A hook's value must be a
	// whole number from 1.
	MaxOutputTokens *int `json:"maxOutputTokens,omitempty"`
	// TopP is the probability mass to sample from, from 0 to 1.
	TopP *float64 `json:"topP,omitempty"`
	// TopK is the number of candidates to sample from. It is a float because Gemini's API
	// has it so.
	TopK *float64 `json:"topK,omitempty"`
}

// LLMMessage is one message of llm_request. Either Text or Parts is used: Text if Parts
// is nil. On the wire the content is a string or an array of parts.
type LLMMessage struct {
	// Role is "user", "model" or, only in a hook's answer, "system".
	Role string
	// Text is the content of a message that is only text.
	Text string
	// Parts is the content of any other message. An empty, non-nil list is a message
	// without content.
	Parts []LLMPart
}

// LLMPart is one part of a message that is more than text. Which fields are used depends
// on Type: Text for text; Name, Args and ID for function_call; Name, Response and ID for
// function_response; MIMEType and Bytes for inline_data; MIMEType and FileURI for
// file_data. The data of inline_data is never sent to hooks.
type LLMPart struct {
	Type string `json:"type" jsonschema:"text, function_call, function_response, inline_data or file_data"`
	// Text is the text of a part of the type "text".
	Text string `json:"text,omitempty"`
	// Name is the tool of a call or a result.
	Name string `json:"name,omitempty"`
	// Args are the arguments of a function_call.
	Args map[string]any `json:"args,omitempty"`
	// Response is the result of a function_response, usually with the key "output" or
	// "error".
	Response map[string]any `json:"response,omitempty"`
	// ID joins a call and its result. It is the id that the model sees.
	ID string `json:"id,omitempty"`
	// MIMEType is the type of inline data or of a file, such as "image/png".
	MIMEType string `json:"mimeType,omitempty"`
	// FileURI is the address of a file at the provider.
	FileURI string `json:"fileUri,omitempty"`
	Bytes   int    `json:"bytes,omitempty" jsonschema:"size of inline data"`
}

// The values of [LLMPart.Type].
const (
	// PartText is text.
	PartText = "text"
	// PartFunctionCall is a tool call by the model.
	PartFunctionCall = "function_call"
	// PartFunctionResponse is the result of a tool call.
	PartFunctionResponse = "function_response"
	// PartInlineData is a file in the message, such as an image. Hooks see its type and
	// size only, and cannot add one.
	PartInlineData = "inline_data"
	// PartFileData is a reference to a file.
	PartFileData = "file_data"
)

// MarshalJSON writes the fields of p's type, empty ones too, because hooks rely on them.
// A nil Args or Response is written as {}.
func (p LLMPart) MarshalJSON() ([]byte, error) {
	object := func(m map[string]any) map[string]any {
		if m == nil {
			return map[string]any{}
		}
		return m
	}
	switch p.Type {
	case PartText:
		return Encode(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{p.Type, p.Text})
	case PartFunctionCall:
		return Encode(struct {
			Type string         `json:"type"`
			Name string         `json:"name"`
			Args map[string]any `json:"args"`
			ID   string         `json:"id,omitempty"`
		}{p.Type, p.Name, object(p.Args), p.ID})
	case PartFunctionResponse:
		return Encode(struct {
			Type     string         `json:"type"`
			Name     string         `json:"name"`
			Response map[string]any `json:"response"`
			ID       string         `json:"id,omitempty"`
		}{p.Type, p.Name, object(p.Response), p.ID})
	}
	type plain LLMPart
	return Encode(plain(p))
}

// Content returns the text of m in either form. Texts of several parts are joined without
// a separator.
func (m LLMMessage) Content() string {
	if m.Parts == nil {
		return m.Text
	}
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// MarshalJSON writes {"role", "content"}. The content is the array of Parts unless
// Parts is nil, else the string Text.
func (m LLMMessage) MarshalJSON() ([]byte, error) {
	if m.Parts != nil {
		return Encode(struct {
			Role    string    `json:"role"`
			Content []LLMPart `json:"content"`
		}{m.Role, m.Parts})
	}
	return Encode(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{m.Role, m.Text})
}

// UnmarshalJSON reads what MarshalJSON writes. It is for programs that read payloads;
// what hooks print is read more leniently, by [Dialect.Parse]. A content that is
// missing leaves Text empty and Parts nil; an empty array makes Parts empty and not
// nil.
func (m *LLMMessage) UnmarshalJSON(data []byte) error {
	var w struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading message: %w", err)
	}
	*m = LLMMessage{Role: w.Role}
	if len(w.Content) > 0 && w.Content[0] == '[' {
		m.Parts = []LLMPart{}
		return json.Unmarshal(w.Content, &m.Parts)
	}
	if len(w.Content) == 0 {
		return nil
	}
	return json.Unmarshal(w.Content, &m.Text)
}

// LLMChunk is a piece of the model's answer as AfterModel hooks read it.
type LLMChunk struct {
	Text string `json:"text" jsonschema:"the text of the chunk, thoughts left out"`
	// Candidates has exactly one element.
	Candidates []LLMCandidate `json:"candidates"`
	// UsageMetadata is nil if the provider sent no counts with this chunk.
	UsageMetadata *LLMUsage `json:"usageMetadata,omitempty"`
	FunctionCalls []LLMCall `json:"functionCalls,omitempty" jsonschema:"the calls that the chunk asks for"`
}

// LLMCandidate is the one candidate of an [LLMChunk].
type LLMCandidate struct {
	// Content is what the model said, or the hook instead of it.
	Content LLMContent `json:"content"`
	// FinishReason is the provider's word, such as "STOP"; usually only the last chunk
	// has one.
	FinishReason string `json:"finishReason,omitempty"`
	// Index is 0: there is one candidate.
	Index int `json:"index"`
	// SafetyRatings are the provider's; nil if it sent none.
	SafetyRatings []LLMSafetyRating `json:"safetyRatings,omitempty"`
}

// LLMContent is the text of a candidate. Function calls are not among its parts.
type LLMContent struct {
	// Role is "model".
	Role string `json:"role"`
	// Parts are the texts of the chunk in order, thoughts included.
	Parts []string `json:"parts" jsonschema:"texts; thoughts among them"`
}

// LLMSafetyRating is a safety verdict of the provider, in its own words.
type LLMSafetyRating struct {
	// Category is, for example, "HARM_CATEGORY_HARASSMENT".
	Category string `json:"category"`
	// Probability is, for example, "NEGLIGIBLE".
	Probability string `json:"probability"`
}

// LLMCall is a function call by the model.
type LLMCall struct {
	// Name is the name of the tool.
	Name string `json:"name"`
	// Args is never null in payloads.
	Args map[string]any `json:"args"`
	// ID is the id that the call's result will have; may be empty in a hook's answer.
	ID string `json:"id,omitempty"`
}

// LLMUsage holds the token counts of llm_response.usageMetadata. 0 means that the
// provider did not say.
type LLMUsage struct {
	// PromptTokenCount counts the request's tokens.
	PromptTokenCount int `json:"promptTokenCount,omitempty"`
	// CandidatesTokenCount counts the answer's tokens so far.
	CandidatesTokenCount int `json:"candidatesTokenCount,omitempty"`
	// TotalTokenCount is the provider's sum, which may include thoughts.
	TotalTokenCount int `json:"totalTokenCount,omitempty"`
}
