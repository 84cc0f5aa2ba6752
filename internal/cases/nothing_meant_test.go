package cases

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/e2e/testbed"
)

// TestExpectedFailures: a failure that blocks nothing is a note, unless an assertion
// expects it.
func TestExpectedFailures(t *testing.T) {
	t.Parallel()
	for script, noted := range map[string]bool{
		"prompt Push\nfired BeforeTool guard failed~'exit status 1'":  false,
		"prompt Push\nstderr ~'hook \"guard\" for BeforeTool failed'": true,
	} {
		said, res := nothing{script: script, hooks: command("exit 1"), model: aTrue}.run(t, testbed.Options{Driver: Open})
		assert.True(t, res.Passed(), said)
		assert.Equal(t, noted, strings.Contains(said, "it failed, which blocks nothing: exit status 1"), said)
	}
}
