package e2e

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServersOfExtensionsThatStall: if a server accepts the connection and sends nothing,
// the user sees what minigem waits for and how it ended.
func TestServersOfExtensionsThatStall(t *testing.T) {
	t.Parallel()
	needs(t, "git")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	for _, what := range []string{"extensions", "skills"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			o := h.run(t, run{
				Args: []string{what, "install", "http://" + silent.Addr().String() + "/r.git", "--consent"},
				Env:  append([]string{"GIT_HTTP_LOW_SPEED_TIME=5"}, fileStorage...), // more than the 3 s before the message
			})
			assert.NotEqual(t, 0, o.Code)
			assert.Empty(t, o.Stdout)
			assert.Contains(t, o.Stderr, "waiting for "+silent.Addr().String()+" ... 3s, ")
			assert.Contains(t, o.Stderr, "too slow")
			assert.Contains(t, o.Stderr, "check the network and the proxy, or get the files in another way and install their folder")
		})
	}
}
