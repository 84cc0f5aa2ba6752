package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/tools"
	"minigem/tools/builtin"
)

// TestSamplesAreAccepted: the loop takes the arguments that payloads are made
// with, so that what is written after them is a call that can be made.
func TestSamplesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, spec := range builtin.Specs() {
		schema, err := tools.ParseSchema(spec.Parameters)
		assert.NoError(t, err, spec.Name)
		assert.NoError(t, schema.Check(sampleArgs(spec.Name)), spec.Name)
	}
}
