package app

import (
	"os"
	"runtime"
	"runtime/debug"
)

// startPercent puts the first garbage collection at a heap of 16 MiB, in place of 4.
// A heap of more than largeHeap bytes grows by largePercent alone between two
// collections, so that a session takes little more memory than it needs.
const (
	startPercent = 400
	largePercent = 20
	largeHeap    = 48 << 20
)

// DelayCollection keeps the garbage collector from running before the heap has
// 16 MiB, which a short run never needs: its one collection took a tenth of its CPU
// time. From the first collection on, the collector runs as it does by default,
// unless the heap is large. A GOGC in the environment is left alone.
func DelayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	afterCollection(debug.SetGCPercent(startPercent))
}

// afterCollection sets the percentage after each collection: usual, or less.
func afterCollection(usual int) {
	// What nothing refers to is found by the next collection.
	runtime.AddCleanup(new(any), func(usual int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > largeHeap {
			debug.SetGCPercent(largePercent)
		} else {
			debug.SetGCPercent(usual)
		}
		afterCollection(usual)
	}, usual)
}
