package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"minigem/internal/proc"
)

// TestUnreadableStaysKept checks that what a command hides from minigem, or what was
// hidden before, stays as it is for later commands.
func TestUnreadableStaysKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything; TestAsAnOrdinaryUser runs this")
	}
	for _, mode := range []string{"0", "200", "311", "400"} {
		for _, hidden := range []string{"a", "a/b", "."} {
			dir := t.TempDir()
			file := filepath.Join(dir, "a", "b", "settings.json")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte("good"), 0o644))
			s := open(t, Options{Writable: []string{dir}, Kept: func() []string { return []string{file} }})
			if s.Partial() != "" {
				t.Skip("only where there are namespaces: ", s.Partial())
			}
			at := filepath.Join(dir, hidden)
			run(t, s, false, dir, "chmod "+mode+" "+at)
			run(t, s, false, "/", "chmod 755 "+at+"; echo evil > "+file+"; rm -f "+file+"; echo evil > "+file)
			require.NoError(t, os.Chmod(at, 0o755))
			text, err := os.ReadFile(file)
			require.NoError(t, err, "%s %s", mode, hidden)
			assert.Equal(t, "good", string(text), "%s %s", mode, hidden)
		}
	}
}

// TestTerminals checks that a command cannot open the user's terminals, and has its own.
func TestTerminals(t *testing.T) {
	t.Parallel()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	defer slave.Close()
	s := open(t, Options{Writable: []string{t.TempDir()}})
	_, code := run(t, nil, false, "/", "exec 3<>"+slave.Name())
	require.Zero(t, code)
	out, code := run(t, s, false, "/", "exec 3<>"+slave.Name())
	assert.NotZero(t, code, out)
	out, code = run(t, s, false, "/", "echo x >"+slave.Name())
	assert.NotZero(t, code, out)
	if s.Partial() != "" {
		return
	}
	out, code = run(t, s, false, "/", "exec 3<"+slave.Name())
	assert.NotZero(t, code, out)
	if _, err := proc.Look("script"); err == nil {
		out, code = run(t, s, false, "/", "script -qec 'test -t 0 && echo own' /dev/null")
		assert.Zero(t, code, out)
		assert.Contains(t, out, "own")
	}
}

// TestSharedMemory checks that a command cannot reach what the kernel keeps for all
// processes of the machine.
func TestSharedMemory(t *testing.T) {
	t.Parallel()
	if _, err := proc.Look("ipcs"); err != nil {
		t.Skip(err)
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 10, unix.IPC_CREAT|0o666)
	require.NoError(t, err)
	defer unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	s := open(t, Options{Writable: []string{t.TempDir()}})
	_, code := run(t, nil, false, "/", "ipcs -m -i "+strconv.Itoa(id))
	require.Zero(t, code)
	run(t, s, false, "/", "ipcrm -m "+strconv.Itoa(id))
	out, _ := run(t, s, false, "/", "ipcs -m -i "+strconv.Itoa(id))
	assert.NotContains(t, out, "bytes=10", out)
	_, err = unix.SysvShmCtl(id, unix.IPC_STAT, new(unix.SysvShmDesc))
	assert.NoError(t, err, "it was removed")
}
