package llm

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// Fake is a [Model] for tests: it gives its answers in order and keeps every
// request. The zero Fake has no answers and returns an error that says so.
type Fake struct {
	Answers []FakeAnswer

	mu       sync.Mutex
	requests []Request
}

// FakeAnswer is one answer of a [Fake]: chunks, then Err if it is not nil. If
// Wait is not nil, the last chunk waits until Wait is received from or ctx
// ends.
type FakeAnswer struct {
	Chunks []Chunk
	Err    error
	Wait   <-chan struct{}
}

// FakeText makes an answer of one chunk of text that is finished.
func FakeText(text string) FakeAnswer {
	return FakeAnswer{Chunks: []Chunk{{Parts: []Part{Text{Text: text}}, FinishReason: "STOP"}}}
}

// FakeCalls makes an answer of one chunk of calls that is finished.
func FakeCalls(calls ...ToolCall) FakeAnswer {
	c := Chunk{FinishReason: "STOP"}
	for _, call := range calls {
		c.Parts = append(c.Parts, call)
	}
	return FakeAnswer{Chunks: []Chunk{c}}
}

// Requests returns a copy of the requests so far.
func (f *Fake) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

func (f *Fake) next(req Request) (FakeAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	if n := len(f.requests); n <= len(f.Answers) {
		return f.Answers[n-1], nil
	}
	return FakeAnswer{}, &Error{Kind: ErrScript, Message: fmt.Sprintf("fake model has no answer %d", len(f.requests))}
}

// Stream implements [Model].
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

// Generate implements [Generator]: it joins the chunks of the next answer.
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
