package fakegemini

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFault: a fault is read or refused; one that was read and written is read
// as the same.
func FuzzFault(f *testing.F) {
	for _, text := range []string{`{"status":503,"message":"m"}`, `{"cut":true}`, `null`, `[]`, `{"delay":"1h"}`, `{"delay":-5,"status":99999}`, `{"retryDelay":"x"}`, `{"unknown":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var fault Fault
		if json.Unmarshal(data, &fault) != nil {
			return
		}
		once, err := json.Marshal(fault)
		require.NoError(t, err)
		var again Fault
		require.NoError(t, json.Unmarshal(once, &again), "%s", once)
		require.Equal(t, fault, again)
	})
}
