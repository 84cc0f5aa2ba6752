package agent

import (
	"fmt"
	"maps"
	"time"

	"minigem/llm"
)

// ids gives each call of a session a unique id, so that each result finds its
// call: the API's own id if it was not used before, else "<name>_<epoch
// milliseconds>_<counter>", in the form of session files (core/core/turn.ts).
// Ids are unique without the name too, because requests leave it off.
type ids struct {
	used    map[string]bool
	fresh   map[string]bool // ids of the answer being streamed
	counter int             // restarts with each answer
	now     func() time.Time
}

// usedIDs caches the ids of the calls in a history.
type usedIDs struct {
	from []llm.Message // the history that used was read from
	used map[string]bool
}

// idsOf returns the ids for calls that follow history.
func (a *Agent) idsOf(history []llm.Message) ids {
	n := &a.usedIDs
	if n.used == nil || !llm.Extends(history, n.from) {
		*n = usedIDs{used: map[string]bool{}}
	}
	for _, m := range history[len(n.from):] {
		for _, c := range m.Calls() {
			n.used[llm.WireID(c.Name, c.ID)] = true
		}
	}
	n.from = history
	return ids{used: n.used, now: a.now}
}

// begin discards the ids of an answer that was not kept.
func (s *ids) begin() { s.fresh, s.counter = map[string]bool{}, 0 }

// keep records the ids of the answer as used.
func (s *ids) keep() { maps.Copy(s.used, s.fresh) }

// name returns c with an id for each call. It does not change c.
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

// call gives c an id that no other call of the session has. A call without a name gets
// one, because the result has to name its call.
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
