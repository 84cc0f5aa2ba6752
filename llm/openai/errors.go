package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"minigem/internal/silence"
	"minigem/llm"
	"minigem/llm/internal/remote"
)

// refusal is an error that the server answered, as it came.
type refusal struct{ body []byte }

// Error returns the beginning of the answer.
func (r *refusal) Error() string { return string(r.body[:min(len(r.body), remote.MaxShown)]) }

// said returns the server's reason, in any of the forms that servers give it, and its
// code. A body that is not JSON is the reason itself.
func (r *refusal) said() (text, code string) {
	var body struct {
		Error           json.RawMessage `json:"error"`
		Message, Detail any
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(r.body, &body) != nil {
		return string(r.body), ""
	}
	if json.Unmarshal(body.Error, &text) == nil {
		return text, ""
	}
	if json.Unmarshal(body.Error, &inner) == nil && inner.Message != "" {
		code, _ := inner.Code.(string)
		return inner.Message, cmp.Or(code, inner.Type)
	}
	for _, v := range []any{body.Message, body.Detail} {
		if text, ok := v.(string); ok {
			return text, ""
		}
	}
	return string(r.body), ""
}

// callError converts an error of an attempt to an [*llm.Error]. It returns ctx's error if
// ctx, which is the caller's context, has ended. The error contains no secret.
func (c *Client) callError(ctx context.Context, err error, x *exchange) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *refusal
	var e *llm.Error
	switch {
	case errors.Is(context.Cause(x.ctx), silence.Err):
		e = &llm.Error{Kind: llm.ErrOffline, Message: fmt.Sprintf("the server of %s said nothing for %v", c.opts.Model,
			c.opts.Silence), Hint: c.hint(), Err: silence.Err}
	case errors.As(err, &refused):
		e = c.refused(refused, x)
	case errors.As(err, new(*remote.Unreadable)):
		e = &llm.Error{Kind: llm.ErrStream, Message: "the answer cannot be read: " + c.secrets.Shown(err.Error()),
			Hint: "is " + c.opts.BaseURL + " the address of the API? It usually ends with /v1", Err: err}
	case x.status != 0:
		e = &llm.Error{Kind: llm.ErrStream, Message: "the answer broke off",
			Hint: "try again; if it goes on, the server has trouble or the network cuts connections", Err: err}
	default:
		e = &llm.Error{Kind: llm.ErrOffline, Message: fmt.Sprintf("the server at %s cannot be reached: %s", c.opts.BaseURL,
			c.secrets.Shown(err.Error())), Hint: c.hint(), Err: err}
	}
	e.Status = cmp.Or(e.Status, x.status)
	if e.Opened = x.opened; e.Opened && (e.Kind == llm.ErrOverloaded || e.Kind == llm.ErrOffline ||
		e.Kind == llm.ErrRateLimit) {
		e.Kind = llm.ErrStream
	}
	e.Message, e.Hint, e.Err = c.secrets.Mask(e.Message), c.secrets.Mask(e.Hint), c.secrets.Cause(e.Err)
	return e
}

// hint returns what to do if the server cannot be reached.
func (c *Client) hint() string {
	return cmp.Or(c.opts.server.hint, "check the network and the address of the server")
}

// refused classifies an error that the server answered.
func (c *Client) refused(r *refusal, x *exchange) *llm.Error {
	text, code := r.said()
	said, status, model := cmp.Or(c.secrets.Shown(text), http.StatusText(x.status)), x.status, c.opts.Model
	e := &llm.Error{Status: status, Err: r, RetryAfter: remote.RetryAfter(x.header)}
	switch {
	case status == http.StatusUnauthorized:
		e.Kind, e.Message, e.Hint = llm.ErrAuth, "the key was refused: "+said, "check OPENAI_API_KEY"
	case status == http.StatusForbidden:
		e.Kind, e.Message, e.Hint = llm.ErrAuth, fmt.Sprintf("access to %s was denied: %s", model, said),
			"check that the key may use this model"
	case status == http.StatusNotFound:
		e.Kind, e.Message, e.Hint = llm.ErrNotFound, fmt.Sprintf("there is no model %s: %s", model, said), c.missing()
	case code == "insufficient_quota":
		e.Kind, e.Message, e.Hint = llm.ErrQuota, fmt.Sprintf("the quota of %s is used up: %s", model, said),
			"check the plan and the credit of the account, or choose another model with --model"
	case status == http.StatusTooManyRequests:
		e.Kind, e.Message, e.Hint = llm.ErrRateLimit, fmt.Sprintf("too many requests for %s: %s", model, said),
			"wait a moment, or choose another model with --model"
		if e.RetryAfter > 0 {
			e.Hint = fmt.Sprintf("wait %v, or choose another model with --model", e.RetryAfter.Round(time.Second))
		}
	case status/100 == 2 && code != "context_length_exceeded" && code != "invalid_request_error": // instead of a chunk
		e.Kind, e.Message, e.Hint = llm.ErrStream, fmt.Sprintf("the server of %s has trouble: %s", model, said),
			"try again later, or choose another model with --model"
	case status >= 500:
		e.Kind, e.Message, e.Hint = llm.ErrOverloaded, fmt.Sprintf("the server of %s has trouble (%d: %s)", model, status,
			said), "try again later, or choose another model with --model"
	case status/100 == 3:
		e.Kind, e.Message, e.Hint = llm.ErrInvalid, fmt.Sprintf("the server redirects to another address (%d)", status),
			"give the address of the API itself"
	default:
		e.Kind, e.Message, e.Hint = llm.ErrInvalid, fmt.Sprintf("the request was refused (%d: %s)", status, said),
			badRequestHint(text, code)
	}
	return e
}

// missing returns what to do if the server does not know the model.
func (c *Client) missing() string {
	if c.opts.server.word == "ollama" {
		return "fetch it with: ollama pull " + c.opts.Model
	}
	return "choose another one with --model; " + c.opts.BaseURL + "/models lists those there are"
}

// badRequestHint returns what to do about a refused request, by the server's own words.
func badRequestHint(said, code string) string {
	said = strings.ToLower(said)
	if code == "context_length_exceeded" || strings.Contains(said, "context length") ||
		strings.Contains(said, "context size") || strings.Contains(said, "maximum context") {
		return "the conversation is too long for the model: use /compress or /clear, or give the model a larger context"
	}
	if strings.Contains(said, "does not support tools") {
		return "minigem works through tools: choose a model that can call them"
	}
	return "if a hook changes requests or history, look there first; /clear starts over"
}
