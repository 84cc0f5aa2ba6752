package script

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"minigem/llm"
)

// Recorder is an [llm.Provider] that passes every call on and records the answers as a
// script (--record-responses). A call is written once it is complete; failed and
// cancelled calls are not. If the consumer stops early, what it read is written, because
// the consumer of a replay will stop there too. Answers are recorded without modelVersion
// and responseId, so that two recordings of one answer are equal. A Recorder is safe for
// concurrent use; the lines are in the order in which calls ended.
type Recorder struct {
	model llm.Provider
	mask  func(string) string

	mu  sync.Mutex
	out io.WriteCloser
	err error // the first write error
}

var _ llm.Provider = (*Recorder)(nil)

// Record makes a Recorder that appends to the file at path, which is created with the
// mode 0600. The caller must call [Recorder.Close]. mask takes secrets out of a text and
// must keep JSON valid; nil takes none out. The error is about the file.
func Record(model llm.Provider, path string, mask func(string) string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening recording: %w", err)
	}
	if mask == nil {
		mask = func(text string) string { return text }
	}
	return &Recorder{model: model, mask: mask, out: f}, nil
}

// Close closes the file and returns the first write error: calls to the model never
// return one. Call it once, after all calls have ended.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.out.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("closing recording: %w", err)
	}
	return r.err
}

// Stream implements [llm.Model]. An answer is recorded when it is complete, or as far
// as it was read if the consumer stops early. One that ends with an error is not
// recorded, nor one whose ctx has ended.
func (r *Recorder) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var chunks []llm.Chunk
		for c, err := range r.model.Stream(ctx, req) {
			if err != nil {
				yield(c, err)
				return
			}
			chunks = append(chunks, c)
			if !yield(c, nil) {
				break
			}
		}
		if ctx.Err() == nil {
			r.write(Streamed(chunks...))
		}
	}
}

// Generate implements [llm.Generator]. A call that fails is not recorded.
func (r *Recorder) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	c, err := r.model.Generate(ctx, req)
	if err == nil {
		r.write(Answered(c))
	}
	return c, err
}

// CountTokens implements [llm.TokenCounter]. A call that fails is not recorded.
func (r *Recorder) CountTokens(ctx context.Context, req llm.Request) (int, error) {
	n, err := r.model.CountTokens(ctx, req)
	if err == nil {
		r.write(Counted(n))
	}
	return n, err
}

// write appends e. An error is kept for Close: the answer itself is good.
func (r *Recorder) write(e Entry) {
	e.Chunks = Masked(e.Chunks, r.mask)
	for i := range e.Chunks {
		e.Chunks[i].ModelVersion, e.Chunks[i].ResponseID = "", ""
	}
	var line bytes.Buffer
	err := Write(&line, []Entry{e})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = io.WriteString(r.out, r.mask(line.String()))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("writing recording: %w", err)
	}
}

// Masked returns a copy of chunks with mask applied to their texts. It also finds a
// secret that a stream splits between chunks: then the first text holds all of it, and
// the texts after it are empty. Parts other than [llm.Text] are left as they are.
func Masked(chunks []llm.Chunk, mask func(string) string) []llm.Chunk {
	var before, after strings.Builder
	each := rewrite(chunks, func(text string) string {
		before.WriteString(text)
		text = mask(text)
		after.WriteString(text)
		return text
	})
	whole := mask(before.String())
	if whole == after.String() {
		return each
	}
	return rewrite(chunks, func(string) string {
		text := whole
		whole = ""
		return text
	})
}

// rewrite returns a copy of chunks with change applied to each text.
func rewrite(chunks []llm.Chunk, change func(string) string) []llm.Chunk {
	out := slices.Clone(chunks)
	for i, c := range out {
		out[i].Parts = slices.Clone(c.Parts)
		for k, p := range c.Parts {
			if t, ok := p.(llm.Text); ok {
				t.Text = change(t.Text)
				out[i].Parts[k] = t
			}
		}
	}
	return out
}
