package played

import (
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// course tracks the progress of a session.
type course struct {
	mu        sync.Mutex
	retrying  bool     // the next prompt comes from a hook
	goneOn    int      // how often a hook made it continue
	prompts   bool     // a hook acted on a prompt
	ended     string   // why a hook ended the run before its first request
	system    string   // what hooks added to the system instruction
	requested int      // the number of requests to the model
	answers   []string // its non-empty texts
}

func (c *course) keepAnswer(a answerText) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text := strings.Join(a.chunks, " "); text != "" {
		c.answers = append(c.answers, text)
	}
}

// answered returns what the model has said since the prompt, as Gemini CLI reports it
// (core/core/client.ts).
func (c *course) answered() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.answers, "\n")
}

func (c *course) requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requested
}

// request counts a request and returns what hooks added to its system instruction.
func (c *course) request() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requested++
	return c.system
}

func (c *course) retries() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.retrying
}

// wentOn returns how often a hook made the agent continue.
func (c *course) wentOn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.goneOn
}

// goOn counts another continuation and returns their number.
func (c *course) goOn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retrying = true
	c.goneOn++
	return c.goneOn
}

// end records why a hook ended the run before its first request.
func (c *course) end(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = why
}

// say records what hooks add to the system instruction.
func (c *course) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.system = text
}

// prompt records whether a hook acted on the prompt, and returns why there is no first
// request, if there is none.
func (c *course) prompt(acted bool) (ended string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prompts = c.prompts || acted
	return c.ended
}

// noteRetry clears the retry mark once the prompt of a hook has been submitted.
func (c *course) noteRetry(f hooks.Firing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Event == protocol.BeforeAgent {
		c.retrying = false
	}
}
