package waittest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// ending is a test whose deadline is at end.
type ending struct {
	testing.TB
	end time.Time
}

func (e *ending) Deadline() (time.Time, bool) { return e.end, true }

func (e *ending) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func TestWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		e := &ending{TB: t, end: begun.Add(time.Hour)}
		Until(e, func() bool { return time.Since(begun) > Limit/2 })
		Closed(e, time.After(Limit/2))
		never := func() { Until(e, func() bool { return false }, "the end of %d", 3) }
		waited := time.Now()
		assert.PanicsWithValue(t, "this never came: the end of 3", never)
		assert.Equal(t, Limit, time.Since(waited))
		e.end = time.Now().Add(40 * time.Second)
		waited = time.Now()
		assert.PanicsWithValue(t, "this never came: the end of 3", never)
		assert.Equal(t, 20*time.Second, time.Since(waited), "in time for words")
		assert.PanicsWithValue(t, "this never came: what the test waits for", func() { Closed(e, make(chan bool)) })
	})
	limit, limited := t.Deadline()
	end, ends := Lifetime(t).Deadline()
	assert.Equal(t, limited, ends)
	assert.False(t, end.After(limit))
}
