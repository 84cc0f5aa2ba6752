package gemini

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"

	"minigem/internal/silence"
	"minigem/llm/internal/remote"
)

// exchange holds what genai does not report about one HTTP request and its answer. The
// transport fills it in; the request's context carries it.
type exchange struct {
	model   string
	silence time.Duration
	ctx     context.Context // context of this attempt, for its cause
	giveUp  context.CancelCauseFunc

	stream       bool
	chunks       int  // chunks that genai yielded
	consumerBusy bool // the consumer of the stream is working
	sent         bool
	status       int // 0 means no answer
	header       http.Header
	refused      bool   // the API sent an error instead of the first chunk
	bodyErr      error  // what cut the answer short, or nil
	lastInput    []byte // the beginning of the last input
}

// opened reports whether the stream had begun. An error instead of the first
// chunk still answers the request.
func (x *exchange) opened() bool {
	return x.stream && (x.chunks > 0 || x.status/100 == 2 && !x.refused)
}

// exchangeKey is the key of the exchange in a request's context.
type exchangeKey struct{}

// broke records what cut the answer short.
func (x *exchange) broke(err error) {
	if err != io.EOF && x.bodyErr == nil {
		x.bodyErr = err
	}
}

// saw keeps the beginning of the last input, for errors.
func (x *exchange) saw(data []byte) {
	x.lastInput = append(x.lastInput[:0], data[:min(len(data), remote.MaxShown)]...)
}

// transport adds our headers to genai's requests and observes the answers.
type transport struct {
	opts Options
	next http.RoundTripper
}

// newTransport makes the transport of a client, over [Options.Transport].
func newTransport(o Options) *transport {
	return &transport{o, remote.Transport(o.Transport)}
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok { // a request of Google's auth library
		return t.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	t.setHeaders(req.Header, x.model)
	x.sent = true
	resp, err := silence.Watch{Limit: x.silence, GiveUp: x.giveUp}.RoundTrip(t.next, req)
	if err != nil {
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	resp.Body = quiet{resp.Body}
	if ok := resp.StatusCode/100 == 2; ok && x.stream {
		resp.Body = newEvents(resp.Body, x)
	} else {
		resp.Body = &whole{ReadCloser: resp.Body, x: x, ok: ok}
	}
	return resp, nil
}

// setHeaders sets the User-Agent in Gemini CLI's form, the key as the options want it,
// and last the user's own headers, which replace both.
func (t *transport) setHeaders(h http.Header, model string) {
	h.Set("User-Agent", fmt.Sprintf("GeminiCLI-minigem/%s/%s (%s; %s; %s)", t.opts.Version, model, runtime.GOOS,
		runtime.GOARCH, cmp.Or(t.opts.Surface, "terminal")))
	if t.opts.APIKey == "" {
		h.Del("x-goog-api-key") // the placeholder that genai requires
	} else if t.opts.Bearer {
		h.Set("Authorization", "Bearer "+t.opts.APIKey)
	}
	for name, values := range t.opts.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// quiet is a body whose closing never fails: the answer is complete, and genai
// would print the error.
type quiet struct{ io.ReadCloser }

// Close closes the body and returns nil.
func (q quiet) Close() error {
	_ = q.ReadCloser.Close()
	return nil
}
