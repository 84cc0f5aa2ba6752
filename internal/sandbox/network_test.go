package sandbox

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/proc"
)

// reached lists ways to reach a server: $HOST and $PORT by TCP and UDP, $SOCKET by
// name. They succeed if the server was reached.
var reached = []struct{ name, line, needs string }{
	{"/dev/tcp", `exec 3<> "/dev/tcp/$HOST/$PORT"`, ""},
	{"curl", `curl -s -m 5 -o /dev/null "http://$HOST:$PORT/"`, "curl"},
	{"python", `python3 -c 'import os, socket; socket.create_connection((os.environ["HOST"], int(os.environ["PORT"])), 5)'`, "python3"},
	{"a Unix socket", `python3 -c 'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["SOCKET"])'`, "python3"},
	{"a Unix socket from a pair", `python3 -c 'import os, socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", os.environ["DATAGRAM"])'`, "python3"},
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	env := []string{"HOST=" + host, "PORT=" + port}
	for name, network := range map[string]string{"SOCKET": "unix", "DATAGRAM": "unixgram"} {
		at := filepath.Join(dir, name)
		env = append(env, name+"="+at)
		if network == "unixgram" {
			c, err := net.ListenPacket(network, at)
			require.NoError(t, err)
			t.Cleanup(func() { c.Close() })
			continue
		}
		l, err := net.Listen(network, at)
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
	}
	off, on := open(t, Options{Writable: []string{dir}}), open(t, Options{Writable: []string{dir}, Network: true})
	for _, r := range reached {
		if _, err := proc.Look(r.needs); r.needs != "" && err != nil {
			continue
		}
		_, code := run(t, nil, false, dir, r.line, env...)
		require.Zero(t, code, "%s reaches nothing without a sandbox either", r.name)
		out, code := run(t, off, false, dir, r.line, env...)
		assert.NotZero(t, code, "%s: %s", r.name, out)
		out, code = run(t, on, false, dir, r.line, env...)
		assert.Zero(t, code, "%s: %s", r.name, out)
		out, code = run(t, on, true, dir, r.line, env...)
		assert.NotZero(t, code, "%s, what only reads: %s", r.name, out)
	}
}

// TestOwnServer checks that a closed network still has 127.0.0.1, separately for each
// command.
func TestOwnServer(t *testing.T) {
	t.Parallel()
	if _, err := proc.Look("python3"); err != nil {
		t.Skip(err)
	}
	s := open(t, Options{})
	if s.Partial() != "" {
		t.Skip(s.Partial())
	}
	out, code := run(t, s, false, s.Temp(), `python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
socket.create_connection(s.getsockname(), 5)
a, b = socket.socketpair()
a.send(b"x")'`)
	assert.Zero(t, code, out)
}
