package waittest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// ending is a test that go test ends an hour from now.
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
		Until(e, func() bool { return time.Since(begun) > 10*time.Minute })
		Closed(e, time.After(time.Minute))
		assert.PanicsWithValue(t, "this never came: the end of 3", func() { Until(e, func() bool { return false }, "the end of %d", 3) })
		assert.Equal(t, time.Hour-30*time.Second, time.Since(begun), "in time for words")
		assert.PanicsWithValue(t, "this never came: what the test waits for", func() { Closed(e, make(chan bool)) })
	})
	limit, limited := t.Deadline()
	end, ends := Context(t).Deadline()
	assert.Equal(t, limited, ends)
	assert.False(t, end.After(limit))
}
