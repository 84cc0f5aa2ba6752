package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzObject checks that walk and encoding/json agree about what is a JSON object,
// except for the depth.
func FuzzObject(f *testing.F) {
	for _, text := range []string{
		`{}`, `{ }`, `{"a":1}`, "{\n\t\"a\" : [1, {\"b\":\"}\\\"\"}] ,\"c\":null}", `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1 2}`, `{"a":[}]}`, `{"a":1}}`,
		`{"a":"`, `{"a":"\`, `{"a":{"b":1}`, `{a:1}`, `{"a":1e999}`, `{"hookSpecificOutput":{"a":1,"hookSpecificOutput":{}}}`, `{"hookSpecificOutput":{1}}`, `{"\ud800":1}`, `{"a":tru}`, `[-0.5e+10,01,1.,-,2e]`, `[-0.5e+10,0,true,false,null,"\u12aF\n"] `, "{\"a\":\"\n\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "{")+strings.Count(text, "[") > maxDepth {
			return
		}
		all := measure(text)
		valid := len(all.spans) > 0 && all.spans[0].end > 0 && strings.Trim(text[all.spans[0].end:], " \t\r\n") == ""
		if want := (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text)); valid != want {
			t.Fatalf("%q: measured as valid: %t, but encoding/json says %t", text, valid, want)
		}
		if all.steps > 12*len(text) {
			t.Fatalf("%q: looked at %d bytes of %d", text, all.steps, len(text))
		}
		if strings.HasPrefix(text, `"`) {
			return // it may contain an encoded object
		}
		ms, ok := object(text)
		if want := strings.HasPrefix(text, "{") && json.Valid([]byte(text)); ok != want {
			t.Fatalf("%q: an object: %t, but encoding/json says %t", text, ok, want)
		}
		var fields map[string]json.RawMessage
		if !ok || json.Unmarshal([]byte(text), &fields) != nil {
			return
		}
		seen := map[string]bool{}
		for _, m := range ms {
			seen[m.key] = true
		}
		if len(seen) != len(fields) {
			t.Fatalf("%q: %d names, but encoding/json sees %d", text, len(seen), len(fields))
		}
	})
}
