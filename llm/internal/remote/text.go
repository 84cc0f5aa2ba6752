package remote

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"minigem/internal/redact"
)

// Secrets are values that no error may contain. Empty ones are ignored.
type Secrets []string

// Shown returns text of a server in a form for one line of an error: valid UTF-8, on one
// line, cut after 300 bytes, without a trailing period, with secrets masked.
func (s Secrets) Shown(text string) string {
	const most = 300 // bytes
	text = strings.TrimRight(strings.Join(strings.Fields(s.Mask(strings.ToValidUTF8(text, "\ufffd"))), " "), ".")
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

// Mask replaces the secrets in text. A value that is too short to be a secret stays,
// and a short secret is replaced only if it is a whole word.
func (s Secrets) Mask(text string) string {
	for _, secret := range s {
		text = redact.Value(text, secret, redact.Shown)
	}
	return text
}

// Cause returns err, or an error with [Secrets.Shown] of its text if that contains a
// secret or has more than 1,000 bytes: an error may hold a whole answer. Such a copy
// wraps nothing. Cause(nil) is nil.
func (s Secrets) Cause(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > 1000 || s.Mask(text) != text {
		return errors.New(s.Shown(text))
	}
	return err
}

// RetryAfter returns how long the header Retry-After asks the client to wait, in seconds
// or as a date, at most a day for seconds; 0 if it does not say.
func RetryAfter(h http.Header) time.Duration {
	after := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(min(max(seconds, 0), mostSeconds)) * time.Second
	}
	at, err := http.ParseTime(after)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil { // the difference to the server's own date is right even if its clock is not
		now = time.Now()
	}
	return max(at.Sub(now), 0)
}

// mostSeconds is a day: a longer wait is shown as a day, and no number
// overflows a Duration.
const mostSeconds = 24 * 60 * 60
