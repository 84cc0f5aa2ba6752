package policy

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// stable writes arguments as JSON with sorted keys, each pair of the outermost
// object between two NUL bytes, so that a pattern can anchor a whole pair
// (core/policy/policy-engine.ts). JSON escapes NUL, so values cannot contain
// one.
func stable(args map[string]any) string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range slices.Sorted(maps.Keys(args)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(0)
		writeJSON(&b, k)
		b.WriteByte(':')
		writeJSON(&b, args[k])
		b.WriteByte(0)
	}
	b.WriteByte('}')
	return b.String()
}

// writeJSON writes a value like JavaScript, without escapes for HTML.
// encoding/json sorts the keys of maps by itself.
func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		b.WriteString("null")
		return
	}
	b.Truncate(b.Len() - 1)
}
