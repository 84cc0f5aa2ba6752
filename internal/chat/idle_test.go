package chat

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/wiring"
)

// Notification fires once if the prompt waits for a minute, and not before.
func TestIdleAfterAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var fired atomic.Int64
		c := &Chat{Ctx: t.Context(), live: &live{runtime: &wiring.Runtime{Engine: &hooks.Engine{
			ReportIdle: true, Report: func(r hooks.Report) {
				assert.Equal(t, protocol.Notification, r.Event)
				fired.Add(1)
			},
		}}}}
		stop := c.whenIdle()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		assert.Zero(t, fired.Load())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 1, fired.Load())
		time.Sleep(time.Hour)
		stop()
		assert.EqualValues(t, 1, fired.Load(), "once")
		c.whenIdle()() // a prompt that is answered at once
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, fired.Load())
	})
}
