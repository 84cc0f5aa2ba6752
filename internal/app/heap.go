package app

import (
	"os"
	"runtime"
	"runtime/debug"
)

// startPercent puts the first garbage collection at a heap of 16 MiB, in place of 4.
const startPercent = 400

// DelayCollection keeps the garbage collector from running before the heap has
// 16 MiB, which a short run never needs: its one collection took a tenth of its CPU
// time. From the first collection on, the collector runs as it does by default.
// A GOGC in the environment is left alone.
func DelayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	before := debug.SetGCPercent(startPercent)
	// What nothing refers to is found by the first collection.
	runtime.AddCleanup(new(any), func(percent int) { debug.SetGCPercent(percent) }, before)
}
