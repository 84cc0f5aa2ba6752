package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/tools"
	"minigem/tools/builtin"
)

// TestSamplesAreAccepted checks that the loop accepts the arguments of sample payloads,
// so that they stand for possible calls.
func TestSamplesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, spec := range builtin.Specs() {
		schema, err := tools.ParseSchema(spec.Parameters)
		assert.NoError(t, err, spec.Name)
		assert.NoError(t, schema.Check(sampleArgs(spec.Name)), spec.Name)
	}
}
