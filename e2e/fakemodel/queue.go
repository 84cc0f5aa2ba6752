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

// queue hands out turns, each once.
type queue struct {
	mu       sync.Mutex
	left     []Turn
	taken    int
	repeated map[script.Method]*Turn
	failed   map[string]script.Entry // by what was asked: failures that are for good
}

func newQueue(turns []Turn) *queue {
	return &queue{left: slices.Clone(turns), repeated: map[script.Method]*Turn{}, failed: map[string]script.Entry{}}
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.left)
}

// take returns the first turn left of method m, or the last one that repeats
// itself; nil: there is none. n is its number among those that were taken.
func (q *queue) take(m script.Method, remove bool) (t *Turn, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, t := range q.left {
		if t.Method != m {
			continue
		}
		if remove {
			q.left = slices.Delete(q.left, i, i+1)
			q.taken++
			if t.Repeat {
				q.repeated[m] = &t
			}
		}
		return &t, q.taken
	}
	return q.repeated[m], q.taken
}

// failure returns what a request gets that asks the same as one that failed for
// good: not the next turn. Many clients do ask again, some for minutes.
func (q *queue) failure(asked string) (script.Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.failed[asked]
	return e, ok
}

// giveUp is the status with which all clients that were tried give up at once.
// For a bad request Claude Code asks five times more, of a 429 or 503 for minutes,
// whatever it is told.
const giveUp = http.StatusForbidden

// giveUp is that status; clients of Gemini give up for a bad request, too.
func (x *exchange) giveUp() int {
	if x.rec.Protocol == Gemini {
		return http.StatusBadRequest
	}
	return giveUp
}

func (q *queue) keepFailure(asked string, e script.Entry) {
	var f Fault
	if e.Fault == nil || json.Unmarshal(e.Fault, &f) != nil || !f.Final {
		return
	}
	f.Message = f.Text()
	f.Status = giveUp
	e.Fault, _ = json.Marshal(f) // it was read from JSON
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed[asked] = e
}

// conversation is the same for requests that ask the same.
func (x *exchange) conversation() string {
	data, err := json.Marshal(x.asked.Messages)
	if err != nil {
		return fmt.Sprint(x.rec.Number) // then nothing is the same
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// pick finds the turn for the request, and puts it into the words of its tools.
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
	if e, ok := x.s.queue.failure(asked); ok {
		x.rec.Again = true
		return e, nil
	}
	t, n := x.s.queue.take(m, remove)
	if t == nil {
		if t = x.unscripted(m); t == nil {
			return script.Entry{}, &llm.Error{Kind: llm.ErrScript, Message: "the script has no answer left for this request"}
		}
		return x.translate(*t)
	}
	x.rec.Answer = t.Where(n)
	if remove {
		x.s.queue.keepFailure(asked, t.Entry)
	}
	return x.translate(*t)
}

// unscripted answers where the script says nothing; nil: it should have.
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

// translate makes calls of a turn's actions, gives calls their ids, and says
// what the request does not offer.
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

// called makes a call ready to go out, and notes it.
func (x *exchange) called(c llm.ToolCall, a *script.Action) llm.ToolCall {
	if c.ID == "" && x.rec.Protocol != Gemini { // there it may have none
		c.ID = x.id(callIDs[x.rec.Protocol], len(x.rec.Calls)+1)
	}
	if c.Args == nil {
		c.Args = map[string]any{}
	}
	x.rec.Calls = append(x.rec.Calls, Call{c, a})
	x.checkCall(c)
	return c
}

var callIDs = map[Protocol]string{Anthropic: "toolu_", Responses: "call_", Chat: "call_"}

// id makes an id for the n-th thing of its kind in the answer.
func (x *exchange) id(prefix string, n int) string {
	return fmt.Sprintf("%sfake%012d%04d", prefix, x.rec.Number, n)
}
