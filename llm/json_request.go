package llm

import (
	"encoding/json"
	"fmt"
)

// wireTools is an entry of tools: declarations, or one tool of the provider.
type wireTools struct {
	FunctionDeclarations []wireDeclaration `json:"functionDeclarations,omitempty"`
	GoogleSearch         *struct{}         `json:"googleSearch,omitempty"`
	URLContext           *struct{}         `json:"urlContext,omitempty"`
}

// wireDeclaration is a functionDeclaration. The schema is sent as it is, in JSON
// Schema.
type wireDeclaration struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description,omitempty"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

// wireFunctionCalling is a functionCallingConfig.
type wireFunctionCalling struct {
	Mode                 ToolMode `json:"mode,omitempty"`
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty"`
}

// wireGeneration is the generationConfig.
type wireGeneration struct {
	Temperature        *float64        `json:"temperature,omitempty"`
	TopP               *float64        `json:"topP,omitempty"`
	TopK               *float64        `json:"topK,omitempty"`
	MaxOutputTokens    *int            `json:"maxOutputTokens,omitempty"`
	StopSequences      []string        `json:"stopSequences,omitempty"`
	Seed               *int            `json:"seed,omitempty"`
	PresencePenalty    *float64        `json:"presencePenalty,omitempty"`
	FrequencyPenalty   *float64        `json:"frequencyPenalty,omitempty"`
	ResponseMIMEType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	ThinkingConfig     *wireThinking   `json:"thinkingConfig,omitempty"`
}

// wireThinking is a thinkingConfig.
type wireThinking struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

// wireToolConfig is a toolConfig.
type wireToolConfig struct {
	FunctionCallingConfig wireFunctionCalling `json:"functionCallingConfig"`
}

// wireRequest is the body of generateContent and streamGenerateContent.
type wireRequest[P any] struct {
	Contents          []wireContent[P] `json:"contents"`
	SystemInstruction *wireContent[P]  `json:"systemInstruction,omitempty"`
	Tools             []wireTools      `json:"tools,omitempty"`
	ToolConfig        *wireToolConfig  `json:"toolConfig,omitempty"`
	GenerationConfig  *wireGeneration  `json:"generationConfig,omitempty"`
}

// MarshalJSON writes the body of a generateContent call. Ids are in their wire form. The
// model's name is not part of it, because the API has it in the URL, and neither is Role.
func (r Request) MarshalJSON() ([]byte, error) {
	w := wireRequest[any]{Contents: make([]wireContent[any], len(r.Messages)), GenerationConfig: r.Sampling.wire()}
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
		w.ToolConfig = &wireToolConfig{wireFunctionCalling{r.Choice.Mode, r.Choice.OnWire()}}
	}
	return json.Marshal(w)
}

// wireTools returns the list of tools: all declarations in one entry, and one for each
// tool of the provider.
func (r Request) wireTools() []wireTools {
	var tools []wireTools
	if len(r.Tools) > 0 {
		t := wireTools{}
		for _, s := range r.Tools {
			t.FunctionDeclarations = append(t.FunctionDeclarations, wireDeclaration{s.Name, s.Description, s.Parameters})
		}
		tools = append(tools, t)
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

// wire returns the generationConfig. It is never nil: an empty one is sent as {}.
func (s Sampling) wire() *wireGeneration {
	g := wireGeneration{
		Temperature: s.Temperature, TopP: s.TopP, TopK: s.TopK, MaxOutputTokens: s.MaxOutputTokens,
		StopSequences: s.StopSequences,
		Seed:          s.Seed, PresencePenalty: s.PresencePenalty, FrequencyPenalty: s.FrequencyPenalty,
	}
	if s.JSONSchema != nil {
		g.ResponseMIMEType, g.ResponseJSONSchema = "application/json", s.JSONSchema
	}
	if t := s.Thinking; t != nil {
		g.ThinkingConfig = &wireThinking{t.IncludeThoughts, t.Budget, t.Level}
	}
	return &g
}

// UnmarshalJSON reads the body of a generateContent call and replaces *r. Fields of the
// body that Request does not have are dropped; Model and Role stay empty. The texts of
// the system instruction are joined without a separator.
func (r *Request) UnmarshalJSON(data []byte) error {
	var w wireRequest[wirePart]
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading request: %w", err)
	}
	*r = Request{Sampling: w.GenerationConfig.sampling()}
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
		c := w.ToolConfig.FunctionCallingConfig
		r.Choice = ToolChoice{Mode: c.Mode, Allowed: c.AllowedFunctionNames}
	}
	return nil
}

// readTools is the inverse of wireTools. Tools of the provider that [Builtins] does not
// have are dropped.
func (r *Request) readTools(tools []wireTools) {
	for _, t := range tools {
		for _, d := range t.FunctionDeclarations {
			r.Tools = append(r.Tools, ToolSpec{d.Name, d.Description, d.ParametersJSONSchema})
		}
		r.Builtins.GoogleSearch = r.Builtins.GoogleSearch || t.GoogleSearch != nil
		r.Builtins.URLContext = r.Builtins.URLContext || t.URLContext != nil
	}
}

// sampling is the inverse of wire; nil sets nothing.
func (g *wireGeneration) sampling() Sampling {
	if g == nil {
		return Sampling{}
	}
	s := Sampling{
		Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK, MaxOutputTokens: g.MaxOutputTokens,
		StopSequences: g.StopSequences, JSONSchema: g.ResponseJSONSchema,
		Seed: g.Seed, PresencePenalty: g.PresencePenalty, FrequencyPenalty: g.FrequencyPenalty,
	}
	if t := g.ThinkingConfig; t != nil {
		s.Thinking = &Thinking{t.IncludeThoughts, t.ThinkingBudget, t.ThinkingLevel}
	}
	return s
}
