package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
)

// member is one key of a JSON object with its decoded value.
type member struct {
	key   string
	value any
	dup   bool // an earlier member has the same key
}

// unreadable is a value that is JSON but has no place in memory, and says why.
// It is ignored like any value of a wrong type; what stands beside it counts.
type unreadable string

const (
	tooDeep    unreadable = "a value nested too deeply"
	outOfRange unreadable = "a value with a number out of range"
)

// maxDepth is how deeply a field may be nested. encoding/json refuses the whole
// text from 10,000 levels on, and a deny that stands in it.
const maxDepth = 9000

// object decodes text if it is one JSON object, or a JSON string that holds
// one.
func object(text string) ([]member, bool) {
	if strings.HasPrefix(text, `"`) {
		var inner string
		if json.Unmarshal([]byte(text), &inner) != nil {
			return nil, false
		}
		text = strings.TrimSpace(inner)
	}
	return members(text, true)
}

// members decodes a JSON object, keeping its order and its duplicates; in the
// outer one, hookSpecificOutput is decoded so too.
func members(text string, outer bool) ([]member, bool) {
	fields, ok := split(text)
	if !ok {
		return nil, false
	}
	var out []member
	seen := map[string]bool{}
	for _, f := range fields {
		m := member{dup: seen[f.key], key: f.key}
		if m.value, ok = f.decode(outer); !ok {
			return nil, false
		}
		seen[f.key] = true
		out = append(out, m)
	}
	return out, true
}

func (f rawField) decode(outer bool) (value any, ok bool) {
	if outer && f.key == "hookSpecificOutput" && strings.HasPrefix(f.value, "{") {
		ms, ok := members(f.value, false)
		return ms, ok
	}
	if f.depth > maxDepth {
		return tooDeep, true
	}
	if !json.Valid([]byte(f.value)) {
		return nil, false
	}
	if json.Unmarshal([]byte(f.value), &value) != nil {
		return outOfRange, true
	}
	return value, true
}

// kind names the JSON type of v in the words of authors.
func kind(v any) string {
	switch v := v.(type) {
	case unreadable:
		return string(v)
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

// shown is v for a warning: short values as they are, others by their kind.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		if len(v) > 40 {
			return fmt.Sprintf("%q...", v[:40])
		}
		return fmt.Sprintf("%q", v)
	case bool, float64:
		return fmt.Sprint(v)
	}
	return kind(v)
}
