package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/waittest"
)

// percent returns the current GC percentage, from SetGCPercent or GOGC.
func percent() int {
	now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(now)
	return int(now[0].Value.Uint64())
}

func TestDelayCollection(t *testing.T) {
	before := percent()
	t.Cleanup(func() { debug.SetGCPercent(before) })

	t.Setenv("GOGC", "50")
	delayCollection()
	assert.Equal(t, before, percent(), "what the environment says holds")

	t.Setenv("GOGC", "")
	delayCollection()
	assert.Equal(t, startPercent, percent())
	runtime.GC()
	waittest.Until(t, func() bool { return percent() == before }, "the default comes back with the first collection")
}
