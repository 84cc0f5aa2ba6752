package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"

	"minigem/internal/silence"
	"minigem/llm"
	"minigem/llm/internal/remote"
)

// callError converts an error of genai to an [*llm.Error]. It returns ctx's error if ctx,
// which is the caller's context, has ended. The error contains no secret.
func (c *Client) callError(ctx context.Context, err error, x *exchange) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var api genai.APIError
	var e *llm.Error
	switch {
	case errors.Is(context.Cause(x.ctx), silence.Err):
		e = c.offline(silence.Err, x)
	case errors.As(x.bodyErr, new(*remote.Unreadable)):
		e = broken("the answer cannot be read: "+c.secrets.Shown(x.bodyErr.Error()), x.bodyErr, x)
	case x.bodyErr != nil:
		e = broken("the answer broke off", x.bodyErr, x)
	case errors.As(err, &api):
		e = c.apiError(api, x)
	case x.status != 0:
		e = broken("the answer cannot be read: "+c.secrets.Shown(remote.NotAnAnswer(x.lastInput).Error()), err, x)
	case x.sent:
		e = c.offline(err, x)
	case errors.As(err, new(*url.Error)):
		e = c.signInError(err, x)
	default:
		e = &llm.Error{Kind: llm.ErrInvalid, Message: "the request could not be made: " + c.secrets.Shown(err.Error()),
			Hint: "check the model's name and the address of the API", Err: err}
	}
	e.Opened = x.opened()
	if e.Opened && temporary(e.Kind) {
		e.Kind = llm.ErrStream
	}
	e.Message, e.Hint, e.Err = c.secrets.Mask(e.Message), c.secrets.Mask(e.Hint), c.secrets.Cause(e.Err)
	return e
}

// temporary reports whether another attempt may succeed.
func temporary(k llm.ErrorKind) bool {
	return k == llm.ErrOverloaded || k == llm.ErrOffline || k == llm.ErrRateLimit
}

// broken returns an error for an answer that ended early or cannot be read.
func broken(what string, cause error, x *exchange) *llm.Error {
	return &llm.Error{Kind: llm.ErrStream, Status: x.status, Message: what,
		Hint: "try again; if it goes on, the network or a proxy cuts connections", Err: cause}
}

// offline returns an error for a server that cannot be reached or says nothing.
func (c *Client) offline(err error, x *exchange) *llm.Error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	e := &llm.Error{Kind: llm.ErrOffline, Err: err, Hint: "check the network, the proxy and GOOGLE_GEMINI_BASE_URL"}
	if errors.Is(err, silence.Err) {
		e.Message = fmt.Sprintf("the server of %s said nothing for %v", x.model, x.silence)
	} else {
		e.Message = "the Gemini API cannot be reached: " + c.secrets.Shown(err.Error())
	}
	return e
}

// signInError is for a request that was never sent: Google's auth library sits
// between genai and our transport, and got no token.
func (c *Client) signInError(err error, x *exchange) *llm.Error {
	var outer, inner *url.Error
	if errors.As(err, &outer) && errors.As(outer.Err, &inner) {
		return c.offline(inner, x)
	}
	return &llm.Error{
		Kind: llm.ErrAuth, Err: err,
		Message: "Google gave no access token: " + c.secrets.Shown(outer.Err.Error()),
		Hint:    "run: gcloud auth application-default login",
	}
}

// apiError classifies an error that the API answered.
func (c *Client) apiError(api genai.APIError, x *exchange) *llm.Error {
	if x.status >= 300 || api.Code == 0 {
		api.Code = x.status
	}
	e := &llm.Error{Status: api.Code, Err: api}
	said := cmp.Or(c.secrets.Shown(api.Message), http.StatusText(api.Code))
	info := detailsOf(api)
	switch {
	case info.badKey(api):
		e.Kind, e.Message, e.Hint = llm.ErrAuth, "the API key is not valid: "+said,
			"check GEMINI_API_KEY, or create a new key at https://aistudio.google.com/apikey"
	case api.Code == http.StatusUnauthorized:
		e.Kind, e.Message, e.Hint = llm.ErrAuth, "the credentials were refused: "+said,
			"check the key; for Vertex AI run: gcloud auth application-default login"
	case api.Code == http.StatusForbidden:
		e.Kind, e.Message, e.Hint = llm.ErrAuth, fmt.Sprintf("access to %s was denied: %s", x.model, said),
			"check that the key's project may use the Gemini API and this model"
	case api.Code == http.StatusNotFound:
		e.Kind, e.Message, e.Hint = llm.ErrNotFound, fmt.Sprintf("there is no model %s: %s", x.model, said),
			"choose another one with --model"
	case api.Code == http.StatusTooManyRequests:
		c.tooMany(e, info, said, x)
	case api.Code == remote.StatusCancelled, api.Code >= 500:
		e.Kind, e.RetryAfter = llm.ErrOverloaded, waitTime(info, x)
		e.Message, e.Hint = fmt.Sprintf("the server of %s has trouble (%d: %s)", x.model, api.Code, said),
			"try again later, or choose another model with --model"
	case api.Code >= 300 && api.Code < 400:
		e.Kind, e.Message, e.Hint = llm.ErrInvalid, fmt.Sprintf("the server redirects to another address (%d)", api.Code),
			"GOOGLE_GEMINI_BASE_URL must be the address of the API itself"
	default:
		e.Kind, e.Message, e.Hint = llm.ErrInvalid, fmt.Sprintf("the request was refused (%d: %s)", api.Code, said),
			badRequestHint(api.Message)
	}
	return e
}

// tooMany tells a quota that is used up for the day from a limit that ends soon.
func (c *Client) tooMany(e *llm.Error, info details, said string, x *exchange) {
	e.RetryAfter = waitTime(info, x)
	if info.perDay {
		e.Kind = llm.ErrQuota
		e.Message, e.Hint = fmt.Sprintf("the quota of %s for today is used up: %s", x.model, said),
			"wait until tomorrow, choose another model with --model, let minigem choose one (\"model\": {\"fallback\": "+
				"\"always\"} in the settings), or use a key with billing"
		return
	}
	e.Kind = llm.ErrRateLimit
	e.Message, e.Hint = fmt.Sprintf("too many requests for %s: %s", x.model, said),
		"wait a moment, or choose another model with --model"
	if e.RetryAfter > 0 {
		e.Hint = fmt.Sprintf("wait %v, or choose another model with --model", e.RetryAfter.Round(time.Second))
	}
}

// badRequestHint returns what to do about a refused request, by the API's own words.
func badRequestHint(said string) string {
	said = strings.ToLower(said)
	switch {
	case strings.Contains(said, "token count") || strings.Contains(said, "number of tokens"):
		return "the conversation is too long for the model: use /compress or /clear"
	case strings.Contains(said, "location is not supported"):
		return "the Gemini API is not offered where you are; Vertex AI may be"
	}
	return "if a hook changes requests or history, look there first; /clear starts over"
}

// details is the content of the "details" of Google's errors.
type details struct {
	reasons []string
	perDay  bool
	wait    time.Duration
}

// detailsOf reads the details that have the types of google.rpc. Others are ignored.
func detailsOf(api genai.APIError) details {
	var d details
	for _, detail := range api.Details {
		kind, _ := detail["@type"].(string)
		switch {
		case strings.HasSuffix(kind, ".ErrorInfo"):
			reason, _ := detail["reason"].(string)
			d.reasons = append(d.reasons, reason)
		case strings.HasSuffix(kind, ".RetryInfo"):
			text, _ := detail["retryDelay"].(string)
			d.wait, _ = time.ParseDuration(text) // such as "7s" or "1.5s"; anything else is ignored
		case strings.HasSuffix(kind, ".QuotaFailure"):
			violations, _ := detail["violations"].([]any)
			for _, v := range violations {
				violation, _ := v.(map[string]any)
				id, _ := violation["quotaId"].(string)
				d.perDay = d.perDay || strings.Contains(id, "PerDay") || strings.Contains(id, "Daily")
			}
		}
	}
	return d
}

// badKey reports whether the API refused the key; it answers 400 then, not 401.
func (d details) badKey(api genai.APIError) bool {
	return slices.Contains(d.reasons, "API_KEY_INVALID") || slices.Contains(d.reasons, "API_KEY_EXPIRED") ||
		api.Code == http.StatusBadRequest && strings.Contains(api.Message, "API key")
}

// waitTime returns how long the server asks us to wait, or 0 if it does not say.
func waitTime(info details, x *exchange) time.Duration {
	return cmp.Or(max(info.wait, 0), remote.RetryAfter(x.header))
}
