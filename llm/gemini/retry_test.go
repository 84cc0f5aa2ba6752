package gemini_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/llm"
	"minigem/llm/gemini"
	"minigem/llm/script"
)

// reply is a fake network's reply: an answer or an error.
type reply struct {
	status int
	body   string
	header http.Header
	err    error
}

const okBody = `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`

var okReply = reply{status: 200, body: okBody}

// network gives replies in order, and then repeats the last one.
type network struct {
	replies []reply
	calls   int
	bodies  []string
}

func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	n.bodies = append(n.bodies, string(body))
	r := n.replies[min(n.calls, len(n.replies)-1)]
	n.calls++
	if r.err != nil {
		return nil, r.err
	}
	h := r.header
	if h == nil {
		h = http.Header{}
	}
	text := r.body
	if strings.Contains(req.URL.Path, ":stream") && r.status == 200 {
		text = "data: " + text + "\n\n"
	}
	return &http.Response{StatusCode: r.status, Header: h, Body: io.NopCloser(strings.NewReader(text)), Request: req}, nil
}

func failed(status int, details string) reply {
	return reply{status: status, body: fmt.Sprintf(`{"error":{"code":%d,"message":"no","details":[%s]}}`, status, details)}
}

const (
	retryInfo = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%s"}`
	perDay    = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"RequestsPerDay"}]}`
)

// run makes a streamed call and a generated one over such networks, each with a fake
// clock. It returns the waits of the first, which must equal the waits of the second.
func run(t *testing.T, o gemini.Options, replies ...reply) (waits []time.Duration, calls int, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var errs [2]error
		var all [2][]time.Duration
		for i := range all {
			n := &network{replies: replies}
			o.Auth, o.APIKey, o.Transport = gemini.AuthAPIKey, key, n
			o.Notify = func(r llm.Retry) {
				all[i] = append(all[i], r.Delay)
				assert.Equal(t, len(all[i]), r.Attempt)
				assert.NotEmpty(t, r.Reason)
			}
			start := time.Now()
			if c := gemini.New(o); i == 0 {
				_, errs[i] = collect(c.Stream(t.Context(), ask("x")))
			} else {
				_, errs[i] = c.Generate(t.Context(), ask("x"))
			}
			var sum time.Duration
			for _, w := range all[i] {
				sum += w
			}
			assert.Equal(t, sum, time.Since(start), "it waits as long as it says")
			for _, b := range n.bodies {
				assert.Equal(t, n.bodies[0], b, "each attempt sends the same")
			}
			calls = n.calls
		}
		assert.Equal(t, all[0], all[1])
		waits, err = all[0], errs[0]
	})
	return waits, calls, err
}

// seconds makes durations in tables readable.
func seconds(values ...float64) []time.Duration {
	var ds []time.Duration
	for _, v := range values {
		ds = append(ds, time.Duration(v*float64(time.Second)))
	}
	return ds
}

func middle() float64 { return 0.5 } // no jitter, half of the server's surplus

// If the server does not tell the time, a date is compared with our own clock.
func TestRetryAfterADateWithoutTheServersClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		at := time.Now().Add(8 * time.Second).UTC().Format(http.TimeFormat)
		n := &network{replies: []reply{{status: 503, body: "{}", header: http.Header{"Retry-After": {at}}}, okReply}}
		c := gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, Transport: n, Rand: middle,
			Notify: func(r llm.Retry) { waits = append(waits, r.Delay) }})
		_, err := collect(c.Stream(t.Context(), ask("x")))
		assert.NoError(t, err)
		assert.Equal(t, seconds(8.8), waits)
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	tests := []struct {
		name   string
		first  reply
		waits  []time.Duration // waits before the answer; nil means no retry
		reason string
	}{
		// statuses
		{"429", failed(429, ""), seconds(5), ""},
		{"499", failed(499, ""), seconds(5), ""},
		{"500", failed(500, ""), seconds(5), ""},
		{"503", failed(503, ""), seconds(5), ""},
		{"400", failed(400, ""), nil, "refused"},
		{"401", failed(401, ""), nil, "credentials"},
		{"403", failed(403, ""), nil, "denied"},
		{"404", failed(404, ""), nil, "no model"},
		// what the server asks for
		{"a delay", failed(429, fmt.Sprintf(retryInfo, "2s")), seconds(2.2), ""},
		{"a delay with 503", failed(503, fmt.Sprintf(retryInfo, "0.5s")), seconds(0.55), ""},
		{"a delay in the header", reply{status: 429, body: "{}", header: http.Header{"Retry-After": {"3"}}}, seconds(3.3), ""},
		{"a date in the header", reply{status: 429, body: "{}", header: http.Header{"Retry-After": {"Wed, 21 Oct 2026 07:28:07 GMT"}, "Date": {"Wed, 21 Oct 2026 07:28:00 GMT"}}}, seconds(7.7), ""},
		{"a date that has passed", reply{status: 429, body: "{}", header: http.Header{"Retry-After": {"Wed, 21 Oct 2026 07:28:00 GMT"}, "Date": {"Wed, 21 Oct 2026 07:28:07 GMT"}}}, seconds(5), ""},
		{"a date of next year", reply{status: 429, body: "{}", header: http.Header{"Retry-After": {"Thu, 21 Oct 2027 07:28:00 GMT"}, "Date": {"Wed, 21 Oct 2026 07:28:00 GMT"}}}, nil, "too many requests"},
		{"more seconds than a duration holds", reply{status: 429, body: "{}", header: http.Header{"Retry-After": {"99999999999999"}}}, nil, "too many requests"},
		{"a header that is not a number", reply{status: 429, body: "{}", header: http.Header{"Retry-After": {"soon"}}}, seconds(5), ""},
		{"a delay of an hour", failed(429, fmt.Sprintf(retryInfo, "3600s")), nil, "too many requests"},
		{"nonsense for a delay", failed(429, fmt.Sprintf(retryInfo, "soon")), seconds(5), ""},
		{"per day", failed(429, perDay), nil, "today"},
		{"per day with a delay", failed(429, perDay+","+fmt.Sprintf(retryInfo, "2s")), nil, "today"},
		// the network
		{"refused", reply{err: dial}, seconds(5), ""},
		{"reset", reply{err: syscall.ECONNRESET}, seconds(5), ""},
		{"no such host", reply{err: &net.DNSError{Err: "no such host", Name: "x"}}, seconds(5), ""},
		{"closed", reply{err: io.EOF}, seconds(5), ""},
		{"bad record", reply{err: tls.RecordHeaderError{Msg: "oops"}}, seconds(5), ""},
		{"anything else", reply{err: errors.New("strange")}, seconds(5), ""},
		{"a bad certificate", reply{err: &tls.CertificateVerificationError{Err: errors.New("expired")}}, nil, "cannot be reached"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			waits, calls, err := run(t, gemini.Options{Rand: middle}, tt.first, okReply)
			assert.Equal(t, tt.waits, waits)
			assert.Equal(t, len(tt.waits)+1, calls)
			if tt.waits == nil {
				assert.Contains(t, asError(t, err).Message, tt.reason)
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	waits, calls, err := run(t, gemini.Options{Rand: middle}, failed(503, ""))
	assert.Equal(t, seconds(5, 10, 20, 30, 30, 30, 30, 30, 30), waits)
	assert.Equal(t, 10, calls)
	e := asError(t, err)
	assert.Equal(t, llm.ErrOverloaded, e.Kind)
	assert.Equal(t, "the server of gemini-3-flash has trouble (503: no) (gave up after 10 attempts)", e.Message)

	waits, _, _ = run(t, gemini.Options{Rand: middle, MaxAttempts: 3}, failed(503, ""))
	assert.Equal(t, seconds(5, 10), waits)
	waits, _, err = run(t, gemini.Options{Rand: middle, MaxAttempts: 1}, failed(503, ""))
	assert.Empty(t, waits)
	assert.Equal(t, "the server of gemini-3-flash has trouble (503: no)", asError(t, err).Message)
}

func TestRetriesOfFetchErrorsCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	o := gemini.Options{Rand: middle, NoFetchRetries: true}
	waits, _, err := run(t, o, reply{err: errors.New("strange")}, okReply)
	assert.Empty(t, waits)
	assert.Error(t, err)
	waits, _, err = run(t, o, reply{err: syscall.ECONNRESET}, okReply)
	assert.Equal(t, seconds(5), waits, "well-known ones are tried again nonetheless")
	assert.NoError(t, err)
}

func TestJitter(t *testing.T) {
	t.Parallel()
	server := failed(429, fmt.Sprintf(retryInfo, "2s"))
	tests := []struct {
		rand float64
		want []time.Duration
	}{
		{0, seconds(3.5, 2)},
		{0.5, seconds(5, 2.2)},
		{1, seconds(6.5, 2.4)},
	}
	for _, tt := range tests {
		waits, _, err := run(t, gemini.Options{Rand: func() float64 { return tt.rand }}, failed(500, ""), server, okReply)
		require.NoError(t, err)
		assert.Equal(t, tt.want, waits)
	}
	waits, _, err := run(t, gemini.Options{MaxAttempts: 2, Rand: nil, Notify: nil}, okReply)
	require.NoError(t, err)
	assert.Empty(t, waits)
}

func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		n := &network{replies: []reply{failed(503, "")}}
		c := gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, Transport: n, Rand: middle})
		_, err := collect(c.Stream(ctx, ask("x")))
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, 2, n.calls)
	})
}

// After a server fault over loopback, the second attempt gets the answer that the first
// would have had.
func TestRetryAgainstTheFakeServer(t *testing.T) {
	t.Parallel()
	entries := []script.Entry{script.Streamed(chunk("a", "STOP"))}
	s, o := serve(t, fakemodel.Options{Entries: entries, Faults: []fakemodel.Fault{
		{Request: 1, Status: 429, RetryDelay: time.Millisecond},
		{Request: 2, Cut: true},
		{Request: 3, Status: 503, RetryDelay: time.Millisecond},
	}})
	var reasons []string
	o.MaxAttempts, o.Rand = 10, func() float64 { return 0 }
	o.Notify = func(r llm.Retry) { reasons = append(reasons, r.Reason) }
	o.Transport = &hurry{http.DefaultTransport.(*http.Transport).Clone()}
	chunks, err := collect(gemini.New(o).Stream(t.Context(), ask("x")))
	require.NoError(t, err)
	assert.Equal(t, []llm.Chunk{chunk("a", "STOP")}, chunks)
	assert.Len(t, reasons, 3)
	assert.Zero(t, s.Left())
	assert.Len(t, s.Log(), 4)
}

// hurry turns a dropped connection into an error with a short wait.
type hurry struct{ next http.RoundTripper }

func (h *hurry) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.next.RoundTrip(req)
	if err == nil {
		return resp, nil
	}
	body := fmt.Sprintf(`{"error":{"code":503,"message":"%s","details":[%s]}}`, "dropped", fmt.Sprintf(retryInfo, "0.001s"))
	return &http.Response{StatusCode: 503, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: req}, nil
}

// A whole answer can be requested again; half a stream cannot.
func TestBrokenAnswersInOnePieceAreTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &network{replies: []reply{{status: 200, body: `{"candidates":[`}, okReply}}
		c := gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, Transport: n, Rand: middle})
		got, err := c.Generate(t.Context(), ask("x"))
		require.NoError(t, err)
		assert.Equal(t, chunk("a", "STOP"), got)

		n = &network{replies: []reply{{status: 200, body: `{"candidates":[`}, okReply}}
		c = gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, Transport: n, Rand: middle})
		_, err = collect(c.Stream(t.Context(), ask("x")))
		e := asError(t, err)
		assert.True(t, e.Opened)
		assert.Equal(t, llm.ErrStream, e.Kind)
		assert.Equal(t, 1, n.calls)
	})
}
