package download

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/proc"
)

// TestWait: a user who waits is told what for, and a server that sends too little is
// given up, however long it continues.
func TestWait(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		a      int64         // bytes a minute
		takes  time.Duration // until everything has arrived
		ends   time.Duration
		said   int
		failed bool
	}{
		{"fast", 1 << 30, 2 * time.Second, 2 * time.Second, 0, false},
		{"slow, and honest", 60_000, time.Hour, time.Hour, 240, false},
		{"nothing", 0, time.Hour, 5 * time.Minute, 20, true},
		{"a byte a minute", 1, time.Hour, 5 * time.Minute, 20, true},
		{"almost enough", 59_000, time.Hour, 5 * time.Minute, 20, true},
		{"a short answer", 0, 4 * time.Minute, 4 * time.Minute, 16, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var said []string
				began := time.Now()
				had := func() int64 { return int64(time.Since(began).Minutes() * float64(tt.a)) }
				w := Wait{Say: func(line string) { said = append(said, line) }}
				err := w.do(t.Context(), "https://user:secret@example.com/o/r.git", had, func(ctx context.Context) error {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(tt.takes):
						return nil
					}
				})
				assert.Equal(t, tt.ends, time.Since(began))
				assert.Len(t, said, tt.said)
				if tt.said > 0 {
					assert.Equal(t, "waiting for example.com ... 3s, 0 KiB so far", strings.Replace(said[0], "2 KiB", "0 KiB", 1))
				}
				if tt.failed {
					assert.EqualError(t, err, "example.com sent almost nothing for 5m0s: check the network and the proxy, or get the files in another way and install their folder")
				} else {
					assert.NoError(t, err)
				}
			})
		})
	}
}

// TestTheUserEndsIt: if the caller cancels, the error does not blame the server.
func TestTheUserEndsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := Wait{}.do(ctx, "x", func() int64 { return 0 }, func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestHost(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/o/r": "github.com", "git@github.com:o/r.git": "github.com", "ssh://git@example.com:22/r": "example.com:22",
		"file:///srv/r": "file",
	} {
		assert.Equal(t, want, host(address))
	}
}

// stalls are servers that go as far as their name, and send nothing more.
var stalls = map[string]func(net.Conn){
	"a connection": func(net.Conn) {},
	"half a header": func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-")
	},
	"a header": func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\nContent-Length: 1000\r\n\r\n")
	},
	"half a body": func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n001e# service=git-upload-pack\n0000")
	},
}

// stalling starts such a server, which lives as long as the test.
func stalling(t *testing.T, do func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go func() {
				_, _ = c.Read(make([]byte, 4<<10))
				do(c)
			}()
		}
	}()
	return l.Addr().String()
}

// TestServersThatStall: whatever a server withholds, the caller gets an error, for HTTP
// and for git.
func TestServersThatStall(t *testing.T) {
	t.Parallel()
	const short = 200 * time.Millisecond
	gives := func(scheme, how string, do func(net.Conn)) {
		t.Run(how+" by "+scheme, func(t *testing.T) {
			t.Parallel()
			address := scheme + "://" + stalling(t, do) + "/r.git"
			t.Run("HTTP", func(t *testing.T) {
				t.Parallel()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
				require.NoError(t, err)
				err = Wait{Limit: short}.HTTP(req, func(res *http.Response) error {
					_, err := io.Copy(io.Discard, res.Body)
					return err
				})
				require.ErrorContains(t, err, "127.0.0.1")
				require.ErrorContains(t, err, "sent almost nothing for 200ms: check the network")
			})
			t.Run("git", func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath("git"); err != nil {
					t.Skip("git is not installed")
				}
				_, err := Wait{Limit: short}.Git(t.Context(), proc.Command{Dir: t.TempDir(), Env: os.Environ()}, address, "ls-remote", "--", address)
				require.ErrorContains(t, err, "sent almost nothing for 200ms: check the network")
			})
		})
	}
	for how, do := range stalls {
		gives("http", how, do)
	}
	gives("https", "no handshake", func(net.Conn) {})
}

// TestServersThatRefuse: errors of the network say what to do; errors in the answer are
// the caller's.
func TestServersThatRefuse(t *testing.T) {
	t.Parallel()
	address := stalling(t, func(c net.Conn) { c.Close() })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, nil)
	require.NoError(t, err)
	err = Wait{}.HTTP(req, func(*http.Response) error { return nil })
	require.ErrorIs(t, err, io.EOF)
	require.ErrorContains(t, err, "install their folder")

	server := stalling(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	})
	req.URL.Host = server
	none := errors.New("none")
	err = Wait{}.HTTP(req, func(res *http.Response) error {
		assert.Equal(t, http.StatusNotFound, res.StatusCode)
		return none
	})
	assert.Equal(t, none, err)
}
