package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema of settings.json, derived from the Settings type and
// the defaults. Unknown keys are allowed everywhere.
func Schema() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[Settings](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		rawType: {},
		stringsType: {AnyOf: []*jsonschema.Schema{
			{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
		}},
	}})
	if err != nil {
		return nil, fmt.Errorf("making the schema of settings: %w", err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "settings.json"
	complete(s, reflect.TypeFor[Settings](), defaults())
	return s, nil
}

// complete adds what the Go types do not express to an inferred schema: choices,
// defaults, and that unknown keys are allowed.
func complete(s *jsonschema.Schema, t reflect.Type, defaults *node) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s.Required = nil
	oneType(s)
	switch t.Kind() {
	case reflect.Slice:
		if t != rawType && t != stringsType && s.Items != nil {
			complete(s.Items, t.Elem(), nil)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			complete(s.AdditionalProperties, t.Elem(), nil)
		}
	case reflect.Struct:
		s.AdditionalProperties = nil
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[name]
			complete(p, f.Type, defaults.get(name))
			for choice := range strings.SplitSeq(f.Tag.Get("enum"), "|") {
				if choice != "" {
					p.Enum = append(p.Enum, choice)
				}
			}
		}
	}
	if defaults != nil && defaults.kind != object {
		s.Default = json.RawMessage(defaults.json())
	}
}

// oneType removes null, which the inference allows for lists and pointers but the
// loader does not.
func oneType(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
}
