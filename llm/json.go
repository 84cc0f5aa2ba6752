package llm

import (
	"encoding/json"
	"fmt"
	"maps"
)

// The wire structs below are the Gemini API's REST shapes.

type wirePart struct {
	Text             *string         `json:"text,omitempty"`
	Thought          bool            `json:"thought,omitempty"`
	FunctionCall     *wireCall       `json:"functionCall,omitempty"`
	FunctionResponse *wireResult     `json:"functionResponse,omitempty"`
	InlineData       *wireBlob       `json:"inlineData,omitempty"`
	FileData         *wireFile       `json:"fileData,omitempty"`
	ThoughtSignature []byte          `json:"thoughtSignature,omitempty"`
	rest             json.RawMessage // the whole part, where none of the above is set
}

type wireCall struct {
	ID   string         `json:"id,omitempty"`
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"`
}

type wireResult struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
	Parts    []wirePart     `json:"parts,omitempty"`
}

type wireBlob struct {
	MIMEType    string `json:"mimeType"`
	Data        []byte `json:"data"`
	DisplayName string `json:"displayName,omitempty"`
}

type wireFile struct {
	MIMEType string `json:"mimeType,omitempty"`
	FileURI  string `json:"fileUri"`
}

type wireContent struct {
	Parts []wirePart `json:"parts"`
	Role  Role       `json:"role,omitempty"`
}

type wireUsage struct {
	Prompt     int `json:"promptTokenCount,omitempty"`
	Candidates int `json:"candidatesTokenCount,omitempty"`
	Total      int `json:"totalTokenCount,omitempty"`
	Cached     int `json:"cachedContentTokenCount,omitempty"`
	Thoughts   int `json:"thoughtsTokenCount,omitempty"`
	ToolUse    int `json:"toolUsePromptTokenCount,omitempty"`
}

type wireCandidate struct {
	Content            *wireContent    `json:"content,omitempty"`
	FinishReason       string          `json:"finishReason,omitempty"`
	FinishMessage      string          `json:"finishMessage,omitempty"`
	Index              int             `json:"index"`
	SafetyRatings      []SafetyRating  `json:"safetyRatings,omitempty"`
	GroundingMetadata  json.RawMessage `json:"groundingMetadata,omitempty"`
	CitationMetadata   json.RawMessage `json:"citationMetadata,omitempty"`
	URLContextMetadata json.RawMessage `json:"urlContextMetadata,omitempty"`
}

type wireResponse struct {
	Candidates     []wireCandidate `json:"candidates,omitempty"`
	PromptFeedback *struct {
		BlockReason string `json:"blockReason,omitempty"`
	} `json:"promptFeedback,omitempty"`
	UsageMetadata *wireUsage `json:"usageMetadata,omitempty"`
	ModelVersion  string     `json:"modelVersion,omitempty"`
	ResponseID    string     `json:"responseId,omitempty"`
}

func (p wirePart) MarshalJSON() ([]byte, error) {
	if p.rest != nil {
		return p.rest, nil
	}
	type plain wirePart
	return json.Marshal(plain(p))
}

func (p *wirePart) UnmarshalJSON(data []byte) error {
	type plain wirePart
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return err
	}
	if p.Text == nil && p.FunctionCall == nil && p.FunctionResponse == nil && p.InlineData == nil && p.FileData == nil {
		p.rest = append(json.RawMessage(nil), data...)
	}
	return nil
}

func toWire(p Part) wirePart {
	switch p := p.(type) {
	case Text:
		return wirePart{Text: &p.Text, ThoughtSignature: p.Signature}
	case Thought:
		return wirePart{Text: &p.Text, Thought: true, ThoughtSignature: p.Signature}
	case Blob:
		return wirePart{InlineData: &wireBlob{p.MIMEType, p.Data, p.Name}}
	case FileRef:
		return wirePart{FileData: &wireFile{p.MIMEType, p.URI}}
	case ToolCall:
		return wirePart{FunctionCall: &wireCall{p.ID, p.Name, p.Args}, ThoughtSignature: p.Signature}
	case ToolResult:
		r := &wireResult{ID: p.ID, Name: p.Name, Response: p.Response}
		for _, q := range p.Parts {
			r.Parts = append(r.Parts, toWire(q))
		}
		return wirePart{FunctionResponse: r}
	case Opaque:
		return wirePart{rest: p.JSON}
	}
	panic(fmt.Sprintf("unreachable: part of type %T", p))
}

func fromWire(w wirePart) Part {
	switch {
	case w.FunctionCall != nil:
		return ToolCall{ID: w.FunctionCall.ID, Name: w.FunctionCall.Name, Args: w.FunctionCall.Args, Signature: w.ThoughtSignature}
	case w.FunctionResponse != nil:
		r := ToolResult{ID: w.FunctionResponse.ID, Name: w.FunctionResponse.Name, Response: w.FunctionResponse.Response}
		for _, q := range w.FunctionResponse.Parts {
			r.Parts = append(r.Parts, fromWire(q))
		}
		return r
	case w.InlineData != nil:
		return Blob{MIMEType: w.InlineData.MIMEType, Data: w.InlineData.Data, Name: w.InlineData.DisplayName}
	case w.FileData != nil:
		return FileRef{MIMEType: w.FileData.MIMEType, URI: w.FileData.FileURI}
	case w.Text != nil && w.Thought:
		return Thought{Text: *w.Text, Signature: w.ThoughtSignature}
	case w.Text != nil:
		return Text{Text: *w.Text, Signature: w.ThoughtSignature}
	}
	return Opaque{JSON: w.rest}
}

func wireParts(parts []Part) []wirePart {
	out := make([]wirePart, len(parts))
	for i, p := range parts {
		out[i] = toWire(p)
	}
	return out
}

// MarshalPart writes p as the API does.
func MarshalPart(p Part) ([]byte, error) { return json.Marshal(toWire(p)) }

// UnmarshalPart reads one part; one of an unknown kind becomes Opaque.
func UnmarshalPart(data []byte) (Part, error) {
	var w wirePart
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("reading part: %w", err)
	}
	return fromWire(w), nil
}

// MarshalParts writes a JSON array of parts; nil is written as [].
func MarshalParts(parts []Part) ([]byte, error) { return json.Marshal(wireParts(parts)) }

// UnmarshalParts reads a JSON array of parts.
func UnmarshalParts(data []byte) ([]Part, error) {
	var ws []wirePart
	if err := json.Unmarshal(data, &ws); err != nil {
		return nil, fmt.Errorf("reading parts: %w", err)
	}
	parts := make([]Part, len(ws))
	for i, w := range ws {
		parts[i] = fromWire(w)
	}
	return parts, nil
}

// MarshalJSON writes m as a Content.
func (m Message) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireContent{Parts: wireParts(m.Parts), Role: m.Role})
}

// UnmarshalJSON reads a Content.
func (m *Message) UnmarshalJSON(data []byte) error {
	var w wireContent
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading content: %w", err)
	}
	m.Role, m.Parts = w.Role, nil
	for _, p := range w.Parts {
		m.Parts = append(m.Parts, fromWire(p))
	}
	return nil
}

// MarshalJSON writes c as a GenerateContentResponse of one candidate.
func (c Chunk) MarshalJSON() ([]byte, error) {
	w := wireResponse{ModelVersion: c.ModelVersion, ResponseID: c.ResponseID}
	if c.BlockReason != "" {
		w.PromptFeedback = &struct {
			BlockReason string `json:"blockReason,omitempty"`
		}{c.BlockReason}
	}
	if len(c.Parts) > 0 || c.FinishReason != "" || c.BlockReason == "" {
		w.Candidates = []wireCandidate{{
			Content:      &wireContent{Parts: wireParts(c.Parts), Role: RoleModel},
			FinishReason: c.FinishReason, FinishMessage: c.FinishMessage, Index: c.Index,
			SafetyRatings: c.SafetyRatings, GroundingMetadata: c.Grounding,
			CitationMetadata: c.Citations, URLContextMetadata: c.URLContext,
		}}
	}
	if u := c.Usage; u != nil {
		w.UsageMetadata = &wireUsage{u.Prompt, u.Candidates, u.Total, u.Cached, u.Thoughts, u.ToolUse}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a GenerateContentResponse; only its first candidate
// counts.
func (c *Chunk) UnmarshalJSON(data []byte) error {
	var w wireResponse
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading response: %w", err)
	}
	*c = Chunk{ModelVersion: w.ModelVersion, ResponseID: w.ResponseID}
	if w.PromptFeedback != nil {
		c.BlockReason = w.PromptFeedback.BlockReason
	}
	if u := w.UsageMetadata; u != nil {
		c.Usage = &Usage{u.Prompt, u.Candidates, u.Total, u.Cached, u.Thoughts, u.ToolUse}
	}
	if len(w.Candidates) == 0 {
		return nil
	}
	k := w.Candidates[0]
	c.FinishReason, c.FinishMessage, c.Index = k.FinishReason, k.FinishMessage, k.Index
	c.SafetyRatings, c.Grounding = k.SafetyRatings, k.GroundingMetadata
	c.Citations, c.URLContext = k.CitationMetadata, k.URLContextMetadata
	if k.Content != nil {
		for _, p := range k.Content.Parts {
			c.Parts = append(c.Parts, fromWire(p))
		}
	}
	return nil
}

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
	if r.Choice.Mode != ToolModeUnset || len(r.Choice.Allowed) > 0 {
		w.ToolConfig = &wireToolConfig{wireFunctionCalling{r.Choice.Mode, r.Choice.Allowed}}
	}
	return json.Marshal(w)
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

// OnWire returns m with the ids of calls and results in their wire form.
func OnWire(m Message) Message {
	parts := make([]Part, len(m.Parts))
	for i, p := range m.Parts {
		switch p := p.(type) {
		case ToolCall:
			p.ID = WireID(p.Name, p.ID)
			parts[i] = p
		case ToolResult:
			p.ID = WireID(p.Name, p.ID)
			parts[i] = p
		default:
			parts[i] = p
		}
	}
	return Message{Role: m.Role, Parts: parts}
}

// CloneArgs copies a call's arguments one level deep.
func CloneArgs(args map[string]any) map[string]any { return maps.Clone(args) }
