// Package schema describes what hooks read and answer as JSON Schemas (draft 2020-12),
// made from the types and the field tables of hooks/protocol: [Input] and [Output] by
// event, and [Configuration] for settings files. "minigem hooks schema" prints them.
//
//	s, err := schema.Input(protocol.BeforeTool)
//	data, err := json.MarshalIndent(s, "", "  ")
//
// The package's test writes the tables of the pages in docs from the same sources. The
// package is separate from hooks/protocol so that hooks written in Go do not link a
// schema library.
package schema

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"minigem/hooks/protocol"
)

// Input returns the schema of what hooks of ev read. It allows additional fields, because
// hooks must not refuse them. The error is for an unknown event. The schema is new each
// time and the caller's.
func Input(ev protocol.Event) (*jsonschema.Schema, error) {
	typ := ev.InputType()
	if typ == nil {
		return nil, fmt.Errorf("no event is called %q", ev)
	}
	s, err := of(typ)
	if err != nil {
		return nil, err
	}
	s.Title = string(ev) + " input"
	walk(s, func(s *jsonschema.Schema) { s.AdditionalProperties = nil })
	s.Properties["hook_event_name"].Enum = []any{string(ev)}
	if !ev.HasMode() {
		drop(s, "permission_mode")
	}
	if ev.IsMain() {
		drop(s, "agent_id")
	}
	if ev.IsMain() && !ev.HasMode() {
		drop(s, "agent_type")
	}
	for _, key := range []string{"source", "reason", "trigger", "notification_type"} {
		if p := s.Properties[key]; p != nil {
			p.Enum = enum(ev.Triggers())
		}
	}
	return s, nil
}

// Output returns the schema of what hooks of ev answer, in the canonical spelling. It
// refuses fields that have no effect at ev; the engine itself only warns about them. The
// error is for an unknown event. The schema is new each time and the caller's.
func Output(ev protocol.Event) (*jsonschema.Schema, error) {
	if ev.InputType() == nil {
		return nil, fmt.Errorf("no event is called %q", ev)
	}
	s, err := of(protocol.OutputType())
	if err != nil {
		return nil, err
	}
	s.Title = string(ev) + " output"
	specific := s.Properties["hookSpecificOutput"]
	for _, f := range protocol.Gemini().Fields() {
		if f.Older || slices.Contains(f.Events, ev) {
			continue
		}
		if f.Nested {
			drop(specific, f.Name)
		} else {
			drop(s, f.Name)
		}
	}
	specific.Properties["hookEventName"] = &jsonschema.Schema{Type: "string", Enum: []any{string(ev)}}
	specific.PropertyOrder = append([]string{"hookEventName"}, specific.PropertyOrder...)
	if d := s.Properties["decision"]; d != nil {
		d.Enum = enum([]string{"deny", "block", "allow", "approve"})
		if ev.CanAsk() {
			d.Enum = append(d.Enum, "ask")
		}
	}
	walk(s, func(s *jsonschema.Schema) {
		if m := s.Properties["mode"]; m != nil {
			m.Enum = enum([]string{"AUTO", "ANY", "NONE"})
		}
	})
	// The arguments depend on the tool.
	for _, key := range []string{"tool_input", "tailToolCallRequest"} {
		if p := specific.Properties[key]; p != nil {
			walk(p, func(s *jsonschema.Schema) { s.AdditionalProperties = nil })
		}
	}
	return s, nil
}

// of returns the schema of typ. A message's content is a string or parts, which its Go
// type does not show.
func of(typ reflect.Type) (*jsonschema.Schema, error) {
	part, err := jsonschema.For[protocol.LLMPart](nil)
	if err != nil {
		return nil, fmt.Errorf("describing a part: %w", err)
	}
	part.Properties["type"].Enum = enum([]string{
		protocol.PartText, protocol.PartFunctionCall, protocol.PartFunctionResponse, protocol.PartInlineData,
		protocol.PartFileData,
	})
	message := &jsonschema.Schema{
		Type:     "object",
		Required: []string{"role", "content"},
		Properties: map[string]*jsonschema.Schema{
			"role": {Type: "string", Enum: enum([]string{"user", "model", "system"})},
			"content": {
				Description: "text alone, or parts where there is more than text",
				AnyOf:       []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: part}},
			},
		},
		PropertyOrder: []string{"role", "content"},
	}
	s, err := jsonschema.ForType(typ, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[protocol.LLMMessage](): message},
	})
	if err != nil {
		return nil, fmt.Errorf("describing %s: %w", typ, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	walk(s, notNull)
	return s, nil
}

// notNull removes "null" from the types, because absent fields are left out.
func notNull(s *jsonschema.Schema) {
	types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	if len(types) == 1 {
		s.Type, s.Types = types[0], nil
	}
}

// walk calls visit with s and all the schemas inside it.
func walk(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, p := range s.Properties {
		walk(p, visit)
	}
	for _, p := range s.AnyOf {
		walk(p, visit)
	}
	walk(s.Items, visit)
}

// drop removes a property from s.
func drop(s *jsonschema.Schema, name string) {
	delete(s.Properties, name)
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(n string) bool { return n == name })
}

// enum returns values for Schema.Enum.
func enum(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
