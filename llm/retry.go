package llm

import "time"

// Retry says that an attempt at a call failed and another one follows after
// Delay.
type Retry struct {
	Attempt int // the one that failed, from 1
	Max     int
	Delay   time.Duration
	Reason  string // one sentence, no trailing period
}
