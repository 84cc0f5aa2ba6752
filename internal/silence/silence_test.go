package silence

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestComments: comments that keep a connection alive are silence; everything else is
// an answer, however slow.
func TestComments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		pieces []string // one each minute
		gaveUp time.Duration
	}{
		{"comments", strings.Split(strings.Repeat(": ping\n\n|", 60), "|"), 5 * time.Minute},
		{"a comment in pieces", []string{":", "data: x", "data", ":", "\r\n", ":", ":", ":"}, 5 * time.Minute},
		{"data after comments", []string{": a\n", ": b\n", ": c\n", "data: x\n", ": d\n", ": e\n", ": f\n", "data: y\n"}, 0},
		{"data in pieces", []string{"d", "a", "t", "a", ": ", ":", "x", "\n"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				go func() {
					for _, piece := range tt.pieces {
						time.Sleep(time.Minute)
						if _, err := io.WriteString(w, piece); err != nil {
							return
						}
					}
					w.Close()
				}()
				start, ended := time.Now(), time.Duration(0)
				ctx, cancel := context.WithCancelCause(t.Context())
				context.AfterFunc(ctx, func() { ended = time.Since(start); w.CloseWithError(context.Cause(ctx)) })
				resp, err := Watch{Limit: Default, GiveUp: cancel}.RoundTrip(roundTrip(func(*http.Request) (*http.Response, error) {
					return &http.Response{Body: r}, nil
				}), nil)
				require.NoError(t, err)
				_, err = io.ReadAll(resp.Body)
				synctest.Wait()
				assert.Equal(t, tt.gaveUp, ended.Round(time.Second))
				assert.Equal(t, tt.gaveUp > 0, errors.Is(err, Err))
				cancel(nil)
				time.Sleep(2 * time.Minute) // the writer sees that nobody reads, and ends
			})
		})
	}
}
