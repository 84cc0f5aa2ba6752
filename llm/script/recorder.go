package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"minigem/llm"
)

// Recorder is an [llm.Provider] that passes every call on and records the
// answers as a script (--record-responses). A call is written once it is
// complete; failed and cancelled calls are not. If the consumer stops early,
// what it read is written, because the consumer of a replay will stop there
// too. Answers are reduced to candidates, usageMetadata and promptFeedback. A
// Recorder is safe for concurrent use; the lines are in the order in which
// calls ended.
type Recorder struct {
	model   llm.Provider
	secrets *strings.Replacer

	mu  sync.Mutex
	out io.WriteCloser
	err error // the first write error
}

var _ llm.Provider = (*Recorder)(nil)

// minSecret is the length below which a secret is not masked: replacing every
// "1" would destroy the recording.
const minSecret = 4

const mask = "***"

// Record makes a Recorder that appends to the file at path, which only the user
// may read (0600). Secrets are masked, except those of less than four bytes and
// those that a stream splits between two chunks.
func Record(model llm.Provider, path string, secrets []string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening recording: %w", err)
	}
	return &Recorder{model: model, secrets: masker(secrets), out: f}, nil
}

// masker replaces secrets in JSON text, where quotes and backslashes, and
// sometimes "<", ">" and "&", are escaped. Longer ones go first, since one may
// contain another.
func masker(secrets []string) *strings.Replacer {
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		pairs = append(pairs, inJSON(s, false), mask, inJSON(s, true), mask)
	}
	return strings.NewReplacer(pairs...)
}

// inJSON returns s as a JSON string without the quotes.
func inJSON(s string, escapeHTML bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(s) // a string can always be encoded
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// Close closes the file and returns the first write error, which no call
// returned.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.out.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("closing recording: %w", err)
	}
	return r.err
}

// Stream implements [llm.Model].
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

// Generate implements [llm.Generator].
func (r *Recorder) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	c, err := r.model.Generate(ctx, req)
	if err == nil {
		r.write(Answered(c))
	}
	return c, err
}

// CountTokens implements [llm.TokenCounter].
func (r *Recorder) CountTokens(ctx context.Context, req llm.Request) (int, error) {
	n, err := r.model.CountTokens(ctx, req)
	if err == nil {
		r.write(Counted(n))
	}
	return n, err
}

func (r *Recorder) write(e Entry) {
	for i := range e.Chunks {
		e.Chunks[i].ModelVersion, e.Chunks[i].ResponseID = "", ""
	}
	var line bytes.Buffer
	err := Write(&line, []Entry{e})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = io.WriteString(r.out, r.secrets.Replace(line.String()))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("writing recording: %w", err)
	}
}
