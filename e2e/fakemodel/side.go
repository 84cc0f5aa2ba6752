package fakemodel

import (
	"bytes"
	"encoding/json"

	"minigem/llm"
	"minigem/llm/script"
)

// sideAnswer returns the default answer to a side request: "OK", or the smallest value
// that fits the answer's schema.
func sideAnswer(schema json.RawMessage) Turn {
	text := "OK"
	if schema != nil {
		if data, err := json.Marshal(instance(schema, 0)); err == nil {
			text = string(data)
		}
	}
	return Turn{Entry: script.Answered(llm.Chunk{
		Parts: []llm.Part{llm.Text{Text: text}}, FinishReason: "STOP",
		Usage: &llm.Usage{Prompt: 10, Candidates: 1, Total: 11},
	})}
}

// deepest limits the depth to which a schema is followed.
const deepest = 32

// instance returns a value for a schema: the first one that it lists, or else the
// smallest.
func instance(schema json.RawMessage, depth int) any {
	var s struct {
		Type       json.RawMessage            `json:"type"`
		Const      any                        `json:"const"`
		Default    any                        `json:"default"`
		Enum       []any                      `json:"enum"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		OneOf      []json.RawMessage          `json:"oneOf"`
		Properties map[string]json.RawMessage `json:"properties"`
		Minimum    float64                    `json:"minimum"`
	}
	if depth > deepest || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	switch first := append(s.AnyOf, s.OneOf...); {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Default != nil:
		return s.Default
	case len(first) > 0:
		return instance(first[0], depth+1)
	}
	switch typeOf(s.Type) {
	case "string":
		return "OK"
	case "number", "integer":
		return s.Minimum
	case "boolean":
		return false
	case "array":
		return []any{}
	case "null":
		return nil
	}
	out := object{}
	for name, property := range s.Properties {
		out[name] = instance(property, depth+1)
	}
	return out
}

// typeOf returns the first type of a schema, in lower case if there is only one, because
// Gemini's own schemas use upper case.
func typeOf(t json.RawMessage) string {
	var one string
	if json.Unmarshal(t, &one) == nil {
		return string(bytes.ToLower([]byte(one)))
	}
	var many []string
	if json.Unmarshal(t, &many) == nil && len(many) > 0 {
		return many[0]
	}
	return ""
}
