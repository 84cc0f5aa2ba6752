// Package silence ends a request to a server that sends nothing for too long.
package silence

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Default is how long a server may send nothing while we wait for it.
const Default = 5 * time.Minute

// Err is the cause of a context canceled by [Watch].
var Err = errors.New("the server said nothing")

// Watch calls GiveUp with [Err] once the server has sent nothing for Limit. Time in
// which the caller does not read does not count.
type Watch struct {
	// Limit must be positive.
	Limit time.Duration
	// GiveUp cancels the context of the request.
	GiveUp context.CancelCauseFunc
}

// RoundTrip sends req through next and watches the response and its body. The caller closes the
// body as usual.
func (s Watch) RoundTrip(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	timer := s.start(s.Limit)
	resp, err := next.RoundTrip(req)
	timer.Stop()
	if err == nil {
		resp.Body = &watched{ReadCloser: resp.Body, silence: s, lineStart: true}
	}
	return resp, err
}

func (s Watch) start(limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { s.GiveUp(Err) })
}

// watched is a watched response body. Comments of server-sent events, which keep a
// connection alive, count as silence.
type watched struct {
	io.ReadCloser
	silence            Watch
	waited             time.Duration // time spent reading since the server last sent something
	lineStart, comment bool
}

func (w *watched) Read(p []byte) (int, error) {
	began := time.Now()
	timer := w.silence.start(w.silence.Limit - w.waited)
	n, err := w.ReadCloser.Read(p)
	timer.Stop()
	if w.waited += time.Since(began); w.says(p[:n]) {
		w.waited = 0
	}
	return n, err
}

// says reports whether data contains more than comments and empty lines.
func (w *watched) says(data []byte) (something bool) {
	for _, b := range data {
		if b == '\n' || b == '\r' {
			w.lineStart, w.comment = true, false
			continue
		}
		w.comment = w.comment || w.lineStart && b == ':'
		w.lineStart = false
		something = something || !w.comment
	}
	return something
}
