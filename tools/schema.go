package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a tool's arguments; it checks them. Make it with
// [ParseSchema] or [MustSchema]. It is safe for concurrent use.
type Schema struct {
	raw json.RawMessage

	once     sync.Once
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	err      error
}

// ParseSchema reads a JSON Schema from others. An empty one allows any object. A schema
// that refers to itself, nests deeper than 100 levels or expands to more than 100,000
// values is an error, because checking against it might not end.
func ParseSchema(raw json.RawMessage) (*Schema, error) {
	if len(raw) > 0 {
		if err := checkGraph(raw); err != nil {
			return nil, fmt.Errorf("reading the schema of a tool's arguments: %w", err)
		}
	}
	s := &Schema{raw: raw}
	if err := s.parse(); err != nil {
		return nil, err
	}
	return s, nil
}

// MustSchema makes a [Schema] that is part of the program. It parses raw on first use,
// because parsing all of them took 7 ms of every start. If raw is not a valid schema,
// Check panics. The limits of [ParseSchema] do not apply.
func MustSchema(raw string) *Schema { return &Schema{raw: json.RawMessage(raw)} }

// parse reads raw, once.
func (s *Schema) parse() error {
	s.once.Do(func() {
		s.schema = &jsonschema.Schema{Type: "object"}
		if len(s.raw) > 0 {
			s.schema = &jsonschema.Schema{}
			s.err = json.Unmarshal(s.raw, s.schema)
			keepOrder(s.schema, s.raw)
		}
		if s.err == nil {
			s.resolved, s.err = s.schema.Resolve(nil)
		}
		if s.err != nil {
			s.err = fmt.Errorf("reading the schema of a tool's arguments: %w", s.err)
		}
	})
	return s.err
}

// keepOrder stores the order in which properties are declared, in which AJV
// checks them.
func keepOrder(s *jsonschema.Schema, raw json.RawMessage) {
	var parts struct{ Properties, Items json.RawMessage }
	if s == nil || json.Unmarshal(raw, &parts) != nil {
		return // a schema may also be a boolean
	}
	keepOrder(s.Items, parts.Items)
	d := json.NewDecoder(bytes.NewReader(parts.Properties))
	if _, err := d.Token(); err != nil {
		return
	}
	for d.More() {
		name, err := d.Token()
		var property json.RawMessage
		if err != nil || d.Decode(&property) != nil {
			return
		}
		if name, ok := name.(string); ok {
			s.PropertyOrder = append(s.PropertyOrder, name)
			keepOrder(s.Properties[name], property)
		}
	}
}

// JSON returns the schema as it was given; nil if that was empty. It must not be changed.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Check validates args; nil counts as an empty object. Its error is an [*Error] of type
// [ErrInvalidParams], with AJV's text for the first fault, because models and hooks know
// it: "params must have required property 'file_path'".
func (s *Schema) Check(args map[string]any) error {
	if err := s.parse(); err != nil {
		panic(err) // unreachable: schemas of the program are tested
	}
	plain, err := asJSON(args)
	if err != nil {
		return Errorf(ErrInvalidParams, "params must be JSON: %w", err)
	}
	err = s.resolved.Validate(plain)
	if err == nil {
		return nil
	}
	if text := fault(s.schema, "params", plain); text != "" {
		return &Error{Type: ErrInvalidParams, Message: text, Err: err}
	}
	return Errorf(ErrInvalidParams, "params are not valid: %w", err)
}

// Decode checks args and stores them in the struct that into points to, by its json tags.
// Its errors are those of [Schema.Check].
func (s *Schema) Decode(args map[string]any, into any) error {
	if err := s.Check(args); err != nil {
		return err
	}
	b, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return Errorf(ErrInvalidParams, "params do not fit: %w", err)
	}
	return nil
}

// asJSON converts args to the types that decoding JSON gives.
func asJSON(args map[string]any) (map[string]any, error) {
	if args == nil {
		return map[string]any{}, nil
	}
	b, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	return plain, json.Unmarshal(b, &plain)
}

// fault describes the first rule of s that v breaks, among the rules that tools use, or
// returns "".
func fault(s *jsonschema.Schema, path string, v any) string {
	if s == nil {
		return ""
	}
	if s.Type != "" && !isType(s.Type, v) {
		return path + " must be " + s.Type
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(one any) bool { return reflect.DeepEqual(one, v) }) {
		return path + " must be equal to one of the allowed values"
	}
	switch v := v.(type) {
	case float64:
		return numberFault(s, path, v)
	case string:
		if s.MinLength != nil && utf8.RuneCountInString(v) < *s.MinLength {
			return fmt.Sprintf("%s must NOT have fewer than %d characters", path, *s.MinLength)
		}
	case []any:
		return arrayFault(s, path, v)
	case map[string]any:
		return objectFault(s, path, v)
	}
	return ""
}

// numberFault checks the bounds of a number.
func numberFault(s *jsonschema.Schema, path string, v float64) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	switch {
	case s.Maximum != nil && v > *s.Maximum:
		return path + " must be <= " + number(*s.Maximum)
	case s.Minimum != nil && v < *s.Minimum:
		return path + " must be >= " + number(*s.Minimum)
	}
	return ""
}

// arrayFault checks the length of a list, and its items.
func arrayFault(s *jsonschema.Schema, path string, v []any) string {
	switch {
	case s.MaxItems != nil && len(v) > *s.MaxItems:
		return fmt.Sprintf("%s must NOT have more than %d items", path, *s.MaxItems)
	case s.MinItems != nil && len(v) < *s.MinItems:
		return fmt.Sprintf("%s must NOT have fewer than %d items", path, *s.MinItems)
	}
	for i, item := range v {
		if text := fault(s.Items, path+"/"+strconv.Itoa(i), item); text != "" {
			return text
		}
	}
	return ""
}

// objectFault checks required properties first, then unknown ones, then values, as AJV
// does.
func objectFault(s *jsonschema.Schema, path string, v map[string]any) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Sprintf("%s must have required property '%s'", path, name)
		}
	}
	// how the library reads "additionalProperties": false
	if closed := s.AdditionalProperties; closed != nil && closed.Not != nil {
		for name := range v {
			if _, ok := s.Properties[name]; !ok {
				return path + " must NOT have additional properties"
			}
		}
	}
	for _, name := range s.PropertyOrder {
		if item, ok := v[name]; ok {
			if text := fault(s.Properties[name], path+"/"+name, item); text != "" {
				return text
			}
		}
	}
	return ""
}

// isType reports whether v has the JSON type of that name. A type that is not known
// accepts everything.
func isType(name string, v any) bool {
	switch name {
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "number":
		_, ok := v.(float64)
		return ok
	case "integer":
		f, ok := v.(float64)
		return ok && f == math.Trunc(f)
	case "array":
		_, ok := v.([]any)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "null":
		return v == nil
	}
	return true
}
