package transcript

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"
)

// parallel calls do(0) to do(n-1), on all processors. Each goroutine has its
// own do, which worker makes.
func parallel(n int, worker func() (do func(int))) {
	var next atomic.Int64
	take := func() {
		do := worker()
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			do(i)
		}
	}
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		wg.Go(take)
	}
	take()
	wg.Wait()
}

// valid reports whether text is JSON that does not nest too deep.
func valid(text string) bool { return shallow(text) && gjson.Valid(text) }

// maxDepth is encoding/json's limit.
const maxDepth = 10_000

// shallow reports whether text, if it is JSON, nests at most maxDepth levels deep.
func shallow(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\':
			i++ // what follows ends no string
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return false
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return true
}
