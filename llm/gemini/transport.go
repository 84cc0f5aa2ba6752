package gemini

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"
)

// errSilent ends a call after the server sent nothing for Options.Silence.
var errSilent = errors.New("the server said nothing")

// exchange is what genai does not report of one HTTP request and its answer.
// The transport fills it in; the request's context carries it.
type exchange struct {
	model   string
	silence time.Duration
	ctx     context.Context // context of this attempt, for its cause
	giveUp  context.CancelCauseFunc

	stream       bool
	chunks       int  // chunks that genai yielded
	consumerBusy bool // the consumer of the stream is working
	sent         bool
	status       int // 0: no answer
	header       http.Header
	refused      bool   // the API sent an error in place of the first chunk
	bodyErr      error  // what cut the answer short, or nil
	lastInput    []byte // the beginning of the last input
}

// opened reports whether the stream had begun. An error in place of the first
// chunk still answers the request.
func (x *exchange) opened() bool {
	return x.stream && (x.chunks > 0 || x.status/100 == 2 && !x.refused)
}

type exchangeKey struct{}

// waiting starts the timer of the server's silence and returns a function that
// stops it. The timer is off while the stream's consumer works.
func (x *exchange) waiting() (stop func()) {
	t := time.AfterFunc(x.silence, func() { x.giveUp(errSilent) })
	return func() { t.Stop() }
}

// transport adds our headers to genai's requests and observes the answers.
type transport struct {
	opts Options
	next http.RoundTripper
}

func newTransport(o Options) *transport {
	next := o.Transport
	if next == nil {
		next = http.DefaultTransport
		if t, ok := next.(*http.Transport); ok {
			next = t.Clone()
		}
	}
	return &transport{o, next}
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
	stop := x.waiting()
	resp, err := t.next.RoundTrip(req)
	stop()
	if err != nil {
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	resp.Body = &body{resp.Body, x}
	if ok := resp.StatusCode/100 == 2; ok && x.stream {
		resp.Body = newEvents(resp.Body, x)
	} else {
		resp.Body = &whole{ReadCloser: resp.Body, x: x, ok: ok}
	}
	return resp, nil
}

func (t *transport) setHeaders(h http.Header, model string) {
	surface := t.opts.Surface
	if surface == "" {
		surface = "terminal"
	}
	h.Set("User-Agent", fmt.Sprintf("GeminiCLI-minigem/%s/%s (%s; %s; %s)", t.opts.Version, model, runtime.GOOS, runtime.GOARCH, surface))
	if t.opts.APIKey == "" {
		h.Del("x-goog-api-key") // the placeholder that genai requires
	} else if t.opts.Bearer {
		h.Set("Authorization", "Bearer "+t.opts.APIKey)
	}
	for name, values := range t.opts.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// body reports a broken connection as the end of the answer and records the
// error, which genai would print on stderr.
type body struct {
	io.ReadCloser
	x *exchange
}

func (b *body) Read(p []byte) (int, error) {
	stop := b.x.waiting()
	n, err := b.ReadCloser.Read(p)
	stop()
	if err != nil && err != io.EOF {
		b.x.bodyErr = err
		err = io.EOF
	}
	return n, err
}

func (b *body) Close() error {
	_ = b.ReadCloser.Close() // the answer is complete, and genai would print the error
	return nil
}
