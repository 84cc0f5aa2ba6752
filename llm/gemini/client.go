// Package gemini calls Google's models: it is the only importer of
// google.golang.org/genai. It supports the Gemini API, Vertex AI and gateways that speak
// the Gemini API; it converts llm's types to genai's and back, turns each failure into
// one sentence, and retries what may succeed later (core/utils/retry.ts).
//
//	o, err := gemini.OptionsFor(gemini.AuthFromEnv(os.Getenv), os.Getenv)
//	if err == nil {
//		err = o.Check()
//	}
//	client := gemini.New(o)
//
// What a failure in the middle of an answer means is left to the agent. genai logs
// remarks about environment variables with the standard log package; a program that owns
// the terminal must silence that.
package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"

	"google.golang.org/genai"

	"minigem/internal/silence"
	"minigem/llm"
	"minigem/llm/internal/remote"
)

// The address of the Gemini API, and a key for genai where there is none.
const (
	geminiURL      = "https://generativelanguage.googleapis.com/"
	placeholderKey = "none" // genai requires a key; this one is not sent
)

// Client is an [llm.Provider] for Google's models. It connects at its first call, keeps
// the connection and needs no closing. It is safe for concurrent use. Its errors are
// [*llm.Error], without any secret in them, or the context's own once that has ended.
type Client struct {
	opts     Options
	secrets  remote.Secrets
	attempts remote.Attempts

	mu  sync.Mutex
	api *genai.Client // nil before the first call
}

var _ llm.Provider = (*Client)(nil)

// New makes a Client without connecting. If o lacks something, the first call fails with
// the error of [Options.Check].
func New(o Options) *Client {
	if o.Silence <= 0 {
		o.Silence = silence.Default
	}
	return &Client{
		opts: o, secrets: o.secrets(),
		attempts: remote.Attempts{Max: o.MaxAttempts, NoFetchRetries: o.NoFetchRetries, Notify: o.Notify, Rand: o.Rand},
	}
}

// connect returns genai's client. It is made on first use: looking for Google
// credentials reads files and may ask a server. A failure is not remembered: the next
// call tries again. Calls that begin meanwhile wait, whatever their contexts say.
func (c *Client) connect(ctx context.Context) (*genai.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil {
		return c.api, nil
	}
	if err := c.opts.Check(); err != nil {
		return nil, err
	}
	o := c.opts
	config := &genai.ClientConfig{
		APIKey:  o.APIKey,
		Backend: genai.BackendGeminiAPI,
		// A redirect could carry the key to another server.
		HTTPClient: &http.Client{Transport: newTransport(o), CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		HTTPOptions: genai.HTTPOptions{BaseURL: o.BaseURL, APIVersion: o.APIVersion},
	}
	switch {
	case o.Auth == AuthVertex && o.APIKey != "":
		config.Backend = genai.BackendVertexAI
	case o.Auth == AuthVertex:
		config.Backend, config.Project, config.Location = genai.BackendVertexAI, o.Project, o.Location
		if err := useCredentials(ctx, config); err != nil {
			return nil, &llm.Error{Kind: llm.ErrAuth, Message: "no Google credentials were found for Vertex AI",
				Hint: "run: gcloud auth application-default login", Err: err}
		}
	default:
		// Set, so that genai does not read the environment.
		config.APIKey = cmp.Or(o.APIKey, placeholderKey)
		config.HTTPOptions.BaseURL = cmp.Or(o.BaseURL, geminiURL)
	}
	api, err := genai.NewClient(ctx, config)
	if err != nil { // genai's text contains the configuration with the key
		return nil, &llm.Error{Kind: llm.ErrAuth, Message: "the Gemini client could not be set up",
			Hint: "check the project, location and key"}
	}
	c.api = api
	return api, nil
}

// useCredentials signs requests with the application default credentials.
func useCredentials(ctx context.Context, config *genai.ClientConfig) error {
	if err := config.UseDefaultCredentials(); err != nil {
		return err
	}
	project, err := config.Credentials.QuotaProjectID(ctx)
	if err != nil {
		return fmt.Errorf("reading quota project: %w", err)
	}
	if project != "" {
		config.HTTPOptions.Headers = http.Header{"X-Goog-User-Project": {project}}
	}
	return nil
}

// call makes attempts until one succeeds or none is left.
func (c *Client) call(ctx context.Context, req llm.Request,
	do func(context.Context, *genai.Models, *exchange) error) error {
	return c.attempts.Do(ctx, func() error { return c.attempt(ctx, req, do) })
}

// attempt makes one call and converts its error.
func (c *Client) attempt(ctx context.Context, req llm.Request,
	call func(context.Context, *genai.Models, *exchange) error) error {
	api, err := c.connect(ctx)
	if err != nil {
		return err
	}
	inner, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	x := &exchange{model: req.Model, silence: c.opts.Silence, ctx: inner, giveUp: giveUp}
	err = x.guard(func() error { return call(context.WithValue(inner, exchangeKey{}, x), api.Models, x) })
	if errors.Is(err, errConsumerLeft) {
		return err
	}
	if err == nil && x.bodyErr == nil {
		return nil
	}
	return c.callError(ctx, err, x)
}

// guard turns a panic in genai, which trusts the shape of answers, into an
// error. A panic of the stream's consumer passes.
func (x *exchange) guard(call func() error) (err error) {
	defer func() {
		if x.consumerBusy {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("genai: %v", p)
		}
	}()
	return call()
}

// errConsumerLeft ends a stream whose consumer stopped early.
var errConsumerLeft = errors.New("the consumer left")

// Stream implements [llm.Model]. Before the server answers, a call is repeated up to
// [Options.MaxAttempts] times. An error after the server has begun to answer has Opened
// set and is not retried here; its kind is [llm.ErrStream] if repeating the request may
// help. A server that sends nothing for [Options.Silence] ends the call without another
// attempt.
func (c *Client) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		config, err := configOf(req)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		err = c.call(ctx, req, func(ctx context.Context, models *genai.Models, x *exchange) error {
			return stream(ctx, models, x, req.Model, config, yield)
		})
		if err != nil && !errors.Is(err, errConsumerLeft) {
			yield(llm.Chunk{}, err)
		}
	}
}

// stream yields the chunks of one answer, and notes in x how far it was.
func stream(ctx context.Context, models *genai.Models, x *exchange, model string, config *genai.GenerateContentConfig,
	yield func(llm.Chunk, error) bool) error {
	x.stream = true
	for resp, err := range models.GenerateContentStream(ctx, model, nil, config) {
		if err != nil {
			var api genai.APIError
			x.refused = x.chunks == 0 && errors.As(err, &api)
			return err
		}
		x.chunks++
		c := chunkOf(resp)
		x.consumerBusy = true
		more := yield(c, nil)
		if x.consumerBusy = false; !more {
			return errConsumerLeft
		}
	}
	return nil
}

// Generate implements [llm.Generator]. It retries like [Client.Stream], but also
// repeats an answer that broke off, unless [Options.NoFetchRetries] is set.
func (c *Client) Generate(ctx context.Context, req llm.Request) (llm.Chunk, error) {
	config, err := configOf(req)
	if err != nil {
		return llm.Chunk{}, err
	}
	var chunk llm.Chunk
	err = c.call(ctx, req, func(ctx context.Context, models *genai.Models, _ *exchange) error {
		resp, err := models.GenerateContent(ctx, req.Model, nil, config)
		if err == nil {
			chunk = chunkOf(resp)
		}
		return err
	})
	if err != nil {
		return llm.Chunk{}, err
	}
	return chunk, nil
}

// CountTokens implements [llm.TokenCounter] by a call of countTokens, which costs a round
// trip but no tokens. System instruction and tools count.
func (c *Client) CountTokens(ctx context.Context, req llm.Request) (int, error) {
	config, err := countConfigOf(req, c.opts.Auth == AuthVertex)
	if err != nil {
		return 0, err
	}
	tokens := 0
	err = c.call(ctx, req, func(ctx context.Context, models *genai.Models, _ *exchange) error {
		resp, err := models.CountTokens(ctx, req.Model, nil, config)
		if err == nil {
			tokens = int(resp.TotalTokens)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return tokens, nil
}
