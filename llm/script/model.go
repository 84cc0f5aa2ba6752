package script

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode/utf8"

	"minigem/llm"
)

// Queue hands out the entries of a script, each once. It is safe for concurrent use. Use
// it to serve a script in another form; [Model] is one as an [llm.Provider].
type Queue struct {
	nonStrict bool

	mu       sync.Mutex
	left     []Entry
	taken    int // entries
	requests int
	name     string
}

// NewQueue makes a Queue of entries, which it copies. Without nonStrict the next entry
// must be for the method of the request. An entry for another method is an error and
// stays in the queue, so that one mistake does not cause others. With nonStrict a request
// gets the first remaining entry of its method.
func NewQueue(entries []Entry, nonStrict bool) *Queue {
	q := &Queue{nonStrict: nonStrict, left: append([]Entry(nil), entries...), name: "the script"}
	if len(entries) > 0 && entries[0].File != "" {
		q.name = entries[0].File
	}
	return q
}

// Left returns how many entries remain. Entries for all methods count.
func (q *Queue) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.left)
}

// Next takes the entry for a request of method m. req is only used for the error, an
// [*llm.Error] of the kind [llm.ErrScript] that names the request by its number, what was
// found instead, and the end of the request.
func (q *Queue) Next(m Method, req llm.Request) (Entry, error) {
	e, _, err := q.take(m, req, true)
	return e, err
}

// Peek is like [Queue.Next], but leaves the entry in the queue. The request is counted.
// Errors are those of Next.
func (q *Queue) Peek(m Method, req llm.Request) (Entry, error) {
	e, _, err := q.take(m, req, false)
	return e, err
}

// take returns the entry for a request, and how many entries were taken, with this one
// if remove is set.
func (q *Queue) take(m Method, req llm.Request, remove bool) (Entry, int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requests++
	i := q.find(m)
	if i < 0 || q.left[i].Method != m {
		return Entry{}, 0, q.missing(m, i, req)
	}
	e := q.left[i]
	if remove {
		// what follows may be long
		copy(q.left[1:], q.left[:i])
		q.left = q.left[1:]
		q.taken++
	}
	return e, q.taken, nil
}

// find returns the index of the next entry; -1: there is none.
func (q *Queue) find(m Method) int {
	if !q.nonStrict {
		return min(0, len(q.left)-1)
	}
	for i, e := range q.left {
		if e.Method == m {
			return i
		}
	}
	return -1
}

// missing returns the error for a request that has no answer; next is the index of the
// entry that was found, or -1.
func (q *Queue) missing(m Method, next int, req llm.Request) error {
	e := &llm.Error{Kind: llm.ErrScript}
	if next < 0 {
		e.Message = fmt.Sprintf("request %d (%s) has no answer left in %s (answers used: %d)", q.requests, m, q.name, q.taken)
		e.Hint = fmt.Sprintf("add an answer (in JSON, a %s line); the request ends with %s", m, tail(req))
		return e
	}
	found := q.left[next]
	e.Message = fmt.Sprintf("request %d is a %s, but the next answer (%s) is for %s", q.requests, m,
		found.Where(q.taken+1), found.Method)
	e.Hint = fmt.Sprintf("add a %s line before it, or use --fake-responses-non-strict; the request ends with %s", m,
		tail(req))
	return e
}

// tail returns the JSON of the request's last message, shortened.
func tail(req llm.Request) string {
	const most = 400 // bytes
	if len(req.Messages) == 0 {
		return "no message"
	}
	data, err := json.Marshal(llm.OnWire(req.Messages[len(req.Messages)-1]))
	if err != nil {
		return "a message that is not JSON: " + err.Error()
	}
	s := string(data)
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s... (%d bytes more)", s[:cut], len(s)-cut)
}

// Model is an [llm.Provider] that answers from a script, whatever is asked. It is safe
// for concurrent use, but the answers are handed out in the order of the requests. Its
// errors are [*llm.Error] of the kind [llm.ErrScript], or the context's own.
type Model struct {
	Answers
	queue *Queue
}

var _ llm.Provider = (*Model)(nil)

// New makes a Model that answers from entries. For nonStrict see [NewQueue]. The
// entries are copied.
func New(entries []Entry, nonStrict bool) *Model {
	m := &Model{queue: NewQueue(entries, nonStrict)}
	m.Answers = m.answer
	return m
}

// Open makes a Model from a fake-responses file: strict for --fake-responses, nonStrict
// for --fake-responses-non-strict. Errors are those of [ParseFile].
func Open(path string, nonStrict bool) (*Model, error) {
	entries, err := ParseFile(path)
	if err != nil {
		return nil, err
	}
	return New(entries, nonStrict), nil
}

// Left returns how many answers remain. A test that used up its script sees 0.
func (m *Model) Left() int { return m.queue.Left() }

// Answers is an [llm.Provider] that takes the answer to each request from a function.
type Answers func(ctx context.Context, method Method, req llm.Request) (Entry, error)

// Stream implements [llm.Model]. It adds nothing to the scripted chunks: if the last one
// has no finish reason, the agent sees an answer that broke off. An entry is used up even
// if the consumer stops early. An entry with a fault is an error.
func (a Answers) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		e, err := a(ctx, Stream, req)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		for _, c := range e.Chunks {
			if err := ctx.Err(); err != nil {
				yield(llm.Chunk{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator] with the next entry of the method [Whole].
func (a Answers) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	e, err := a(ctx, Whole, req)
	if err != nil {
		return llm.Chunk{}, err
	}
	return e.Chunks[0], nil
}

// CountTokens implements [llm.TokenCounter] with the next entry of the method [Count]. It
// counts nothing itself.
func (a Answers) CountTokens(ctx context.Context, req llm.Request) (int, error) {
	e, err := a(ctx, Count, req)
	return e.Tokens, err
}

// answer takes the entry for a request. Once ctx has ended, none is taken.
func (m *Model) answer(ctx context.Context, method Method, req llm.Request) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	e, n, err := m.queue.take(method, req, true)
	if err != nil {
		return Entry{}, err
	}
	if e.Fault != nil {
		return Entry{}, &llm.Error{
			Kind:    llm.ErrScript,
			Message: fmt.Sprintf("%s has a fault: %s", e.Where(n), strings.TrimSpace(string(e.Fault))),
			Hint:    "faults need the fake server (minigem fake-api); take the line out or run against that",
		}
	}
	return e, nil
}
