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

// unreadable replaces a value that is JSON but cannot be decoded, and says why. It is
// ignored like any value of a wrong type; the fields next to it count.
type unreadable string

const (
	tooDeep    unreadable = "a value nested too deeply"
	outOfRange unreadable = "a value with a number out of range"
)

// maxDepth bounds how deeply a field may be nested. From 10,000 levels on, encoding/json
// refuses the whole text, including a deny in it.
const maxDepth = 9000

// object decodes text if it is one JSON object, or a JSON string that holds one.
func object(text string) ([]member, bool) {
	if strings.HasPrefix(text, `"`) {
		var inner string
		if json.Unmarshal([]byte(text), &inner) != nil {
			return nil, false
		}
		text = strings.TrimSpace(inner)
	}
	if !strings.HasPrefix(text, "{") {
		return nil, false
	}
	w := measure(text)
	if end := int(w.spans[0].end); end == 0 || strings.Trim(text[end:], " \t\r\n") != "" {
		return nil, false
	}
	return w.members(0, true), true
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

// shown returns v for a warning: short values as they are, others by their kind.
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
