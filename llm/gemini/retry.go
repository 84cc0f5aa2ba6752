package gemini

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

// Retry says that an attempt failed and another one follows after Delay.
type Retry struct {
	Attempt int // the one that failed, from 1
	Max     int
	Delay   time.Duration
	Reason  string // one sentence, no trailing period
}

// retry calls call until it succeeds, fails for good, or the attempts are used
// up. It returns nil, ctx's error or an [*llm.Error].
func (c *Client) retry(ctx context.Context, call func() error) error {
	most := c.opts.MaxAttempts
	if most <= 0 {
		most = DefaultAttempts
	}
	backoff := firstDelay
	for attempt := 1; ; attempt++ {
		err := call()
		var e *llm.Error
		if !errors.As(err, &e) || !c.retryable(e) {
			return err
		}
		if attempt == most {
			if most > 1 {
				e.Message = fmt.Sprintf("%s (gave up after %d attempts)", e.Message, most)
			}
			return e
		}
		delay := c.delay(backoff, e.RetryAfter)
		backoff = min(2*backoff, maxDelay)
		if c.opts.Notify != nil {
			c.opts.Notify(Retry{Attempt: attempt, Max: most, Delay: delay, Reason: e.Message})
		}
		if err := sleep(ctx, delay); err != nil {
			return err
		}
	}
}

func (c *Client) delay(backoff, asked time.Duration) time.Duration {
	random := c.opts.Rand
	if random == nil {
		random = rand.Float64
	}
	if asked > 0 {
		return asked + time.Duration(0.2*random()*float64(asked))
	}
	return backoff + time.Duration((0.6*random()-0.3)*float64(backoff))
}

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
func (c *Client) retryable(e *llm.Error) bool {
	switch {
	case e.Opened, e.Kind == llm.ErrQuota, e.RetryAfter > maxServerDelay:
		return false
	case e.Kind == llm.ErrOffline:
		return c.temporaryNetworkError(e.Err)
	case e.Kind == llm.ErrStream:
		return !c.opts.NoFetchRetries
	}
	return e.Status == http.StatusTooManyRequests || e.Status == statusCancelled || e.Status >= 500
}

// temporaryNetworkError distinguishes temporary network errors from lasting
// ones.
func (c *Client) temporaryNetworkError(err error) bool {
	var (
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		dns     *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &cert):
		return false
	case errors.Is(err, errSilent), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &dns), errors.As(err, &record),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED),
		errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ETIMEDOUT), errors.Is(err, syscall.EPROTO):
		return true
	case errors.As(err, &network) && network.Timeout():
		return true
	}
	return !c.opts.NoFetchRetries
}
