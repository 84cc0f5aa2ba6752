package llm

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// Fake is a [Model] and a [Generator] for tests. It gives its answers in order, whatever
// is asked, and keeps every request. Once there is no answer left it returns an [*Error]
// of the kind [ErrScript]; the zero Fake does so from the start. It is safe for
// concurrent use: requests are answered in the order in which they arrive.
type Fake struct {
	// Answers must not be changed after the first request.
	Answers []FakeAnswer

	mu       sync.Mutex
	requests []Request
}

// FakeAnswer is one answer of a [Fake]: chunks, then an error. The zero FakeAnswer is
// an answer that ends without a finish reason, which the agent takes for a broken one.
type FakeAnswer struct {
	// Chunks are yielded in order.
	Chunks []Chunk
	// Err is yielded after the chunks if it is not nil.
	Err error
	// Wait, if it is not nil, holds the last chunk back until something is received from
	// it or ctx ends. Close it to let the chunk through.
	Wait <-chan struct{}
}

// FakeText makes an answer of one chunk of text with the finish reason STOP.
func FakeText(text string) FakeAnswer {
	return FakeAnswer{Chunks: []Chunk{{Parts: []Part{Text{Text: text}}, FinishReason: "STOP"}}}
}

// FakeCalls makes an answer of one chunk of calls with the finish reason STOP. Calls may
// leave ID empty, as the API does: the agent gives them one.
func FakeCalls(calls ...ToolCall) FakeAnswer {
	c := Chunk{FinishReason: "STOP"}
	for _, call := range calls {
		c.Parts = append(c.Parts, call)
	}
	return FakeAnswer{Chunks: []Chunk{c}}
}

// Requests returns a copy of the requests so far, in the order in which they came.
func (f *Fake) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// next keeps req and returns its answer.
func (f *Fake) next(req Request) (FakeAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	if n := len(f.requests); n <= len(f.Answers) {
		return f.Answers[n-1], nil
	}
	return FakeAnswer{}, &Error{Kind: ErrScript, Message: fmt.Sprintf("fake model has no answer %d", len(f.requests))}
}

// Stream implements [Model]. After ctx has ended it yields ctx.Err() and no further
// chunk.
func (f *Fake) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		a, err := f.next(req)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		for i, c := range a.Chunks {
			if a.Wait != nil && i == len(a.Chunks)-1 {
				select {
				case <-a.Wait:
				case <-ctx.Done():
				}
			}
			if ctx.Err() != nil {
				yield(Chunk{}, ctx.Err())
				return
			}
			if !yield(c, nil) {
				return
			}
		}
		if a.Err != nil {
			yield(Chunk{}, a.Err)
		}
	}
}

// Generate implements [Generator]: it joins the parts of the next answer's chunks. All
// other fields come from the last chunk.
func (f *Fake) Generate(ctx context.Context, req Request) (Chunk, error) {
	var whole Chunk
	for c, err := range f.Stream(ctx, req) {
		if err != nil {
			return Chunk{}, err
		}
		parts := append(whole.Parts, c.Parts...)
		whole = c
		whole.Parts = parts
	}
	return whole, nil
}
