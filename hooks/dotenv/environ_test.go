package dotenv

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	env := []string{"A=1", "AB=2", "A=3=4", "EMPTY=", "bare"}
	for name, want := range map[string]string{"A": "3=4", "AB": "2", "EMPTY": ""} {
		got, ok := Lookup(env, name)
		assert.True(t, ok, name)
		assert.Equal(t, want, got)
	}
	for _, name := range []string{"B", "bare", "a"} {
		_, ok := Lookup(env, name)
		assert.False(t, ok, name)
	}
}
