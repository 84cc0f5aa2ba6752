// Package remote is what the clients of model servers share: the events of a stream, when
// a call is tried again, and errors in words without secrets. It knows the form of no
// API.
package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"syscall"
	"time"

	"minigem/internal/silence"
	"minigem/llm"
)

// How core/utils/retry.ts waits: the first wait is 5 s, each next one twice as
// long up to 30 s, all of them up to 30 % shorter or longer. A delay that the
// server asks for is obeyed, plus up to 20 %.
const (
	firstDelay     = 5 * time.Second
	maxDelay       = 30 * time.Second
	maxServerDelay = 5 * time.Minute // a server that asks for more is not waited for
)

// DefaultAttempts is how often a call is tried, counting the first time.
// (core/utils/retry.ts)
const DefaultAttempts = 10

// Attempts says how often a call is tried. The zero Attempts tries it [DefaultAttempts]
// times.
type Attempts struct {
	// Max counts the first time. 0 means DefaultAttempts.
	Max int
	// NoFetchRetries makes network errors without a well-known code final.
	NoFetchRetries bool
	// Local says that the server is on this machine: a refused connection is final then,
	// because nothing will listen there soon.
	Local bool
	// Notify is called before each wait, from the caller's goroutine; may be nil.
	Notify func(llm.Retry)
	// Rand returns a number in [0,1) for the jitter; nil means math/rand.
	Rand func() float64
}

// Do calls call until it succeeds, fails for good, or the attempts are used up. Only an
// [*llm.Error] is ever retried, and not one that has Opened set, that says that a quota
// is used up, or that asks for a wait of more than 5 minutes. Do returns what call
// returned, or ctx's error if ctx ends during a wait. After the last attempt the message
// says how many there were.
func (a Attempts) Do(ctx context.Context, call func() error) error {
	most := a.Max
	if most <= 0 {
		most = DefaultAttempts
	}
	backoff := firstDelay
	for attempt := 1; ; attempt++ {
		err := call()
		var e *llm.Error
		if !errors.As(err, &e) || !a.retryable(e) {
			return err
		}
		if attempt == most {
			if most > 1 {
				e.Message = fmt.Sprintf("%s (gave up after %d attempts)", e.Message, most)
			}
			return e
		}
		delay := a.delay(backoff, e.RetryAfter)
		backoff = min(2*backoff, maxDelay)
		if a.Notify != nil {
			a.Notify(llm.Retry{Attempt: attempt, Max: most, Delay: delay, Reason: e.Message})
		}
		if err := sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// delay returns how long to wait: asked by the server, or else backoff, with jitter.
func (a Attempts) delay(backoff, asked time.Duration) time.Duration {
	random := a.Rand
	if random == nil {
		random = rand.Float64
	}
	if asked > 0 {
		return asked + time.Duration(0.2*random()*float64(asked))
	}
	return backoff + time.Duration((0.6*random()-0.3)*float64(backoff))
}

// StatusCancelled is what Google's servers and some proxies answer when they gave up on a
// request.
const StatusCancelled = 499

// sleep waits for d. It returns ctx's error if ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryable reports whether another attempt may help. Once an answer has begun,
// only the agent can decide that.
func (a Attempts) retryable(e *llm.Error) bool {
	switch {
	case e.Opened, e.Kind == llm.ErrQuota, e.RetryAfter > maxServerDelay, errors.Is(e, silence.Err):
		return false // one silence is long enough
	case e.Kind == llm.ErrOffline:
		return a.temporaryNetworkError(e.Err)
	case e.Kind == llm.ErrStream:
		return !a.NoFetchRetries
	}
	return e.Status == http.StatusTooManyRequests || e.Status == StatusCancelled || e.Status >= 500
}

// temporaryNetworkError distinguishes temporary network errors from lasting
// ones.
func (a Attempts) temporaryNetworkError(err error) bool {
	var (
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		dns     *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &cert), a.Local && errors.Is(err, syscall.ECONNREFUSED):
		return false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &dns), errors.As(err, &record),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED),
		errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ETIMEDOUT), errors.Is(err, syscall.EPROTO):
		return true
	case errors.As(err, &network) && network.Timeout():
		return true
	}
	return !a.NoFetchRetries
}
