package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// startPercent puts the first garbage collection at a heap of 16 MiB instead of 4. A
// heap larger than largeHeap grows by only largePercent between two collections, so
// that a session takes little more memory than it needs.
const (
	startPercent = 400
	largePercent = 20
	largeHeap    = 48 << 20
)

// delayCollection keeps the garbage collector from running before the heap reaches 16
// MiB, which a short run never does. A short run's only collection took a tenth of its
// CPU time. From the first collection on, the collector runs as usual, unless the heap
// is large. If GOGC is set in the environment, nothing changes.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	afterCollection(debug.SetGCPercent(startPercent))
}

// afterCollection sets the percentage after each collection, to usual or to
// largePercent.
func afterCollection(usual int) {
	// The next collection finds this unreferenced object.
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
