package e2e

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A canary is everything that no test may touch: files of the user and of other projects,
// a repository, servers, a process.
type canary struct {
	h      home // its workspace is the project whose hooks are tested
	top    string
	agents string // a folder of installed agents; may be empty
	number string // part of the name of everything outside a case
	env    []string
	vars   *strings.Replacer // for harmful commands
	victim *exec.Cmd
	ended  chan struct{}

	mu     sync.Mutex
	called []string
}

// newCanary creates a canary. agents is the folder with installed agents. If it is empty,
// the canary has one of its own.
func newCanary(t *testing.T, agents string) *canary {
	t.Helper()
	c := &canary{top: t.TempDir(), ended: make(chan struct{})}
	c.h = home{dir: filepath.Join(c.top, "user"), workspace: filepath.Join(c.top, "user", "src", "project")}
	require.NoError(t, os.MkdirAll(filepath.Join(c.h.dir, ".cache"), 0o755))
	for name, content := range map[string]string{
		"keep/file": "keep\n", ".bashrc": "# mine\n", ".ssh/id_ed25519": "squeamish-ossifrage\n", ".gitconfig": "[user]\nname = me\n",
		"src/neighbour/file": "keep\n", "src/project/own.txt": "mine\n", "agents/bin/agent.js": "keep\n",
		"programs/dropdb": "echo $1 > " + c.top + "/user/dropped", "programs/crontab": "cat > " + c.top + "/user/crontab",
		"programs/npm": "exec curl -sm 2 -d package $CANARY_REGISTRY",
	} {
		path := filepath.Join(c.h.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasPrefix(name, "programs/") {
			content = "#!/bin/sh\n" + content + "\n"
		}
		require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
	}
	if c.agents = agents; agents == "" {
		agents = filepath.Join(c.h.dir, "agents")
	}
	repo := filepath.Join(c.h.dir, "repo.git")
	c.git(t, "init", "-q", "--bare", "-b", "main", repo)
	seed := filepath.Join(c.h.dir, "src", "seed")
	c.git(t, "init", "-q", seed)
	c.git(t, "-C", seed, "commit", "-q", "--allow-empty", "-m", "one")
	c.git(t, "-C", seed, "push", "-q", repo, "HEAD:main")
	c.serve(t, "tcp", "127.0.0.1:0")
	port := c.serve(t, "tcp", "127.0.0.1:0")
	c.number = port + strconv.Itoa(os.Getpid())
	abstract := "canary-" + c.number
	c.serve(t, "unix", "@"+abstract)
	agent, docker := filepath.Join(c.top, "agent.sock"), filepath.Join(c.top, "docker.sock")
	c.serve(t, "unix", agent)
	c.serve(t, "unix", docker)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { udp.Close() })
	go func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 10)); err != nil {
				return
			}
			c.note("udp")
		}
	}()
	c.env = []string{"CANARY_KEY=squeamish-ossifrage", "SSH_AUTH_SOCK=" + agent, "DOCKER_HOST=unix://" + docker,
		"CANARY_REGISTRY=http://127.0.0.1:" + port + "/", "PATH=" + filepath.Join(c.h.dir, "programs") + ":" + os.Getenv("PATH")}
	c.victim = exec.Command("sleep", "3600."+c.number)
	c.victim.Env = append(os.Environ(), c.env...)
	require.NoError(t, c.victim.Start())
	go func() { _ = c.victim.Wait(); close(c.ended) }() // its exit code does not matter
	t.Cleanup(func() { _ = c.victim.Process.Kill() })   // it may have exited
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	c.vars = strings.NewReplacer("@HOME", c.h.dir, "@REPO", repo, "@TPORT", port, "@UPORT", udpPort, "@ABSTRACT", abstract,
		"@AGENTSOCK", agent, "@DOCKERSOCK", docker, "@VICTIM", strconv.Itoa(c.victim.Process.Pid), "@NUMBER", c.number,
		"@TMP", os.TempDir(), "@AGENTS", agents)
	return c
}

func (c *canary) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = append(c.called, what)
}

func (c *canary) serve(t *testing.T, network, address string) (port string) {
	t.Helper()
	l, err := net.Listen(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.note(l.Addr().String())
			conn.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

func (c *canary) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+c.h.dir, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// state lists everything that must not change: files with their modes, times and contents,
// servers that were called, processes, and what contains the canary's number.
func (c *canary) state(t *testing.T) []string {
	t.Helper()
	var out []string
	_ = filepath.WalkDir(c.top, func(path string, d fs.DirEntry, err error) error { // errors are in out
		if err != nil {
			out = append(out, err.Error())
			return nil
		}
		// minigem's own files
		if slices.Contains([]string{c.h.workspace, filepath.Join(c.h.dir, ".gemini"), filepath.Join(c.h.dir, ".cache/minigem")}, path) {
			return filepath.SkipDir
		}
		if path == c.h.dir || path == filepath.Join(c.h.dir, ".cache") {
			return nil // only its time
		}
		info, err := d.Info()
		if err != nil {
			out = append(out, err.Error())
			return nil
		}
		content := []byte{}
		if info.Mode().IsRegular() {
			content, _ = os.ReadFile(path)
		}
		out = append(out, fmt.Sprint(path, " ", info.Mode(), " ", info.ModTime().UnixNano(), " ", string(content)))
		return nil
	})
	for _, dir := range []string{os.TempDir(), "/dev/shm", "/var/tmp", "/dev/mqueue"} {
		found, _ := filepath.Glob(filepath.Join(dir, "*"+c.number+"*")) // only returns errors of the pattern
		out = append(out, found...)
	}
	out = append(out, c.processes()...)
	select {
	case <-c.ended:
		out = append(out, "the process was ended")
	default:
		priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, c.victim.Process.Pid)
		out = append(out, fmt.Sprint("priority ", priority, err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(out, c.called...)
}

func (c *canary) processes() []string {
	var out []string
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline") // only returns errors of the pattern
	for _, path := range paths {
		line, _ := os.ReadFile(path) // it may have exited
		if strings.Contains(string(line), "36"+"00."+c.number) {
			out = append(out, path+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}
