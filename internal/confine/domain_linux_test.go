//go:build amd64 || arm64 || riscv64

package confine_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
)

// TestNothingOutlivesADomain checks that a process which keeps starting a successor and
// exiting is reported and killed.
func TestNothingOutlivesADomain(t *testing.T) {
	t.Parallel()
	if confine.ABI() < confine.ABIOfScopes {
		t.Skip("the kernel's Landlock does not restrict signals")
	}
	for range 10 {
		d, err := confine.Open(confine.Rules{})
		require.NoError(t, err)
		read, write, err := os.Pipe() // reading ends once no process holds the other end
		require.NoError(t, err)
		var first *os.Process
		require.NoError(t, d.Start(nil, func() error {
			first, err = os.StartProcess("/bin/bash", []string{"bash", "-c", "echo; n() { (n &) }; n"},
				&os.ProcAttr{Files: []*os.File{nil, write, nil}, Sys: &syscall.SysProcAttr{Setpgid: true}})
			return err
		}))
		t.Cleanup(func() { _ = syscall.Kill(-first.Pid, syscall.SIGKILL) })
		require.NoError(t, write.Close())
		_, err = read.Read(make([]byte, 1))
		require.NoError(t, err)
		_, err = first.Wait()
		require.NoError(t, err)
		assert.NotEmpty(t, d.Left())
		d.Close()
		_, err = io.Copy(io.Discard, read) // never ends if something outlives the domain
		require.NoError(t, err)
	}
}

// TestReadableHoldsNoSecrets: a program that may read the system can read neither a device
// that holds all users' files nor, even as root, the passwords.
func TestReadableHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	read := confine.Readable("/usr/bin", "/root")
	for _, path := range []string{"/dev", "/etc", "/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/sudoers", "/root"} {
		assert.NotContains(t, read, path)
	}
	assert.Contains(t, read, "/etc/passwd")
	if _, err := os.ReadFile("/etc/shadow"); err != nil {
		return // it is not readable here anyway
	}
	out := &strings.Builder{}
	c := exec.CommandContext(t.Context(), "/bin/cat", "/etc/shadow", "/etc/passwd")
	c.Stdout = out
	if err := confine.Start(confine.Rules{Read: read}, c.Start); err != nil {
		t.Skip(err)
	}
	require.Error(t, c.Wait())
	assert.True(t, strings.HasPrefix(out.String(), "root:x:"), "only the second file is shown: %s", out)
}
