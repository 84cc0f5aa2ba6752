package gemini

import (
	"encoding/json"

	"google.golang.org/genai"

	"minigem/llm"
)

// optionsOf makes genai send the JSON that llm writes for req instead of a body of
// genai's own types: those lose the order of a schema's properties, unknown
// parts, and the empty text that carries a signature, and they copy the whole
// history three times.
func optionsOf(fields map[string]any) *genai.HTTPOptions {
	return &genai.HTTPOptions{ExtrasRequestProvider: func(map[string]any) map[string]any { return fields }}
}

// fieldsOf returns the fields of a generateContent body as JSON.
func fieldsOf(req llm.Request) (map[string]any, error) {
	var raw map[string]json.RawMessage
	data, err := req.MarshalJSON() // json.Marshal would scan it again
	if err == nil {
		err = json.Unmarshal(data, &raw)
	}
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrInvalid, Message: "the request cannot be written as JSON",
			Hint: "look at the hooks that change requests or arguments", Err: err}
	}
	fields := make(map[string]any, len(raw)+1)
	for name, value := range raw {
		fields[name] = value
	}
	return fields, nil
}

// configOf returns what genai needs in addition to the model's name. The error is an
// [*llm.Error].
func configOf(req llm.Request) (*genai.GenerateContentConfig, error) {
	fields, err := fieldsOf(req)
	if err != nil {
		return nil, err
	}
	// genai would continue with another request, which no hook would see.
	return &genai.GenerateContentConfig{HTTPOptions: optionsOf(fields), AutomaticContinuation: genai.Ptr(false)}, nil
}

// countConfigOf adds instructions and tools to a countTokens request; the
// Gemini API wants them one level deeper than Vertex AI.
func countConfigOf(req llm.Request, vertex bool) (*genai.CountTokensConfig, error) {
	fields, err := fieldsOf(req)
	if err != nil {
		return nil, err
	}
	if !vertex {
		fields["model"] = "models/" + req.Model
		fields = map[string]any{"generateContentRequest": fields}
	}
	return &genai.CountTokensConfig{HTTPOptions: optionsOf(fields)}, nil
}

// chunkOf converts genai's answer. Only the first candidate counts. For the
// Gemini API, genai drops the finishMessage.
func chunkOf(r *genai.GenerateContentResponse) llm.Chunk {
	c := llm.Chunk{ModelVersion: r.ModelVersion, ResponseID: r.ResponseID, Usage: usageOf(r.UsageMetadata)}
	if f := r.PromptFeedback; f != nil {
		c.BlockReason = string(f.BlockReason)
	}
	if len(r.Candidates) == 0 || r.Candidates[0] == nil {
		return c
	}
	k := r.Candidates[0]
	c.FinishReason, c.FinishMessage, c.Index = string(k.FinishReason), k.FinishMessage, int(k.Index)
	if k.FinishReason == genai.FinishReasonUnspecified {
		c.FinishReason = ""
	}
	if k.Content != nil {
		for _, p := range k.Content.Parts {
			if p != nil {
				c.Parts = append(c.Parts, partOf(p))
			}
		}
	}
	for _, s := range k.SafetyRatings {
		if s == nil {
			continue
		}
		c.SafetyRatings = append(c.SafetyRatings,
			llm.SafetyRating{Category: string(s.Category), Probability: string(s.Probability), Blocked: s.Blocked})
	}
	c.Grounding, c.Citations, c.URLContext = rawOf(k.GroundingMetadata), rawOf(k.CitationMetadata),
		rawOf(k.URLContextMetadata)
	return c
}

// usageOf converts the counts; nil stays nil, because a chunk may have none.
func usageOf(u *genai.GenerateContentResponseUsageMetadata) *llm.Usage {
	if u == nil {
		return nil
	}
	return &llm.Usage{
		Prompt: int(u.PromptTokenCount), Candidates: int(u.CandidatesTokenCount), Total: int(u.TotalTokenCount),
		Cached: int(u.CachedContentTokenCount), Thoughts: int(u.ThoughtsTokenCount), ToolUse: int(u.ToolUsePromptTokenCount),
	}
}

// partOf converts a part. A part without any known field is empty text: genai
// does not distinguish {"text": ""} from {}.
func partOf(p *genai.Part) llm.Part {
	switch {
	case p.FunctionCall != nil:
		return llm.ToolCall{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Args: p.FunctionCall.Args,
			Signature: p.ThoughtSignature}
	case p.FunctionResponse != nil, isOpaque(p):
		return opaqueOf(p)
	case p.InlineData != nil:
		return llm.Blob{MIMEType: p.InlineData.MIMEType, Data: p.InlineData.Data, Name: p.InlineData.DisplayName,
			Signature: p.ThoughtSignature}
	case p.FileData != nil:
		return llm.FileRef{MIMEType: p.FileData.MIMEType, URI: p.FileData.FileURI}
	case p.Thought:
		return llm.Thought{Text: p.Text, Signature: p.ThoughtSignature}
	}
	return llm.Text{Text: p.Text, Signature: p.ThoughtSignature}
}

// isOpaque reports whether the part has a field that llm has no type for.
func isOpaque(p *genai.Part) bool {
	return p.ExecutableCode != nil || p.CodeExecutionResult != nil || p.ToolCall != nil || p.ToolResponse != nil ||
		p.AudioTranscription != nil || p.VideoMetadata != nil || p.MediaResolution != nil
}

// opaqueOf converts a part by way of its JSON, which llm can read.
func opaqueOf(p *genai.Part) llm.Part {
	data := rawOf(p)
	part, err := llm.UnmarshalPart(data)
	if err != nil {
		return llm.Opaque{JSON: data}
	}
	return part
}

// rawOf returns the JSON of v; nil for a nil pointer.
func rawOf[T any](v *T) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil { // it came from JSON
		return nil
	}
	return data
}
