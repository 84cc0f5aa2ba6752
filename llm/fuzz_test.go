package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm"
)

// Whatever can be read can be written, and reads back the same.
func FuzzMessageJSON(f *testing.F) {
	f.Add([]byte(`{"role":"user","parts":[{"text":"a"},{"text":"b","thought":true,"thoughtSignature":"x!"}]}`))
	f.Add([]byte(`{"role":"model","parts":[{"functionCall":{"id":"1","name":"a","args":{"b":[1,null]}},"thoughtSignature":"skip_thought_signature_validator"}]}`))
	f.Add([]byte(`{"parts":[{"functionResponse":{"name":"a","response":null,"parts":[{"inlineData":{"mimeType":"x","data":"AQ=="}}]}},{"fileData":{"fileUri":"u"},"x":1},{},null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m, back llm.Message
		if json.Unmarshal(data, &m) != nil {
			t.Skip()
		}
		out, err := json.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(out, &back))
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(out), string(again))
	})
}
