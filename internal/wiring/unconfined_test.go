package wiring

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUnconfined checks that, if the kernel cannot confine read-only commands, one
// sentence says why they are asked about and what to set.
func TestUnconfined(t *testing.T) {
	t.Parallel()
	assert.Empty(t, unconfined(nil))
	assert.Equal(t, "it only reads, but this machine cannot enforce that (no Landlock): name such commands in "+
		"tools.allowed to run them without asking",
		unconfined(errors.New("no Landlock")))
}
