package hooks

import (
	"bytes"
	"encoding/json"
	"strings"

	"minigem/hooks/protocol"
)

// maskStrings passes every string value of the JSON in data through mask, including the
// strings of JSON inside a string. Keys stay as they are.
func maskStrings(data []byte, mask func([]byte) []byte) []byte {
	var out bytes.Buffer
	for len(data) > 0 {
		i := bytes.IndexByte(data, '"')
		if i < 0 {
			break
		}
		out.Write(data[:i])
		end := stringEnd(data, i)
		literal, rest := data[i:end], data[end:]
		if len(rest) > 0 && rest[0] == ':' {
			out.Write(literal)
		} else {
			out.Write(maskLiteral(literal, mask))
		}
		data = rest
	}
	out.Write(data)
	return out.Bytes()
}

// stringEnd returns the index after the string literal that starts at i.
func stringEnd(data []byte, i int) int {
	for j := i + 1; j < len(data); j++ {
		switch data[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(data)
}

// maskLiteral masks a JSON string, and first the strings of an object that it holds as
// text, such as a hook's stdin in a report. A string that does not change is returned
// byte for byte.
func maskLiteral(literal []byte, mask func([]byte) []byte) []byte {
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return literal
	}
	masked := text
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") && json.Valid([]byte(t)) {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(t)) == nil {
			masked = string(maskStrings(compact.Bytes(), mask))
		}
		if masked == compact.String() {
			masked = text
		}
	}
	masked = string(mask([]byte(masked)))
	if masked == text {
		return literal
	}
	out, err := protocol.Encode(masked)
	if err != nil {
		return []byte(`"[REDACTED]"`)
	}
	return out
}
