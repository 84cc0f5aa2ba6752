package llm

import (
	"encoding/json"
	"fmt"
)

// wireTools is an entry of tools: declarations, or one tool of the provider.
type wireTools struct {
	FunctionDeclarations []ToolSpec `json:"functionDeclarations,omitempty"`
	GoogleSearch         *struct{}  `json:"googleSearch,omitempty"`
	URLContext           *struct{}  `json:"urlContext,omitempty"`
}

// wireGeneration is the generationConfig.
type wireGeneration struct {
	ResponseMIMEType string `json:"responseMimeType,omitempty"`
	Sampling
}

// wireToolConfig is a toolConfig.
type wireToolConfig struct {
	FunctionCallingConfig ToolChoice `json:"functionCallingConfig"`
}

// wireRequest is the body of generateContent and streamGenerateContent.
type wireRequest[P any] struct {
	Contents          []wireContent[P] `json:"contents"`
	SystemInstruction *wireContent[P]  `json:"systemInstruction,omitempty"`
	Tools             []wireTools      `json:"tools,omitempty"`
	ToolConfig        *wireToolConfig  `json:"toolConfig,omitempty"`
	GenerationConfig  wireGeneration   `json:"generationConfig"`
}

// MarshalJSON writes the body of a generateContent call. Ids are in their wire form. The
// model's name is not part of it, because the API has it in the URL, and neither is Role.
func (r Request) MarshalJSON() ([]byte, error) {
	w := wireRequest[any]{Contents: make([]wireContent[any], len(r.Messages))}
	if w.GenerationConfig.Sampling = r.Sampling; r.Sampling.JSONSchema != nil {
		w.GenerationConfig.ResponseMIMEType = "application/json"
	}
	for i, m := range r.Messages {
		parts, err := wireParts(OnWire(m).Parts)
		if err != nil {
			return nil, err
		}
		w.Contents[i] = wireContent[any]{Parts: parts, Role: m.Role}
	}
	if r.System != "" {
		w.SystemInstruction = &wireContent[any]{Parts: []any{wirePart{Text: &r.System}}, Role: RoleUser}
	}
	w.Tools = r.wireTools()
	if r.Choice.Mode != ToolModeUnset {
		w.ToolConfig = &wireToolConfig{ToolChoice{r.Choice.Mode, r.Choice.OnWire()}}
	}
	return json.Marshal(w)
}

// wireTools returns the list of tools: all declarations in one entry, and one for each
// tool of the provider.
func (r Request) wireTools() []wireTools {
	var tools []wireTools
	if len(r.Tools) > 0 {
		tools = append(tools, wireTools{FunctionDeclarations: r.Tools})
	}
	if r.Builtins.GoogleSearch {
		tools = append(tools, wireTools{GoogleSearch: &struct{}{}})
	}
	if r.Builtins.URLContext {
		tools = append(tools, wireTools{URLContext: &struct{}{}})
	}
	return tools
}

// OnWire returns the names to send as allowedFunctionNames: Allowed with [ToolModeAny],
// else nil, because the API accepts the list in no other mode. For the other modes the
// declarations themselves have to be narrowed.
func (c ToolChoice) OnWire() []string {
	if c.Mode != ToolModeAny {
		return nil
	}
	return c.Allowed
}

// UnmarshalJSON reads the body of a generateContent call and replaces *r. Fields of the
// body that Request does not have are dropped; Model and Role stay empty. The texts of
// the system instruction are joined without a separator.
func (r *Request) UnmarshalJSON(data []byte) error {
	var w wireRequest[wirePart]
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading request: %w", err)
	}
	*r = Request{Sampling: w.GenerationConfig.Sampling}
	for _, c := range w.Contents {
		parts, err := partsOf(c.Parts)
		if err != nil {
			return fmt.Errorf("reading request: %w", err)
		}
		r.Messages = append(r.Messages, Message{Role: c.Role, Parts: parts})
	}
	if w.SystemInstruction != nil {
		for _, p := range w.SystemInstruction.Parts {
			if p.Text != nil {
				r.System += *p.Text
			}
		}
	}
	r.readTools(w.Tools)
	if w.ToolConfig != nil {
		r.Choice = w.ToolConfig.FunctionCallingConfig
	}
	return nil
}

// readTools is the inverse of wireTools. Tools of the provider that [Builtins] does not
// have are dropped.
func (r *Request) readTools(tools []wireTools) {
	for _, t := range tools {
		r.Tools = append(r.Tools, t.FunctionDeclarations...)
		r.Builtins.GoogleSearch = r.Builtins.GoogleSearch || t.GoogleSearch != nil
		r.Builtins.URLContext = r.Builtins.URLContext || t.URLContext != nil
	}
}
