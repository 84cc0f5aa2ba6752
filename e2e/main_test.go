package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// binary is the program under test: built once from the tree, or named by MINIGEM_BINARY,
// such as a release or a build with -cover.
var binary string

// scratch is a folder for what is built once for all tests.
var scratch string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "minigem-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	scratch = dir
	if binary = os.Getenv("MINIGEM_BINARY"); binary != "" {
		return m.Run()
	}
	binary = filepath.Join(dir, "minigem")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-tags", "grpcnotrace", "-o", binary, "minigem/cmd/minigem") // the tag: see README.md
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building minigem:", err)
		return 1
	}
	return m.Run()
}

// A home is an empty HOME that contains a workspace.
type home struct {
	dir       string // HOME
	workspace string
}

// newHome makes a HOME with a workspace of the given files. Files whose names end in .sh
// are executable.
func newHome(t testing.TB, files map[string]string) home {
	t.Helper()
	h := home{dir: t.TempDir()}
	if real, err := filepath.EvalSymlinks(h.dir); err == nil {
		h.dir = real
	}
	h.workspace = filepath.Join(h.dir, "project")
	require.NoError(t, os.MkdirAll(h.workspace, 0o755))
	for name, content := range files {
		h.write(t, name, content)
	}
	return h
}

func (h home) write(t testing.TB, name, content string) {
	t.Helper()
	path := filepath.Join(h.workspace, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mode := os.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") {
		mode = 0o755
	}
	require.NoError(t, os.WriteFile(path, []byte(content), mode))
}

func (h home) read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.workspace, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

// A run is one start of the program.
type run struct {
	Args  []string
	Env   []string // in addition to HOME and PATH
	Stdin string
}

type outcome struct {
	Stdout, Stderr string
	Code           int
	Elapsed        time.Duration
	CPU            time.Duration // including awaited children
	MaxRSS         int64         // bytes; 0 if the system does not report it
}

// run starts the program in h and waits for it. It checks that nothing is left in the
// folder for temporary files.
func (h home) run(t testing.TB, r run) outcome {
	t.Helper()
	temp := t.TempDir()
	r.Env = append([]string{"TMPDIR=" + temp}, r.Env...)
	cmd, out, errOut := h.command(t, r)
	start := time.Now()
	err := cmd.Run()
	o := outcome{Stdout: out.String(), Stderr: errOut.String(), Elapsed: time.Since(start)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("starting minigem: %v", err)
	}
	o.Code = cmd.ProcessState.ExitCode()
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left, "left behind by %q", r.Args)
	o.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	o.MaxRSS = maxRSS(cmd.ProcessState)
	return o
}

// command prepares the program without starting it.
func (h home) command(t testing.TB, r run) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.CommandContext(waittest.Lifetime(t), binary, r.Args...)
	cmd.Dir = h.workspace
	cmd.Env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb", orphanMark + "=" + h.dir}, r.Env...)
	cmd.Stdin = strings.NewReader(r.Stdin)
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// needs skips t if a program is missing.
func needs(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}
