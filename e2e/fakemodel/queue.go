package fakemodel

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"minigem/llm"
	"minigem/llm/script"
)

// Queue hands out each turn once. It is safe for concurrent use.
type Queue struct {
	mu       sync.Mutex
	left     []Turn
	taken    int
	repeated map[key]Turn
}

// key identifies turns that are handed out in order.
type key struct {
	agent  string
	method script.Method
}

// NewQueue returns a Queue of turns.
func NewQueue(turns []Turn) *Queue {
	return &Queue{left: slices.Clone(turns), repeated: map[key]Turn{}}
}

// Left returns the turns that were not handed out.
func (q *Queue) Left() []Turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.left)
}

// Take returns the first remaining turn of an agent and a method, or else the last one of
// them that repeats. Unless it is to be removed, it stays in the queue. n is the number of
// turns taken.
func (q *Queue) Take(agent string, m script.Method, remove bool) (t Turn, n int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	of := key{agent, m}
	for i, t := range q.left {
		if of != (key{t.Agent, t.Method}) {
			continue
		}
		if remove {
			copy(q.left[1:], q.left[:i]) // shifts the front: the rest may be long
			q.left = q.left[1:]
			q.taken++
			if t.Repeat {
				q.repeated[of] = t
			}
		}
		return t, q.taken, true
	}
	t, ok = q.repeated[of]
	return t, q.taken, ok
}

// failure returns the answer for a request that repeats one that failed permanently,
// instead of the next turn. Many clients retry even then, some for minutes.
func (s *Server) failure(asked string) (script.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.failed[asked]
	return e, ok
}

// giveUp is the status on which all tested clients give up at once. Claude Code retries a
// bad request five times, and a 429 or 503 for minutes, whatever the response says.
const giveUp = http.StatusForbidden

// giveUp returns that status, except for Gemini's clients, which give up after a bad
// request too.
func (x *exchange) giveUp() int {
	if x.rec.Protocol == Gemini {
		return http.StatusBadRequest
	}
	return giveUp
}

func (s *Server) keepFailure(asked string, e script.Entry) {
	var f Fault
	if e.Fault == nil || json.Unmarshal(e.Fault, &f) != nil || !f.Final {
		return
	}
	f.Message = f.Text()
	f.Status = giveUp
	e.Fault, _ = json.Marshal(f) // it was decoded from JSON
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[asked] = e
}

// conversation returns a key that is equal for requests with equal messages.
func (x *exchange) conversation() string {
	data, err := json.Marshal(x.asked.Messages)
	if err != nil {
		return fmt.Sprint(x.rec.Number) // a unique key
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// pick finds the turn for the request and translates it for its tools.
func (x *exchange) pick(m script.Method, remove bool) (script.Entry, error) {
	if q := x.s.entries; q != nil {
		take := q.Peek
		if remove {
			take = q.Next
		}
		e, err := take(m, x.asked.Request)
		if err == nil {
			x.rec.Answer = e.Where(x.rec.Number)
		}
		return e, err
	}
	asked := x.conversation()
	if e, ok := x.s.failure(asked); ok {
		x.rec.Again = true
		return e, nil
	}
	t, n, ok := x.s.queue.Take("", m, remove)
	if !ok {
		t := x.unscripted(m)
		if t == nil {
			return script.Entry{}, &llm.Error{Kind: llm.ErrScript, Message: "the script has no answer left for this request"}
		}
		return x.translate(*t)
	}
	if t.Err != nil && t.Fault == nil { // it fails at once: its client is told not to retry
		t.Fault, _ = json.Marshal(Fault{Status: t.Err.Status, Message: t.Err.Message, Final: true}) // these always marshal
	}
	x.rec.Answer = t.Where(n)
	if remove {
		x.s.keepFailure(asked, t.Entry)
	}
	return x.translate(t)
}

// unscripted returns the default answer if the script has none. It returns nil if the
// script should have had one and Empty is not set.
func (x *exchange) unscripted(m script.Method) *Turn {
	switch m {
	case script.Whole:
		t := sideAnswer(x.asked.schema)
		return &t
	case script.Count:
		return &Turn{Entry: script.Counted(len(x.rec.Body)/4 + 1)}
	}
	x.rec.Missing = true
	x.problem("the script has no answer left for this request")
	return x.s.opts.Empty
}

// translate converts a turn's actions to calls, gives calls their ids, and reports calls
// that the request does not offer.
func (x *exchange) translate(t Turn) (script.Entry, error) {
	e := t.Entry
	e.Chunks = slices.Clone(e.Chunks)
	for i, c := range e.Chunks {
		var action *script.Action
		if a, ok := t.Actions[i]; ok {
			calls, err := x.callsOf(a)
			if err != nil {
				x.problem("the script's %s cannot be done: %v", a.Kind, err)
				return script.Entry{}, err
			}
			action = &a
			c.Parts = slices.DeleteFunc(slices.Clone(c.Parts), isCall)
			for _, call := range calls {
				c.Parts = append(c.Parts, call)
			}
		}
		parts := slices.Clone(c.Parts)
		for j, p := range parts {
			if call, ok := p.(llm.ToolCall); ok {
				parts[j] = x.called(call, action)
			}
		}
		e.Chunks[i].Parts = parts
	}
	return e, nil
}

func isCall(p llm.Part) bool { _, ok := p.(llm.ToolCall); return ok }

func (x *exchange) callsOf(a script.Action) ([]llm.ToolCall, error) {
	if x.s.opts.Translate == nil {
		return []llm.ToolCall{a.Call()}, nil
	}
	return x.s.opts.Translate(a, slices.Clone(x.rec.Tools))
}

// called prepares a call to be sent, and records it.
func (x *exchange) called(c llm.ToolCall, a *script.Action) llm.ToolCall {
	if c.ID == "" && x.rec.Protocol != Gemini { // Gemini's calls may have no id
		c.ID = x.id(callIDs[x.rec.Protocol], len(x.rec.Calls)+1)
	}
	if c.Args == nil {
		c.Args = object{}
	}
	x.rec.Calls = append(x.rec.Calls, Call{c, a})
	x.checkCall(c)
	return c
}

var callIDs = map[Protocol]string{Anthropic: "toolu_", Responses: "call_", Chat: "call_"}

// id returns an id for the n-th item of its kind in the answer.
func (x *exchange) id(prefix string, n int) string {
	return fmt.Sprintf("%sfake%012d%04d", prefix, x.rec.Number, n)
}
