package played

import (
	"strings"
	"sync"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// course is how a session went so far.
type course struct {
	mu        sync.Mutex
	retrying  bool     // the next prompt is a hook's
	goneOn    int      // how often a hook made it go on
	prompts   bool     // a hook did something with a prompt
	ended     string   // a hook ended the run before its first request
	system    string   // what hooks said for the system instruction
	requested int      // how many requests the model got
	answers   []string // the texts that it answered, except empty ones
}

func (c *course) keepAnswer(a answerText) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text := strings.Join(a.chunks, " "); text != "" {
		c.answers = append(c.answers, text)
	}
}

// answered is all that the model said since the prompt, as Gemini CLI tells it
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

// request counts one, and returns what hooks said for its system instruction.
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

// wentOn is how often a hook made the agent go on.
func (c *course) wentOn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.goneOn
}

// goOn is wentOn once another hook made it go on.
func (c *course) goOn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retrying = true
	c.goneOn++
	return c.goneOn
}

// end keeps why a hook ended the run before its first request.
func (c *course) end(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = why
}

// say keeps what hooks said for the system instruction.
func (c *course) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.system = text
}

// prompt says why there is no first request, if there is none; acted: a hook did
// something with the prompt.
func (c *course) prompt(acted bool) (ended string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prompts = c.prompts || acted
	return c.ended
}

// noteRetry forgets, once the prompt of a hook is on its way, that it is one.
func (c *course) noteRetry(f hooks.Firing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Event == protocol.BeforeAgent {
		c.retrying = false
	}
}
