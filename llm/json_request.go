package llm

import (
	"encoding/json"
	"fmt"
)

type wireTools struct {
	FunctionDeclarations []wireDeclaration `json:"functionDeclarations,omitempty"`
	GoogleSearch         *struct{}         `json:"googleSearch,omitempty"`
	URLContext           *struct{}         `json:"urlContext,omitempty"`
}

type wireDeclaration struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description,omitempty"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type wireFunctionCalling struct {
	Mode                 ToolMode `json:"mode,omitempty"`
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty"`
}

type wireGeneration struct {
	Temperature        *float64        `json:"temperature,omitempty"`
	TopP               *float64        `json:"topP,omitempty"`
	TopK               *float64        `json:"topK,omitempty"`
	MaxOutputTokens    *int            `json:"maxOutputTokens,omitempty"`
	StopSequences      []string        `json:"stopSequences,omitempty"`
	ResponseMIMEType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	ThinkingConfig     *wireThinking   `json:"thinkingConfig,omitempty"`
}

type wireThinking struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

type wireToolConfig struct {
	FunctionCallingConfig wireFunctionCalling `json:"functionCallingConfig"`
}

type wireRequest struct {
	Contents          []wireContent   `json:"contents"`
	SystemInstruction *wireContent    `json:"systemInstruction,omitempty"`
	Tools             []wireTools     `json:"tools,omitempty"`
	ToolConfig        *wireToolConfig `json:"toolConfig,omitempty"`
	GenerationConfig  *wireGeneration `json:"generationConfig,omitempty"`
}

// MarshalJSON writes the body of a generateContent call: what goes over the
// wire, ids in their wire form, the model's name left out (it is in the URL).
func (r Request) MarshalJSON() ([]byte, error) {
	w := wireRequest{Contents: make([]wireContent, len(r.Messages)), GenerationConfig: r.Sampling.wire()}
	for i, m := range r.Messages {
		w.Contents[i] = wireContent{Parts: wireParts(OnWire(m).Parts), Role: m.Role}
	}
	if r.System != "" {
		w.SystemInstruction = &wireContent{Parts: []wirePart{toWire(Text{Text: r.System})}, Role: RoleUser}
	}
	if len(r.Tools) > 0 {
		t := wireTools{}
		for _, s := range r.Tools {
			t.FunctionDeclarations = append(t.FunctionDeclarations, wireDeclaration{s.Name, s.Description, s.Parameters})
		}
		w.Tools = append(w.Tools, t)
	}
	if r.Builtins.GoogleSearch {
		w.Tools = append(w.Tools, wireTools{GoogleSearch: &struct{}{}})
	}
	if r.Builtins.URLContext {
		w.Tools = append(w.Tools, wireTools{URLContext: &struct{}{}})
	}
	if r.Choice.Mode != ToolModeUnset {
		w.ToolConfig = &wireToolConfig{wireFunctionCalling{r.Choice.Mode, r.Choice.OnWire()}}
	}
	return json.Marshal(w)
}

// OnWire returns the names that may be sent: the API takes them together with
// mode ANY alone. In the other modes the declarations themselves have to be
// narrowed.
func (c ToolChoice) OnWire() []string {
	if c.Mode != ToolModeAny {
		return nil
	}
	return c.Allowed
}

func (s Sampling) wire() *wireGeneration {
	g := wireGeneration{Temperature: s.Temperature, TopP: s.TopP, TopK: s.TopK, MaxOutputTokens: s.MaxOutputTokens, StopSequences: s.StopSequences}
	if s.JSONSchema != nil {
		g.ResponseMIMEType, g.ResponseJSONSchema = "application/json", s.JSONSchema
	}
	if t := s.Thinking; t != nil {
		g.ThinkingConfig = &wireThinking{t.IncludeThoughts, t.Budget, t.Level}
	}
	return &g
}

// UnmarshalJSON reads the body of a generateContent call. What Request has no
// field for is left out; Model and Role stay empty.
func (r *Request) UnmarshalJSON(data []byte) error {
	var w wireRequest
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading request: %w", err)
	}
	*r = Request{Sampling: w.GenerationConfig.sampling()}
	for _, c := range w.Contents {
		m := Message{Role: c.Role}
		for _, p := range c.Parts {
			m.Parts = append(m.Parts, fromWire(p))
		}
		r.Messages = append(r.Messages, m)
	}
	if w.SystemInstruction != nil {
		for _, p := range w.SystemInstruction.Parts {
			if p.Text != nil {
				r.System += *p.Text
			}
		}
	}
	for _, t := range w.Tools {
		for _, d := range t.FunctionDeclarations {
			r.Tools = append(r.Tools, ToolSpec{d.Name, d.Description, d.ParametersJSONSchema})
		}
		r.Builtins.GoogleSearch = r.Builtins.GoogleSearch || t.GoogleSearch != nil
		r.Builtins.URLContext = r.Builtins.URLContext || t.URLContext != nil
	}
	if w.ToolConfig != nil {
		c := w.ToolConfig.FunctionCallingConfig
		r.Choice = ToolChoice{Mode: c.Mode, Allowed: c.AllowedFunctionNames}
	}
	return nil
}

func (g *wireGeneration) sampling() Sampling {
	if g == nil {
		return Sampling{}
	}
	s := Sampling{
		Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK, MaxOutputTokens: g.MaxOutputTokens,
		StopSequences: g.StopSequences, JSONSchema: g.ResponseJSONSchema,
	}
	if t := g.ThinkingConfig; t != nil {
		s.Thinking = &Thinking{t.IncludeThoughts, t.ThinkingBudget, t.ThinkingLevel}
	}
	return s
}
