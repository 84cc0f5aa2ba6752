package sandbox

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/proc"
)

// TestAbstractSockets checks that a Unix socket with a name but no file, such as a
// desktop bus, does not count as network: it cannot be reached even if the network is
// open. A command can reach its own.
func TestAbstractSockets(t *testing.T) {
	t.Parallel()
	if _, err := proc.Look("python3"); err != nil {
		t.Skip(err)
	}
	if confine.ABI() < confine.ABIOfScopes {
		t.Skip("the kernel's Landlock knows nothing of sockets")
	}
	dir := t.TempDir()
	name := filepath.Base(filepath.Dir(dir)) + "/minigem"
	l, err := net.Listen("unix", "@"+name)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	const line = `python3 -c 'import os, socket; socket.socket(socket.AF_UNIX).connect("\0" + os.environ["NAME"])'`
	_, code := run(t, nil, false, dir, line, "NAME="+name)
	require.Zero(t, code, "it reaches nothing without a sandbox either")
	for _, network := range []bool{true, false} {
		s := open(t, Options{Writable: []string{dir}, Network: network})
		out, code := run(t, s, false, dir, line, "NAME="+name)
		assert.NotZero(t, code, "network %t: %s", network, out)
	}
	s := open(t, Options{Writable: []string{dir}, Network: true})
	out, code := run(t, s, false, dir, `python3 -c '
import socket
s = socket.socket(socket.AF_UNIX)
s.bind("\0mine'"$$"'")
s.listen()
socket.socket(socket.AF_UNIX).connect(s.getsockname())'`)
	assert.Zero(t, code, out)
}
