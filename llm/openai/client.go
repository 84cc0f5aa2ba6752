// Package openai calls models by OpenAI's chat completions, which many servers speak:
// OpenAI's own, and those that run models locally, such as Ollama, LM Studio and
// llama.cpp. It speaks HTTP itself: the vendor's client is larger than the rest of
// minigem.
//
//	o, err := openai.OptionsFor("ollama/qwen3:8b", os.Getenv)
//	if err == nil {
//		err = o.Check()
//	}
//	client := openai.New(o)
//
// The Responses API, audio and embeddings are not supported. Parts that only Gemini knows
// ([llm.Opaque]) are an error, and thoughts are not sent back.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"runtime"

	"minigem/internal/silence"
	"minigem/llm"
	"minigem/llm/internal/remote"
)

// Client is an [llm.Provider] for a server that speaks chat completions. It is safe for
// concurrent use and needs no closing. Its errors are [*llm.Error], without any secret in
// them, or the context's own once that has ended.
type Client struct {
	opts     Options
	secrets  remote.Secrets
	attempts remote.Attempts
}

var _ llm.Provider = (*Client)(nil)

// New makes a Client without connecting. If o lacks something, the first call fails with
// the error of [Options.Check].
func New(o Options) *Client {
	if o.Silence <= 0 {
		o.Silence = silence.Default
	}
	o.Transport = remote.Transport(o.Transport)
	return &Client{
		opts: o, secrets: o.secrets(),
		attempts: remote.Attempts{Max: o.MaxAttempts, NoFetchRetries: o.NoFetchRetries, Local: o.local(), Notify: o.Notify,
			Rand: o.Rand},
	}
}

// exchange is one request and its answer.
type exchange struct {
	ctx    context.Context // of this attempt, for its cause
	status int             // 0 means no answer
	header http.Header
	opened bool // a part of the answer was given on
}

// call asks for an answer, until an attempt succeeds or none is left.
func (c *Client) call(ctx context.Context, body []byte, read func(*exchange, io.Reader) error) error {
	return c.attempts.Do(ctx, func() error { return c.try(ctx, http.MethodPost, "/chat/completions", body, read) })
}

// try makes one request of any kind; see attempt.
func (c *Client) try(ctx context.Context, method, path string, body []byte,
	read func(*exchange, io.Reader) error) error {
	if err := c.opts.Check(); err != nil {
		return err
	}
	inner, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	x := &exchange{ctx: inner}
	err := c.send(x, giveUp, method, path, body, read)
	if err == nil || errors.Is(err, errConsumerLeft) {
		return err
	}
	return c.callError(ctx, err, x)
}

// send makes the request and lets read read the body of a successful answer.
func (c *Client) send(x *exchange, giveUp context.CancelCauseFunc, method, path string, body []byte,
	read func(*exchange, io.Reader) error) error {
	req, err := http.NewRequestWithContext(x.ctx, method, c.opts.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "minigem/"+c.opts.Version+" ("+runtime.GOOS+"; "+runtime.GOARCH+")")
	if c.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.APIKey)
	}
	// Not by an http.Client: a redirect could carry the key to another server.
	resp, err := silence.Watch{Limit: c.opts.Silence, GiveUp: giveUp}.RoundTrip(c.opts.Transport, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	x.status, x.header = resp.StatusCode, resp.Header
	if resp.StatusCode/100 != 2 {
		data, err := remote.ReadAnswer(resp.Body, false)
		if err != nil {
			return err
		}
		return &refusal{data}
	}
	return read(x, resp.Body)
}

// errConsumerLeft ends a stream whose consumer stopped early.
var errConsumerLeft = errors.New("the consumer left")

// Stream implements [llm.Model]. Text and thoughts arrive as they are streamed, the tool
// calls of an answer with its last chunk. Before the server answers, a call is repeated
// up to [Options.MaxAttempts] times. An error after the first chunk has Opened set and is
// not retried here; its kind is [llm.ErrStream] if repeating the request may help.
//
// A finish reason of the API becomes the Gemini API's word for it. Calls and thoughts
// that the server left in the text (<tool_call>, <think>) are read; a call in a form that
// is not read ends the answer with MALFORMED_FUNCTION_CALL.
func (c *Client) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		body, err := c.body(req, true)
		if err == nil {
			err = c.call(ctx, body, func(x *exchange, r io.Reader) error {
				return stream(x, r, req.Offers, func(chunk llm.Chunk) bool { return yield(chunk, nil) })
			})
		}
		if err != nil && !errors.Is(err, errConsumerLeft) {
			yield(llm.Chunk{}, err)
		}
	}
}

// stream yields the chunks of an answer. A stream that ends without a finish reason and
// without [DONE] broke off.
func stream(x *exchange, r io.Reader, offered func(string) bool, yield func(llm.Chunk) bool) error {
	events := remote.NewEvents(r)
	a := assembly{texts: texts{offered: offered}}
	for {
		data, err := events.Next()
		if err == io.EOF && (a.finish != "" || events.Done()) {
			break
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		in, err := decode(data)
		if err != nil {
			return err
		}
		if c, ok := a.add(in); ok {
			if x.opened = true; !yield(c) {
				return errConsumerLeft
			}
		}
	}
	if a.finish == "" { // "[DONE]" says that it is whole
		a.finish = "stop"
	}
	if x.opened = true; !yield(a.end()) {
		return errConsumerLeft
	}
	return nil
}

// decode reads one answer or event. An error that the server sends with status 200 is a
// refusal, too.
func decode(data []byte) (answer, error) {
	var in answer
	if err := json.Unmarshal(data, &in); err != nil {
		return in, remote.NotAnAnswer(data)
	}
	if len(in.Error) > 0 && string(in.Error) != "null" {
		return in, &refusal{data}
	}
	return in, nil
}

// Generate implements [llm.Generator] by a request that is not streamed. It retries
// like [Client.Stream], but also repeats an answer that broke off, unless
// [Options.NoFetchRetries] is set.
func (c *Client) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	body, err := c.body(req, false)
	if err != nil {
		return llm.Chunk{}, err
	}
	var chunk llm.Chunk
	err = c.call(ctx, body, func(_ *exchange, r io.Reader) error {
		data, err := remote.ReadAnswer(r, true)
		if err != nil {
			return err
		}
		in, err := decode(data)
		if err != nil {
			return err
		}
		a := assembly{texts: texts{offered: req.Offers}}
		first, _ := a.add(in)
		chunk = a.end()
		chunk.Parts = append(first.Parts, chunk.Parts...)
		return nil
	})
	if err != nil {
		return llm.Chunk{}, err
	}
	return chunk, nil
}

// CountTokens implements [llm.TokenCounter] without a request, because the API has none
// for it: it estimates four bytes a token. Its error is about a request that the API
// cannot express.
func (c *Client) CountTokens(_ context.Context, req llm.Request) (int, error) {
	body, err := c.body(req, false)
	return len(body) / 4, err
}
