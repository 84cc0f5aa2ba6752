package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// DefaultSilence is how long a server may send nothing while we wait for it.
const DefaultSilence = 5 * time.Minute

// ErrSilent is the cause of a call's end after the server sent nothing for that
// long.
var ErrSilent = errors.New("the server said nothing")

// Silence ends a call by GiveUp once the server has said nothing for Limit. The
// time in which nobody reads does not count.
type Silence struct {
	Limit  time.Duration
	GiveUp context.CancelCauseFunc
}

// RoundTrip sends req by next, and watches over the answer and its body.
func (s Silence) RoundTrip(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	timer := s.start()
	resp, err := next.RoundTrip(req)
	timer.Stop()
	if err == nil {
		resp.Body = watched{resp.Body, s}
	}
	return resp, err
}

func (s Silence) start() *time.Timer {
	return time.AfterFunc(s.Limit, func() { s.GiveUp(ErrSilent) })
}

type watched struct {
	io.ReadCloser
	silence Silence
}

func (w watched) Read(p []byte) (int, error) {
	timer := w.silence.start()
	defer timer.Stop()
	return w.ReadCloser.Read(p)
}
