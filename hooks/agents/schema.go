package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Schema says which answers an agent accepts at all. An empty one accepts any JSON
// object.
type Schema struct {
	Rules
	// Say names the spellers that express answers, the best first; nil means that there
	// is none.
	Say []string `json:"-" toml:"say"`
	// Killed is the effect of a hook before a tool that a signal ended; empty means that
	// it was not measured.
	Killed Kind `json:"killed,omitempty" toml:"killed"`
	// NoJSON says that, by its documentation, the agent does not read JSON on stdout.
	NoJSON bool `json:"no_json,omitempty" toml:"no_json"`
	// TopOnly says that hookSpecificOutput is not read.
	TopOnly bool `json:"top_only,omitempty" toml:"top_only"`
	// Strict says that an unknown key voids the whole answer.
	Strict bool `json:"strict,omitempty" toml:"strict"`
	// Top holds the types of the fields at the top, by the point's name ("*" is all other
	// points) and the field's. A type is "bool", "string", "object", "any", or words
	// separated by "|". With a "?" after it, null counts as absent. Nested is the same for
	// hookSpecificOutput.
	Top map[string]map[string]string `json:"top,omitempty" toml:"top"`
	// Nested is like Top, for hookSpecificOutput.
	Nested map[string]map[string]string `json:"nested,omitempty" toml:"nested"`
	// ByName says that Nested is looked up by hookEventName, which must be the event's own
	// name. Otherwise it is looked up by the point, and any of EventNames is accepted.
	ByName bool `json:"by_name,omitempty" toml:"by_name"`
	// EventNames lists what hookEventName may be where ByName is not set.
	EventNames []string `json:"event_names,omitempty" toml:"event_names"`
	// Evidence says how all this is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// object reads a JSON object and nothing else. Numbers stay text, so that none is too
// big.
func object(text string) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errTrailing
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	return m, nil
}

// textError is a constant error.
type textError string

// Error implements error.
func (e textError) Error() string { return string(e) }

// Why a text is no answer.
const (
	errTrailing = textError("there is more text after the JSON object")
	errNoObject = textError("it is not a JSON object")
)

// valid checks an object; the error says what voids it, and what to say instead.
func (s Schema) valid(p Point, answer map[string]any) error {
	top := s.Top[string(p)]
	if top == nil {
		top = s.Top["*"]
	}
	nested, isNested := answer["hookSpecificOutput"].(map[string]any)
	if _, known := top["hookSpecificOutput"]; !known {
		isNested = false
	}
	if isNested {
		if err := s.validNested(p, nested); err != nil {
			return err
		}
	}
	return s.fields("", top, answer)
}

// validNested checks hookSpecificOutput, which must name an event that the agent knows.
func (s Schema) validNested(p Point, nested map[string]any) error {
	name, isName := nested["hookEventName"].(string)
	if nested["hookEventName"] == nil {
		return fmt.Errorf("hookSpecificOutput has no hookEventName")
	}
	table := s.Nested[string(p)]
	known := isName && slices.Contains(s.EventNames, name)
	if s.ByName {
		table, known = s.Nested[name], isName && (s.Nested[name] != nil || slices.Contains(s.EventNames, name))
	}
	if !known {
		return fmt.Errorf("hookEventName %s is not an event there", show(nested["hookEventName"]))
	}
	if table == nil {
		return nil
	}
	return s.fields("hookSpecificOutput.", table, nested)
}

// fields checks the types of fields, in sorted order so that the error is always the
// same.
func (s Schema) fields(prefix string, table map[string]string, fields map[string]any) error {
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if prefix != "" && k == "hookEventName" {
			continue
		}
		kind, known := table[k]
		if !known {
			if s.Strict {
				return fmt.Errorf("%s%s is not a key there", prefix, k)
			}
			continue
		}
		if !fits(kind, fields[k]) {
			return fmt.Errorf("%s%s %s is %s there", prefix, k, show(fields[k]), notA(kind))
		}
	}
	return nil
}

// fits reports whether v has the type kind.
func fits(kind string, v any) bool {
	kind, nullable := strings.CutSuffix(kind, "?")
	if v == nil {
		return nullable || kind == "any"
	}
	switch kind {
	case "any":
		return true
	case "bool":
		_, ok := v.(bool)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	}
	s, ok := v.(string)
	return ok && slices.Contains(strings.Split(kind, "|"), s)
}

// notA says, for an error, that a value does not have the type kind.
func notA(kind string) string {
	kind = strings.TrimSuffix(kind, "?")
	switch kind {
	case "bool":
		return "not true or false"
	case "string":
		return "not a string"
	case "object":
		return "not an object"
	}
	return "not a value (" + strings.ReplaceAll(kind, "|", ", ") + ")"
}

// show returns a value as JSON, shortened.
func show(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "?" // unreachable: it came from JSON
	}
	s := strings.TrimSpace(b.String())
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

// jsTrim trims what JavaScript's trim does, including the byte order mark.
func jsTrim(s string) string {
	return strings.Trim(
		s,
		" \t\r\n\v\f\u00a0\ufeff\u2028\u2029\u1680\u2000\u2001\u2002\u2003"+
			"\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
}

// str returns a string in m; "" if there is none.
func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// nestedOf returns hookSpecificOutput in m; nil if it is not an object.
func nestedOf(m map[string]any) map[string]any {
	n, _ := m["hookSpecificOutput"].(map[string]any)
	return n
}

// firstOf returns the first text that is not empty.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
