package agent

import (
	"fmt"
	"maps"
	"time"

	"minigem/llm"
)

// ids names the calls of a session so that each result finds its call: the
// API's own id where there is one that was not used before, else
// "<name>_<epoch milliseconds>_<counter>", in the form of session files
// (core/core/turn.ts). Uniqueness is that of the wire, where names are left off.
type ids struct {
	used    map[string]bool
	fresh   map[string]bool // of the answer being streamed
	counter int             // within it
	now     func() time.Time
}

// namedCalls are the names that the calls of a history have.
type namedCalls struct {
	from []llm.Message // the history when it was last looked at
	used map[string]bool
}

// idsOf names the calls that come after history.
func (a *Agent) idsOf(history []llm.Message) ids {
	n := &a.named
	if n.used == nil || !llm.Extends(history, n.from) {
		*n = namedCalls{used: map[string]bool{}}
	}
	for _, m := range history[len(n.from):] {
		for _, c := range m.Calls() {
			n.used[llm.WireID(c.Name, c.ID)] = true
		}
	}
	n.from = history
	return ids{used: n.used, now: a.now}
}

// begin forgets the names of an answer that was not kept.
func (s *ids) begin() { s.fresh, s.counter = map[string]bool{}, 0 }

// keep makes the names of the answer the session's.
func (s *ids) keep() { maps.Copy(s.used, s.fresh) }

// name returns c with its calls named; c itself stays as it is.
func (s *ids) name(c llm.Chunk) llm.Chunk {
	parts := make([]llm.Part, len(c.Parts))
	for i, p := range c.Parts {
		if call, ok := p.(llm.ToolCall); ok {
			p = s.call(call)
		}
		parts[i] = p
	}
	c.Parts = parts
	return c
}

func (s *ids) call(c llm.ToolCall) llm.ToolCall {
	if c.Name == "" {
		c.Name = "generic_tool"
	}
	id := llm.WireID(c.Name, c.ID)
	for id == "" || s.used[id] || s.fresh[id] {
		id = fmt.Sprintf("%s_%d_%d", c.Name, s.now().UnixMilli(), s.counter)
		s.counter++
	}
	s.fresh[id] = true
	c.ID = llm.SessionID(c.Name, id)
	return c
}
