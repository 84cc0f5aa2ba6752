package llm

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// The wire structs are the Gemini API's REST shapes: parts, messages and
// answers here, requests in json_request.go. Their P is wirePart to read and
// any to write: a wirePart, or the raw JSON of an Opaque. A MarshalJSON of
// wirePart would do, but encoding/json goes through the output of each one
// again, and histories are long.

// wirePart is a Part: one of the pointers is set, or Text with Thought.
type wirePart struct {
	Text             *string         `json:"text,omitempty"`
	Thought          bool            `json:"thought,omitempty"`
	FunctionCall     *wireCall       `json:"functionCall,omitempty"`
	FunctionResponse *wireResult     `json:"functionResponse,omitempty"`
	InlineData       *Blob           `json:"inlineData,omitempty"`
	FileData         *FileRef        `json:"fileData,omitempty"`
	ThoughtSignature signature       `json:"thoughtSignature,omitempty"`
	rest             json.RawMessage // the whole part, if the fields above cannot hold it
}

// wireCall is a functionCall: a [ToolCall] as the API writes it.
type wireCall struct {
	ID        string         `json:"id,omitempty"`
	Name      string         `json:"name"`
	Args      map[string]any `json:"args,omitzero"`
	Signature []byte         `json:"-"`
}

// wireResult is a functionResponse. Its parts are blobs that belong to it.
type wireResult struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]any    `json:"response"`
	Parts    []json.RawMessage `json:"parts,omitempty"`
}

// wireContent is a Content: the form of messages and of the system instruction.
type wireContent[P any] struct {
	Parts []P  `json:"parts"`
	Role  Role `json:"role,omitempty"`
}

// wireCandidate is one answer of a response. The metadata of searches and citations is
// kept as it came.
type wireCandidate[P any] struct {
	Content            *wireContent[P] `json:"content,omitempty"`
	FinishReason       string          `json:"finishReason,omitempty"`
	FinishMessage      string          `json:"finishMessage,omitempty"`
	Index              int             `json:"index"`
	SafetyRatings      []SafetyRating  `json:"safetyRatings,omitempty"`
	GroundingMetadata  json.RawMessage `json:"groundingMetadata,omitempty"`
	CitationMetadata   json.RawMessage `json:"citationMetadata,omitempty"`
	URLContextMetadata json.RawMessage `json:"urlContextMetadata,omitempty"`
}

// wireResponse is a GenerateContentResponse: a chunk, or a whole answer.
type wireResponse[P any] struct {
	Candidates     []wireCandidate[P] `json:"candidates,omitempty"`
	PromptFeedback *struct {
		BlockReason string `json:"blockReason,omitempty"`
	} `json:"promptFeedback,omitempty"`
	UsageMetadata *Usage `json:"usageMetadata,omitempty"`
	ModelVersion  string `json:"modelVersion,omitempty"`
	ResponseID    string `json:"responseId,omitempty"`
}

// signature is base64, except for the one literal word that means an unknown signature.
// Scripts written by hand may have any string there, which is kept as it is.
type signature []byte

// MarshalJSON writes base64, or the literal word.
func (s signature) MarshalJSON() ([]byte, error) {
	if IsSkipSignature(s) {
		return json.Marshal(skipSignature)
	}
	return json.Marshal([]byte(s))
}

// UnmarshalJSON reads base64 of either alphabet, with or without padding; anything else
// is kept as its bytes.
func (s *signature) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("reading thoughtSignature: %w", err)
	}
	std := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	b, err := base64.RawStdEncoding.DecodeString(std)
	if err != nil {
		b = []byte(text)
	}
	*s = b
	return nil
}

// UnmarshalJSON keeps the whole part in rest if the fields do not hold all of it.
func (p *wirePart) UnmarshalJSON(data []byte) error {
	type plain wirePart
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return err
	}
	if !p.known(data) {
		p.rest = append(json.RawMessage(nil), data...)
	}
	return nil
}

// known reports whether the typed fields hold everything that data says. Media may have
// settings of their own, such as videoMetadata.
func (p *wirePart) known(data []byte) bool {
	switch {
	case p.Text != nil, p.FunctionCall != nil, p.FunctionResponse != nil:
		return true
	case p.InlineData == nil && p.FileData == nil:
		return false
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) != nil {
		return false
	}
	maps.DeleteFunc(keys, func(k string, _ json.RawMessage) bool {
		return k == "inlineData" || k == "fileData" || k == "thoughtSignature" && p.InlineData != nil
	})
	return len(keys) == 0
}

// toWire returns what encoding/json writes for p.
func toWire(p Part) (any, error) {
	switch p := p.(type) {
	case Text:
		return wirePart{Text: &p.Text, ThoughtSignature: p.Signature}, nil
	case Thought:
		return wirePart{Text: &p.Text, Thought: true, ThoughtSignature: p.Signature}, nil
	case Blob:
		if p.Data == nil {
			p.Data = []byte{}
		}
		return wirePart{InlineData: &p, ThoughtSignature: p.Signature}, nil
	case FileRef:
		return wirePart{FileData: &p}, nil
	case ToolCall:
		call := wireCall(p)
		return wirePart{FunctionCall: &call, ThoughtSignature: p.Signature}, nil
	case ToolResult:
		return resultToWire(p)
	case Opaque:
		return p.JSON, nil
	}
	panic(fmt.Sprintf("unreachable: part of type %T", p))
}

// resultToWire writes a result. The API requires a response, so that nil becomes {}.
func resultToWire(p ToolResult) (any, error) {
	r := &wireResult{ID: p.ID, Name: p.Name, Response: p.Response}
	if r.Response == nil {
		r.Response = map[string]any{}
	}
	for _, q := range p.Parts {
		data, err := MarshalPart(q)
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, data)
	}
	return wirePart{FunctionResponse: r}, nil
}

// fromWire is the inverse of toWire. A part without a known field is an [Opaque].
func fromWire(w wirePart) (Part, error) {
	switch {
	case w.rest != nil:
		return Opaque{JSON: w.rest}, nil
	case w.FunctionCall != nil:
		w.FunctionCall.Signature = w.ThoughtSignature
		return ToolCall(*w.FunctionCall), nil
	case w.FunctionResponse != nil:
		return resultFromWire(w.FunctionResponse)
	case w.InlineData != nil:
		w.InlineData.Signature = w.ThoughtSignature
		return *w.InlineData, nil
	case w.FileData != nil:
		return *w.FileData, nil
	case w.Text != nil && w.Thought:
		return Thought{Text: *w.Text, Signature: w.ThoughtSignature}, nil
	case w.Text != nil:
		return Text{Text: *w.Text, Signature: w.ThoughtSignature}, nil
	}
	return Opaque{JSON: json.RawMessage("{}")}, nil // null
}

// resultFromWire is the inverse of resultToWire.
func resultFromWire(w *wireResult) (Part, error) {
	r := ToolResult{ID: w.ID, Name: w.Name, Response: w.Response}
	for _, data := range w.Parts {
		q, err := UnmarshalPart(data)
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, q)
	}
	return r, nil
}

// wireParts returns a list that is never nil.
func wireParts(parts []Part) ([]any, error) {
	out := make([]any, len(parts))
	for i, p := range parts {
		w, err := toWire(p)
		if err != nil {
			return nil, err
		}
		out[i] = w
	}
	return out, nil
}

// partsOf returns nil for an empty list.
func partsOf(ws []wirePart) ([]Part, error) {
	var parts []Part
	for _, w := range ws {
		p, err := fromWire(w)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// MarshalPart writes p as the API does. A [Blob] without data and a [ToolResult]
// without a response are written with empty ones, because the API requires them. The
// error is encoding/json's, for arguments that JSON cannot hold.
func MarshalPart(p Part) ([]byte, error) {
	w, err := toWire(p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(w)
}

// UnmarshalPart reads one part. A part of an unknown kind becomes an [Opaque], and so
// does media with settings that [Blob] and [FileRef] have no field for; null becomes an
// [Opaque] of {}. Only invalid JSON and wrong types are errors.
func UnmarshalPart(data []byte) (Part, error) {
	var w wirePart
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("reading part: %w", err)
	}
	return fromWire(w)
}

// MarshalParts writes a JSON array of parts; nil is written as [].
func MarshalParts(parts []Part) ([]byte, error) {
	ws, err := wireParts(parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(ws)
}

// MarshalJSON writes m as a Content of the API. Ids keep the form of session files; see
// [OnWire].
func (m Message) MarshalJSON() ([]byte, error) {
	ws, err := wireParts(m.Parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(wireContent[any]{Parts: ws, Role: m.Role})
}

// UnmarshalJSON reads a Content of the API. Parts is nil if there are none.
func (m *Message) UnmarshalJSON(data []byte) error {
	var w wireContent[wirePart]
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading content: %w", err)
	}
	parts, err := partsOf(w.Parts)
	if err != nil {
		return fmt.Errorf("reading content: %w", err)
	}
	m.Role, m.Parts = w.Role, parts
	return nil
}

// MarshalJSON writes c as a GenerateContentResponse. It has one candidate, or none if the
// prompt was blocked and c says nothing else.
func (c Chunk) MarshalJSON() ([]byte, error) {
	parts, err := wireParts(c.Parts)
	if err != nil {
		return nil, err
	}
	w := wireResponse[any]{UsageMetadata: c.Usage, ModelVersion: c.ModelVersion, ResponseID: c.ResponseID}
	if c.BlockReason != "" {
		w.PromptFeedback = &struct {
			BlockReason string `json:"blockReason,omitempty"`
		}{c.BlockReason}
	}
	if len(c.Parts) > 0 || c.FinishReason != "" || c.BlockReason == "" {
		w.Candidates = []wireCandidate[any]{{
			Content:      &wireContent[any]{Parts: parts, Role: RoleModel},
			FinishReason: c.FinishReason, FinishMessage: c.FinishMessage, Index: c.Index,
			SafetyRatings: c.SafetyRatings, GroundingMetadata: c.Grounding,
			CitationMetadata: c.Citations, URLContextMetadata: c.URLContext,
		}}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a GenerateContentResponse. Only its first candidate counts, and
// what Chunk has no field for is dropped.
func (c *Chunk) UnmarshalJSON(data []byte) error {
	var w wireResponse[wirePart]
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading response: %w", err)
	}
	*c = Chunk{Usage: w.UsageMetadata, ModelVersion: w.ModelVersion, ResponseID: w.ResponseID}
	if w.PromptFeedback != nil {
		c.BlockReason = w.PromptFeedback.BlockReason
	}
	if len(w.Candidates) == 0 {
		return nil
	}
	k := w.Candidates[0]
	c.FinishReason, c.FinishMessage, c.Index = k.FinishReason, k.FinishMessage, k.Index
	c.SafetyRatings, c.Grounding = k.SafetyRatings, k.GroundingMetadata
	c.Citations, c.URLContext = k.CitationMetadata, k.URLContextMetadata
	if k.Content == nil {
		return nil
	}
	parts, err := partsOf(k.Content.Parts)
	if err != nil {
		return fmt.Errorf("reading response: %w", err)
	}
	c.Parts = parts
	return nil
}

// OnWire returns a copy of m with the ids of calls and results in the form that the API
// gets, without the prefix of session files. It does not change m.
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
