package played

import "sync"

// course tracks the progress of a session. It is safe for concurrent use.
type course struct {
	mu sync.Mutex
	at progress
}

// progress is how far a session is.
type progress struct {
	retrying  bool     // the next prompt comes from a hook
	goneOn    int      // how often a hook made it continue
	prompts   bool     // a hook acted on a prompt
	ended     string   // why a hook ended the run before its first request
	system    string   // what hooks added to the system instruction
	requested int      // the number of requests to the model
	answers   []string // its non-empty texts since the prompt, as Gemini CLI reports them (core/core/client.ts)
}

// note changes the progress, and returns it.
func (c *course) note(change func(*progress)) progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.at)
	return c.at
}

func (c *course) now() progress { return c.note(func(*progress) {}) }
