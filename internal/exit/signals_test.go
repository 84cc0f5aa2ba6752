package exit

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestImpatientSignals(t *testing.T) {
	t.Parallel()
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		assert.False(t, impatient(s, 0))
		assert.False(t, impatient(s, time.Hour), "%v counts once", s)
	}
	assert.False(t, impatient(os.Interrupt, moment-1), "one that was sent twice")
	assert.True(t, impatient(os.Interrupt, moment))
}
