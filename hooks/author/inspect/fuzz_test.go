package inspect_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks/author/inspect"
)

// FuzzSet: a payload and an assignment to it give a payload, or an error.
func FuzzSet(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1]}}`), `a.b.0=2`)
	f.Add([]byte(`null`), `=`)
	f.Add([]byte(`[]`), `x={"y":1}`)
	f.Add([]byte(`{"a":5}`), `a.b.c=x`)
	f.Fuzz(func(t *testing.T, payload []byte, assignment string) {
		out, err := inspect.Set(payload, assignment)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.True(t, json.Valid(out), "%q", out)
		again, err := inspect.Set(out, assignment)
		require.NoError(t, err)
		require.JSONEq(t, string(out), string(again), "setting twice is setting once")
	})
}
