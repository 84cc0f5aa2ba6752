package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// member is one key of a JSON object with its decoded value.
type member struct {
	key   string
	value any
	dup   bool // an earlier member has the same key
}

// object decodes text if it is one JSON object, or a JSON string that holds
// one. Depth is bounded by encoding/json (10,000 levels).
func object(text string) ([]member, bool) {
	if strings.HasPrefix(text, `"`) {
		var inner string
		if json.Unmarshal([]byte(text), &inner) != nil {
			return nil, false
		}
		text = strings.TrimSpace(inner)
	}
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil, false
	}
	return members([]byte(text))
}

// members decodes a valid JSON object, keeping its order and its duplicates.
func members(data []byte) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []member
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{key: t.(string)}
		if m.key == "hookSpecificOutput" {
			m.value, err = nested(d)
		} else {
			err = d.Decode(&m.value)
		}
		if err != nil {
			return nil, false
		}
		m.dup, seen[m.key] = seen[m.key], true
		out = append(out, m)
	}
	return out, true
}

// nested decodes an object of fields as []member, anything else as usual.
func nested(d *json.Decoder) (any, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, err
	}
	if ms, ok := members(raw); ok {
		return ms, nil
	}
	var v any
	err := json.Unmarshal(raw, &v)
	return v, err
}

// clean makes a stream into text: no byte order mark, no white space around.
func clean(stream []byte) string {
	text := strings.TrimSpace(strings.TrimPrefix(string(stream), "\ufeff"))
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	return text
}

// embedded finds a JSON object that begins a line among other output and
// returns that line's number, from 1. It looks at the first lines only.
func embedded(text string) (line int, found bool) {
	const tries = 20
	tried := 0
	for line, rest := 1, text; tried < tries; line++ {
		this, after, more := strings.Cut(rest, "\n")
		if strings.HasPrefix(strings.TrimSpace(this), "{") {
			tried++
			var fields map[string]json.RawMessage
			if json.NewDecoder(strings.NewReader(rest)).Decode(&fields) == nil {
				return line, true
			}
		}
		if !more {
			break
		}
		rest = after
	}
	return 0, false
}

// kind names the JSON type of v in the words of authors.
func kind(v any) string {
	switch v.(type) {
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

// nearest returns the candidate that name is probably a slip of; "" if none is
// close.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", 4
	for _, c := range candidates {
		if n := sharedPrefix(fold(c), fold(name)); n >= 6 && n >= len(fold(name))-2 {
			return c
		}
		limit := min(3, max(1, max(len(name), len(c))/3))
		if d := distance(fold(name), fold(c)); d <= limit && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// fold takes out what people get wrong most: case and separators.
func fold(s string) string {
	if len(s) > 60 {
		s = s[:60]
	}
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == ' ' {
			return -1
		}
		return unicode.ToLower(c)
	}, s)
}

// distance is Levenshtein's, on bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
