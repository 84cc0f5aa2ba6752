//go:build unix

package policy

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/redact"
	"minigem/internal/waittest"
)

// sandbox runs command lines in bash, in a folder of its own, where the commands are few:
// "canary" only notes that it ran, the commands that the tests allow do nothing, and the
// others only read or run others.
type sandbox struct {
	bash, dir, log string
	patience       time.Duration // timeout of a line, which only a line that never ends reaches
	shell          string        // the shell that runs the lines; empty means bash
	rules          *confine.Rules
	server         net.Addr // counts connections: see connections
}

// secret is the content of the file of secrets in the folder where lines run. token is
// the content of a secret variable.
const (
	secret = "squeamish-ossifrage"
	token  = "magic-words-are"
)

func newSandbox(t testing.TB) sandbox {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash to compare with")
	}
	s := sandbox{bash: bash, dir: t.TempDir(), patience: time.Minute, server: counter(t)}
	s.log = filepath.Join(s.dir, "log")
	bin := filepath.Join(s.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	fakes := map[string]string{"canary": "#!/bin/sh\necho \"ran in ${LINE_NUMBER-a line} $*\" >> '" + s.log + "'\n"}
	for _, name := range []string{"git", "npm", "make"} {
		fakes[name] = "#!/bin/sh\n"
	}
	for name, script := range fakes {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	for _, name := range []string{"env", "sh", "bash", "xargs", "nice", "timeout", "cat", "ls", "find", "grep", "sed",
		"awk", "sort", "head", "flock", "setsid", "stdbuf", "nohup"} {
		if path, err := exec.LookPath(name); err == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, name)))
		}
	}
	return s
}

// counter starts a server that tells each connection how many came before it.
func counter(t testing.TB) net.Addr {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintln(c, n)
			c.Close()
		}
	}()
	return l.Addr()
}

// connections returns how many connections the server has had, this one included.
func (s sandbox) connections(t testing.TB) (n int) {
	c, err := net.Dial("tcp", s.server.String())
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fscan(c, &n)
	require.NoError(t, err)
	return n + 1
}

// port returns the server's port.
func (s sandbox) port() string { return strconv.Itoa(s.server.(*net.TCPAddr).Port) }

// all runs each line in a subshell of one bash, which takes a fiftieth of the
// time of a bash for each. The log has their numbers. FUNCNEST ends a function that
// calls itself twice before it is a thousand processes, see also endChain. When the test ends, killed
// too, 4 has no writer any more, and the whole group ends.
const all = `
{ read -r _ <&4; kill -KILL -- -$$; } 2>/dev/null & disown
number=0
export FUNCNEST=4
ulimit -t 20 -f 20000
[ -z "$TASKS" ] || ulimit -u "$TASKS"
unset TASKS
while IFS= read -r -d '' line <&3; do
	( trap - EXIT; cd work; LINE_NUMBER=$number; export LINE_NUMBER; exec 3<&- 4<&-; [ -z "$BY" ] || exec "$BY" -c "$line"; eval "$line" ) </dev/null >>"$OUT" 2>&1
	number=$((number + 1))
done
wait`

// ran returns what the lines did: what canary recorded, the files that they made, whether
// they connected and whether they printed a secret. It is empty if they did none of that.
// ended is false if a line does not end.
func (s sandbox) ran(t testing.TB, lines ...string) (log string, ended bool) {
	t.Helper()
	work := filepath.Join(s.dir, "work")
	require.NoError(t, os.RemoveAll(work))
	require.NoError(t, os.Mkdir(work, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(work, "a"), []byte("text\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(work, ".env"), []byte("KEY="+secret+"\n"), 0o644))
	out := filepath.Join(s.dir, "out")
	require.NoError(t, os.WriteFile(out, nil, 0o644))
	require.NoError(t, os.WriteFile(s.log, nil, 0o644))
	list, err := os.CreateTemp(s.dir, "lines")
	require.NoError(t, err)
	defer func() { list.Close(); os.Remove(list.Name()) }()
	_, err = list.WriteString(strings.Join(lines, "\x00") + "\x00")
	require.NoError(t, err)
	_, err = list.Seek(0, 0)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), s.patience+time.Duration(len(lines))*s.patience/100)
	defer cancel()
	c := exec.CommandContext(ctx, s.bash, "-c", all)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	alive, held, err := os.Pipe()
	require.NoError(t, err)
	defer held.Close()
	defer alive.Close()
	c.Dir, c.WaitDelay, c.ExtraFiles = s.dir, time.Second, []*os.File{list, alive}
	c.Env = []string{"PATH=" + filepath.Join(s.dir, "bin"), "HOME=" + s.dir, "BY=" + s.shell, "OUT=" + out, "API_TOKEN=" +
		token, "TASKS=" + tasks()}
	var start func() error
	before := s.connections(t)
	if s.rules != nil {
		c.Env = redact.Sanitize(c.Env, redact.Config{Enabled: true})
		rules := *s.rules
		rules.Write = append(rules.Write, out)
		start = func() error { return confine.Start(rules, limited(c)) }
	} else if wide := (confine.Rules{Write: []string{s.dir}, Attributes: true, Own: true, Signals: true,
		Network: confine.OpenNetwork}); confine.Check(wide) == nil { // a line may write to /dev/nullx, as root
		start = func() error { return confine.Start(wide, limited(c)) }
	} else {
		start = func() error { return onItsOwnThread(limited(c)) }
	}
	require.NoError(t, start())
	go endChain(ctx, c.Process.Pid, cancel)
	_ = c.Wait()                                      // a line may fail
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // ends background processes
	noted, err := os.ReadFile(s.log)
	require.NoError(t, err)
	made, err := os.ReadDir(work)
	require.NoError(t, err)
	for _, f := range made {
		if f.Name() != "a" && f.Name() != ".env" {
			noted = append(noted, "made "+f.Name()+"\n"...)
		}
	}
	text, err := os.ReadFile(filepath.Join(work, "a"))
	if err != nil || string(text) != "text\n" {
		noted = append(noted, "changed a\n"...)
	}
	printed, err := os.ReadFile(out)
	if err != nil || bytes.Contains(printed, []byte(secret)) || s.rules != nil && bytes.Contains(printed, []byte(token)) {
		noted = append(noted, "printed a secret\n"...)
	}
	if s.connections(t) != before+1 {
		noted = append(noted, "connected\n"...)
	}
	return string(noted), ctx.Err() == nil
}

// endChain calls end if processes below pid start one another without end, as a
// substitution does that a name reference evaluates again. It needs Linux.
func endChain(ctx context.Context, pid int, end func()) {
	const longest = 50
	waittest.Watch(ctx, func() bool {
		at := strconv.Itoa(pid)
		for range longest {
			children, err := os.ReadFile("/proc/" + at + "/task/" + at + "/children")
			fields := strings.Fields(string(children))
			if err != nil || len(fields) == 0 {
				return false
			}
			at = fields[len(fields)-1]
		}
		end()
		return true
	})
}

// culprits finds the lines that ran canary, or made a file where that matters,
// by halves. Lines that do not end count by what they did until then.
func (s sandbox) culprits(t testing.TB, lines []string, files bool) []string {
	if len(lines) == 0 {
		return nil
	}
	log, ended := s.ran(t, lines...)
	did := strings.Contains(log, "ran in ") || files && log != ""
	switch {
	case !did && (ended || len(lines) == 1):
		return nil
	case len(lines) == 1:
		return []string{strconv.Quote(lines[0]) + ": " + log}
	}
	middle := len(lines) / 2
	return append(s.culprits(t, lines[:middle], files), s.culprits(t, lines[middle:], files)...)
}

// TestLinesWriteInTheirFolder checks that a line reaches no file elsewhere.
func TestLinesWriteInTheirFolder(t *testing.T) {
	t.Parallel()
	if confine.ABI() < confine.LeastABI {
		t.Skip("needs Landlock")
	}
	s, outside := newSandbox(t), filepath.Join(t.TempDir(), "nullx")
	log, _ := s.ran(t, "echo x >"+outside, "echo x >inside")
	assert.NoFileExists(t, outside)
	assert.Contains(t, log, "made inside")
}
