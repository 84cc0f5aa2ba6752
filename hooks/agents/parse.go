package agents

import (
	"encoding/json"
	"fmt"
	"strings"
)

// parsers are the agents' JSON parsers. Each returns the object and its form; see
// reading.form. The text is trimmed and not empty.
var parsers = map[string]func(a *Agent, p Point, text string) (top map[string]any, form, err string){
	"claude": parseClaude, "rust": parseRust, "js": parseJS, "object": parseObject,
	"plain": parseObject,
}

// parseObject accepts one JSON object and nothing else.
func parseObject(_ *Agent, _ Point, text string) (map[string]any, string, string) {
	m, err := object(text)
	if err != nil {
		return nil, "text", ""
	}
	return m, "json", ""
}

// parseJS works like JSON.parse, and parses a string that holds JSON once more.
func parseJS(_ *Agent, _ Point, text string) (map[string]any, string, string) {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil, "text", ""
	}
	if inner, ok := v.(string); ok && json.Unmarshal([]byte(inner), &v) != nil {
		return nil, "text", ""
	}
	if m, ok := v.(map[string]any); ok {
		return m, "json", ""
	}
	return nil, "other", ""
}

// parseClaude takes text that begins with "{" for JSON, unless it does not end with "}" or
// is several objects that say nothing.
func parseClaude(a *Agent, p Point, text string) (map[string]any, string, string) {
	if !strings.HasPrefix(text, "{") {
		return nil, "text", ""
	}
	m, err := object(text)
	switch {
	case err != nil && (!strings.HasSuffix(text, "}") || severalVoid(a, p, text)):
		return nil, "text", ""
	case err != nil:
		return nil, "broken", ""
	case m["async"] == true:
		return m, "json", ""
	}
	if err := a.Answer.valid(p, m); err != nil {
		return m, "void", err.Error()
	}
	return m, "json", ""
}

// severalVoid reports whether text is several lines, each of them JSON that says nothing.
func severalVoid(a *Agent, p Point, text string) bool {
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line = jsTrim(line); line == "" {
			continue
		}
		lines++
		m, err := object(line)
		if err != nil && err != errNoObject {
			return false
		}
		if err == nil && a.Answer.valid(p, m) == nil {
			for k := range m {
				if _, known := a.Answer.Top["*"][k]; known {
					return false
				}
			}
		}
	}
	return lines > 1
}

// parseRust accepts an object in which no half of a UTF-16 pair is escaped.
func parseRust(a *Agent, p Point, text string) (map[string]any, string, string) {
	m, err := object(text)
	switch {
	case (err != nil || loneSurrogate(text)) && (text[0] == '{' || text[0] == '['):
		return nil, "broken", ""
	case err != nil:
		return nil, "text", ""
	}
	if err := a.Answer.valid(p, m); err != nil {
		return m, "void", err.Error()
	}
	return m, "json", ""
}

// loneSurrogate reports whether half of a UTF-16 pair is escaped, which Rust's parser
// refuses. The text is valid JSON otherwise.
func loneSurrogate(text string) bool {
	for i := 0; i+5 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] != 'u' {
			i++
			continue
		}
		high := strings.EqualFold(text[i+2:i+3], "d") && strings.ContainsAny(text[i+3:i+4], "89abAB")
		low := strings.EqualFold(text[i+2:i+3], "d") && strings.ContainsAny(text[i+3:i+4], "cdefCDEF")
		paired := high && i+9 < len(text) && text[i+6] == '\\' && text[i+7] == 'u' &&
			strings.EqualFold(text[i+8:i+9], "d") && strings.ContainsAny(text[i+9:i+10], "cdefCDEF")
		if low || high && !paired {
			return true
		}
		if paired {
			i += 6
		}
		i += 5
	}
	return false
}

// asJSON returns v as JSON.
func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "" // unreachable: it came from JSON
	}
	return string(data)
}

// scalar returns a text, number or boolean as text; "" for anything else.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil, map[string]any, []any:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// joined joins two texts by a line break, unless one is empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
