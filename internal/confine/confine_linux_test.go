//go:build amd64 || arm64 || riscv64

package confine_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"minigem/internal/confine"
	"minigem/internal/proc"
	"minigem/internal/waittest"
)

// needs skips the test if the kernel cannot enforce r.
func needs(t testing.TB, r confine.Rules) {
	t.Helper()
	if err := confine.Check(r); err != nil {
		t.Skip(err)
	}
}

// outside is the target of the attempts.
type outside struct {
	dir, port string
	victim    int
}

func newOutside(t *testing.T) *outside {
	o := &outside{dir: t.TempDir()}
	for network, name := range map[string]string{"unix": "unix", "tcp": ""} {
		address := "127.0.0.1:0"
		if name != "" {
			address = filepath.Join(o.dir, name)
		}
		l, err := net.Listen(network, address)
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		if name == "" {
			_, o.port, _ = net.SplitHostPort(l.Addr().String())
		}
	}
	abstract, err := net.Listen("unix", "@"+o.dir)
	require.NoError(t, err)
	t.Cleanup(func() { abstract.Close() })
	packets, err := net.ListenPacket("unixgram", filepath.Join(o.dir, "packets"))
	require.NoError(t, err)
	t.Cleanup(func() { packets.Close() })

	self, err := os.Executable()
	require.NoError(t, err)
	p, err := proc.Start(proc.Command{Path: self, Env: []string{attemptVar + "=wait", secret}, Open: true})
	require.NoError(t, err)
	t.Cleanup(func() { p.Stdin().Close(); p.Stop() })
	o.victim = p.PID()
	return o
}

// try runs an attempt and reports whether it succeeded.
func (o *outside) try(t *testing.T, a attempt, r *confine.Rules) (succeeded bool, says string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(filepath.Join(o.dir, "new")))
	require.NoError(t, os.RemoveAll(filepath.Join(o.dir, "sub")))
	require.NoError(t, os.Mkdir(filepath.Join(o.dir, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "old"), []byte("old"), 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	res, err := proc.Run(t.Context(), proc.Command{Path: self, Dir: o.dir, Merge: true, Out: proc.Limit{Head: 1000},
		Rules: r,
		Env: []string{attemptVar + "=" + a.name, dirVar + "=" + o.dir, victimVar + "=" + strconv.Itoa(o.victim), portVar +
			"=" + o.port}})
	require.NoError(t, err)
	return res.ExitCode == 0, string(res.Stdout.Bytes())
}

// TestAttempts checks that each attempt succeeds without rules, fails under the
// strictest, and succeeds under the rule that allows it.
func TestAttempts(t *testing.T) {
	t.Parallel()
	needs(t, confine.Rules{})
	for _, a := range attempts {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			o := newOutside(t)
			if ok, says := o.try(t, a, nil); !ok {
				t.Skip("it fails without rules, too: ", says)
			}
			ok, says := o.try(t, a, &confine.Rules{})
			assert.False(t, ok, says)
			ok, says = o.try(t, a, &confine.Rules{Write: []string{o.dir}, Read: []string{"/"}, Network: confine.NoNetwork})
			assert.Equal(t, a.allowedBy == "", ok, says)
			loose := map[string]confine.Rules{
				attributesAllow: {Write: []string{o.dir}, Attributes: true, Own: true},
				signalsAllow:    {Signals: true},
				openAllows:      {Write: []string{o.dir}, Network: confine.OpenNetwork},
			}
			if r, some := loose[a.allowedBy]; some {
				ok, says = o.try(t, a, &r)
				assert.True(t, ok, says)
			}
			if a.allowedBy == nothingAllows && confine.ABI() >= confine.ABIOfScopes {
				ok, says = o.try(
					t, a, &confine.Rules{Write: []string{"/"}, Attributes: true, Own: true, Signals: true, Network: confine.OpenNetwork})
				assert.False(t, ok, says)
			}
		})
	}
}

// TestPorts checks that only servers on the allowed ports can be reached.
func TestPorts(t *testing.T) {
	t.Parallel()
	o := newOutside(t)
	port, err := strconv.Atoi(o.port)
	require.NoError(t, err)
	r := confine.Rules{Network: confine.TCPPorts, Ports: []uint16{uint16(port)}}
	needs(t, r)
	for _, a := range attempts {
		if a.allowedBy == openAllows {
			ok, says := o.try(t, a, &r)
			assert.Equal(t, a.name == "TCP", ok, "%s: %s", a.name, says)
		}
	}
	r.Ports = []uint16{uint16(port) ^ 1}
	for _, a := range attempts {
		if a.name == "TCP" {
			ok, says := o.try(t, a, &r)
			assert.False(t, ok, "another port: %s", says)
		}
	}
	r.Network = confine.NoNetwork
	assert.ErrorContains(t, confine.Check(r), "allowing a port", "ports without a network that has ports")
}

// TestRead checks that only what Rules.Read names can be read.
func TestRead(t *testing.T) {
	t.Parallel()
	needs(t, confine.Rules{})
	top := t.TempDir()
	for _, name := range []string{"shown", "hidden", "written"} {
		require.NoError(t, os.Mkdir(filepath.Join(top, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(top, name, "file"), []byte(name), 0o644))
	}
	run := func(r confine.Rules) string {
		res, err := proc.Run(
			t.Context(), proc.Command{Line: "cat shown/file hidden/file; echo x >>written/file; cat written/file; ls hidden",
				Dir: top,
				Env: []string{"PATH=" + os.Getenv("PATH")}, Out: proc.Limit{Head: 1000}, Rules: &r})
		require.NoError(t, err)
		return string(res.Stdout.Bytes())
	}
	assert.Equal(t, "shownhiddenwrittenfile\n", run(confine.Rules{}))
	r := confine.Rules{Read: []string{filepath.Join(top, "shown")}, Write: []string{filepath.Join(top, "written")}}
	for _, dir := range []string{"/bin", "/usr", "/lib", "/lib64", "/etc", "/nix"} {
		if _, err := os.Stat(dir); err == nil {
			r.Read = append(r.Read, dir)
		}
	}
	assert.Equal(t, "shownwrittenx\n", run(r))
	assert.Equal(t, "shownwrittenx\nx\nfile\n",
		run(confine.Rules{Hidden: []string{filepath.Join(top, "hidden", "file")}, Write: r.Write}), "its name is shown")
	assert.Equal(t, "shownwrittenx\nx\nx\nfile\n",
		run(confine.Rules{Hidden: []string{filepath.Join(top, "hidden")}, Write: r.Write}))
}

// TestThisProcessStaysFree checks that no thread of this process stays restricted, even
// if its main thread started something.
func TestThisProcessStaysFree(t *testing.T) {
	t.Parallel()
	needs(t, confine.Rules{})
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	line := regexp.MustCompile(`\nNoNewPrivs:.*\n`).FindString(string(status))
	require.NotEmpty(t, line)
	var group sync.WaitGroup
	for range 200 {
		group.Go(func() {
			assert.NoError(t, confine.Start(confine.Rules{}, func() error {
				assert.NotEqual(t, unix.Getpid(), unix.Gettid(), "on the main thread")
				return nil
			}))
		})
	}
	group.Wait()
	waittest.Until(t, func() bool { // threads end shortly after their goroutines
		threads, err := filepath.Glob("/proc/self/task/*/status")
		require.NoError(t, err)
		for _, status := range threads {
			text, err := os.ReadFile(status)
			if err == nil && !strings.Contains(string(text), line) {
				return false
			}
		}
		return true
	}, "a thread keeps its restrictions")
}

// TestWhatCannotBeEnforcedIsAnError checks that begin is not called if the rules cannot
// be enforced.
func TestWhatCannotBeEnforcedIsAnError(t *testing.T) {
	t.Parallel()
	needs(t, confine.Rules{})
	for name, r := range map[string]confine.Rules{
		"/is/not/there": {Write: []string{"/is/not/there"}},
		"/nor/this":     {Read: []string{"/nor/this"}},
	} {
		err := confine.Start(r, func() error { t.Error("started"); return nil })
		assert.ErrorContains(t, err, name)
		assert.ErrorIs(t, err, unix.ENOENT)
	}
	failed := errors.New("failed")
	assert.ErrorIs(t, confine.Start(confine.Rules{}, func() error { return failed }), failed)
}

// TestAsAnOrdinaryUser checks that the attempts fail for an ordinary user as well,
// since root may do more than others.
func TestAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	needs(t, confine.Rules{})
	if os.Geteuid() != 0 {
		t.Skip("the user who runs this test is one")
	}
	const nobody = 65534
	top, err := os.MkdirTemp("", "minigem-ordinary-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(top)) })
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	copied := filepath.Join(top, "test")
	require.NoError(t, os.WriteFile(copied, program, 0o755))
	require.NoError(t, os.Chown(top, nobody, nobody))
	res, err := proc.Run(t.Context(), proc.Command{
		Path: copied, Args: []string{"-test.v", "-test.run=^(TestAttempts|TestPorts|TestRead)$"}, Dir: top,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "TMPDIR=" + top}, Merge: true,
		Out: proc.Limit{Head: 100_000},
		Confine: func(argv []string, attr *os.ProcAttr) ([]string, error) {
			attr.Sys.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
			return argv, nil
		},
	})
	require.NoError(t, err)
	out := string(res.Stdout.Bytes())
	require.Zero(t, res.ExitCode, out)
	for _, name := range []string{"TestAttempts/create", "TestAttempts/chmod", "TestAttempts/signal",
		"TestAttempts/environment_of_another", "TestAttempts/TCP", "TestRead"} {
		assert.Contains(t, out, "--- PASS: "+name+" ")
	}
}

// BenchmarkCommand compares the cost of running a command with and without confinement.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	for _, c := range []struct {
		name  string
		rules *confine.Rules
	}{{"bare", nil}, {"confined", &confine.Rules{Write: []string{dir}}}} {
		b.Run(c.name, func(b *testing.B) {
			if c.rules != nil {
				needs(b, *c.rules)
			}
			for b.Loop() {
				res, err := proc.Run(b.Context(), proc.Command{Line: ":", Dir: dir, Merge: true, Rules: c.rules})
				require.NoError(b, err)
				require.Zero(b, res.ExitCode)
			}
		})
	}
}
