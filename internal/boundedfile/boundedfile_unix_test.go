//go:build unix

package boundedfile_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/boundedfile"
)

// TestNoFile checks that anything that is not a file is rejected at once, even behind a
// link, and if it replaced a file between looking and opening.
func TestNoFile(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "no") // a socket's name must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", at("zero")))
	require.NoError(t, os.Symlink(at("pipe"), at("link")))
	l, err := net.Listen("unix", at("socket"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })

	for name, want := range map[string]string{
		"pipe": "is a named pipe, not a file", "link": "is a named pipe, not a file",
		"zero": "is a device, not a file", "socket": "is a socket, not a file",
	} {
		_, err := boundedfile.Read(at(name), 3)
		require.ErrorIs(t, err, boundedfile.ErrNotRegular, name)
		assert.ErrorContains(t, err, at(name)+": "+want)
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	_, err = boundedfile.OpenIn(root, "pipe")
	require.ErrorIs(t, err, boundedfile.ErrNotRegular)
}

// TestReadNamed checks that the user may name an already open pipe, such as bash's
// <(command), and that a named pipe, which may have no writer, is rejected.
func TestReadNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for path, want := range map[string]string{pipe: "is a named pipe, not a file", "/dev/zero": "is a device, not a file", dir: "is a directory"} {
		_, err := boundedfile.ReadNamed(path, 100)
		assert.ErrorContains(t, err, want, path)
	}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	_, err = w.WriteString("said")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	data, err := boundedfile.ReadNamed(fmt.Sprintf("/dev/fd/%d", r.Fd()), 100)
	require.NoError(t, err)
	assert.Equal(t, "said", string(data))
	require.NoError(t, r.Close())
}
