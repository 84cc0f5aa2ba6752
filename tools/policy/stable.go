package policy

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// stable writes arguments as JSON with sorted keys, each pair of the outermost
// object between two NUL bytes, so that a pattern can anchor a whole pair
// (core/policy/policy-engine.ts). JSON escapes NUL, so values cannot contain
// one. Values are written like JavaScript does, without escapes for HTML.
func stable(args map[string]any) string {
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(args)) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if enc.Encode(map[string]any{k: args[k]}) == nil { // otherwise it came from no JSON
			pairs = append(pairs, "\x00"+b.String()[1:b.Len()-2]+"\x00") // without the braces and the newline
		}
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
