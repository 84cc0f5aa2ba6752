//go:build unix

package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
	"minigem/tools"
	"minigem/tools/workspace"
)

var (
	pgidLine = regexp.MustCompile(`Process Group PGID: \d+`)
)

func shellTool(t testing.TB, opts ShellOptions) (tools.Tool, string) {
	t.Helper()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"notes.txt": "goodbye world\nsecond line\n", "sub/x": ""})
	if opts.Env == nil {
		opts.Env = func() []string { return []string{"PATH=" + os.Getenv("PATH"), "PAGER=less", "CDPATH=/etc:/"} }
	}
	return RunShellCommand(ws, opts), dir
}

// TestShell compares results with Gemini CLI 0.61's.
func TestShell(t *testing.T) {
	t.Parallel()
	tool, dir := shellTool(t, ShellOptions{})
	for _, tt := range []struct {
		name    string
		args    args
		want    string // between the tags, without the PGID line
		display string
	}{
		{"recorded", args{"command": "cat notes.txt; echo err >&2; exit 3"}, "Output: goodbye world\nsecond line\nerr\nExit Code: 3\n", "goodbye world\nsecond line\nerr"},
		{"nothing", args{"command": "true"}, "Output: (empty)\n", ""},
		{"code alone", args{"command": "exit 7"}, "Output: (empty)\nExit Code: 7\n", "Command exited with code: 7"},
		{"signal", args{"command": "kill -9 $$"}, "Output: (empty)\nSignal: 9\n", "Command terminated by signal: 9"},
		{"directory", args{"command": "pwd", "dir_path": "sub"}, "Output: " + dir + "/sub\n", dir + "/sub"},
		{"control sequences and bytes", args{"command": `printf '\033[31mred\033[0m\377 x\r\n\n\n'`}, "Output: red\uFFFD x\n", "red\uFFFD x"},
		{"half a character", args{"command": `printf '\303'; sleep 0.05; printf '\251'`}, "Output: é\n", "é"},
		{"ends in half a character", args{"command": `printf 'a\303'`}, "Output: a\uFFFD\n", "a\uFFFD"},
		{"no input", args{"command": "cat; echo $?"}, "Output: 0\n", "0"},
		{"cd leads where it says", args{"command": "cd etc 2>/dev/null; cd usr 2>/dev/null; pwd"}, "Output: " + dir + "\n", dir},
		{"arithmetic", args{"command": "echo $((1+2))"}, "Output: 3\n", "3"},
		{"here-document", args{"command": "cat <<'E'\n$(x) `y`\nE"}, "Output: $(x) `y`\n", "$(x) `y`"},
		{"closing tag", args{"command": "echo '</untrusted_context>'"}, "Output: <\\/untrusted_context>\n", "</untrusted_context>"},
		{"environment", args{"command": "echo $GEMINI_CLI $TERM $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT [$DISPLAY] [$HOME]"}, "Output: 1 xterm-256color cat cat 0 [] []\n", "1 xterm-256color cat cat 0 [] []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, failed := call(t, tool, tt.args)
			require.Nil(t, failed)
			got := text(res)
			require.Regexp(t, pgidLine, got)
			got = pgidLine.ReplaceAllString(got, "Process Group PGID: N")
			assert.Equal(t, "<untrusted_context>\n"+tt.want+"Process Group PGID: N\n</untrusted_context>", got)
			assert.Equal(t, tt.display, res.Display)
			assert.True(t, res.Truncatable)
		})
	}
	res, _ := call(t, tool, args{"command": "exit 7"})
	assert.Equal(t, map[string]any{"exitCode": 7, "isError": true}, res.Data)
}

func TestShellRefuses(t *testing.T) {
	t.Parallel()
	tool, dir := shellTool(t, ShellOptions{})
	for _, tt := range []struct {
		args args
		want tools.ErrorType
		text string
	}{
		{args{"command": " "}, tools.ErrInvalidParams, "Command cannot be empty."},
		{args{"command": "a\x00b"}, tools.ErrInvalidParams, "Command cannot contain a NUL character."},
		{args{"command": "pwd", "dir_path": "/etc"}, tools.ErrInvalidParams, "Path not in workspace:"},
		{args{"command": "pwd", "dir_path": ".."}, tools.ErrInvalidParams, "Path not in workspace:"},
		{args{"command": "pwd", "dir_path": "nodir"}, tools.ErrShell, "Directory does not exist: " + dir + "/nodir"},
		{args{"command": "pwd", "dir_path": "notes.txt"}, tools.ErrShell, "Directory does not exist: "},
	} {
		_, failed := call(t, tool, tt.args)
		if assert.NotNil(t, failed) {
			assert.Equal(t, tt.want, failed.Type)
			assert.Contains(t, failed.Message, tt.text)
		}
	}
}

func TestSubstitutes(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		// carried out
		"echo $(date)":                 true,
		"echo `date`":                  true,
		"echo \"$(date)\"":             true,
		"echo \"`date`\"":              true,
		"diff <(ls) x":                 true,
		"ls > >(cat)":                  true,
		"echo ${x:-$(id)}":             true,
		"echo $(( $(id) + 1 ))":        true,
		"cat <<E\n$(id)\nE":            true,
		"x=$(id)":                      true,
		"for i in $(ls); do :; done":   true,
		"f() { echo `id`; }":           true,
		"echo 'a'$(id)'b'":             true,
		"echo $'a'$(id)":               true,
		"case $(id) in *) ;; esac":     true,
		"[[ -n $(id) ]]":               true,
		"a[$(id)]=1":                   true,
		"echo \\\\$(id)":               true,
		"echo \\\n$(id)":               true,
		"echo \"'$(id)'\"":             true,
		"echo x # `comment`\necho `y`": true,
		// not
		"echo '$(date)'":             false,
		"echo '`date`'":              false,
		"echo \"\\$(date)\"":         false,
		"echo \"\\`\"":               false,
		"echo $((1+2))":              false,
		"echo ${x} $x":               false,
		"(ls; pwd) | { cat; }":       false,
		"cat <<'E'\n$(id) `x`\nE":    false,
		"echo '<(x)' \">(y)\"":       false,
		"awk '{print $(NF)}' f":      false,
		"a=(1 2 3)":                  false,
		"ls < (":                     false,
		"if then fi (((":             false,
		"echo 'it'\\''s' '$(quoted)": false,
		// cannot be parsed, so it is not allowed
		"if then $(id":     true,
		"if then `id":      true,
		"if then <(id":     true,
		"if then \"$(id":   true,
		"if then ${ id; }": true,
	} {
		assert.Equal(t, want, substitutes(command), "%q", command)
	}
	tool, dir := shellTool(t, ShellOptions{})
	res, failed := call(t, tool, args{"command": "touch $(echo made)"})
	require.Nil(t, failed)
	assert.True(t, strings.HasPrefix(text(res), "Command injection detected:"))
	assert.Equal(t, "Blocked: command substitution detected in shell command.", res.Display)
	assert.Equal(t, map[string]any{"isError": true}, res.Data)
	assert.NoFileExists(t, filepath.Join(dir, "made"))
	inv, err := tool.Prepare(args{"command": "touch $(echo made)"})
	require.NoError(t, err)
	require.ErrorContains(t, inv.(tools.Checkable).Check(), "Command injection detected:", "nobody is asked about it")
	inv, err = tool.Prepare(args{"command": "touch made"})
	require.NoError(t, err)
	require.NoError(t, inv.(tools.Checkable).Check())
}

func TestShellIntent(t *testing.T) {
	t.Parallel()
	tool, dir := shellTool(t, ShellOptions{})
	long := "echo " + strings.Repeat("x", maxDescribed)
	for _, tt := range []struct {
		args              args
		description, root string
	}{
		{args{"command": "git status", "description": "d"}, "git status", "git"},
		{args{"command": long, "description": "says x"}, "says x", "echo"},
		{args{"command": long}, long, "echo"},
		{args{"command": "A=1 /usr/bin/env ls"}, "A=1 /usr/bin/env ls", "env"},
		{args{"command": "if then"}, "if then", ""},
	} {
		inv, err := tool.Prepare(tt.args)
		require.NoError(t, err)
		assert.Equal(t, tools.Intent{Description: tt.description, Title: "Confirm Shell Command",
			Exec: &tools.ExecIntent{Command: tt.args["command"].(string), Root: tt.root, Dir: dir}}, inv.Intent())
	}
}

func TestShellStreams(t *testing.T) {
	t.Parallel()
	tool, dir := shellTool(t, ShellOptions{})
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	inv, err := tool.Prepare(args{"command": `printf 'one\303'; read x <fifo; printf '\251\033[3'; printf '1mtwo\r\n'`})
	require.NoError(t, err)
	var mu sync.Mutex
	var live strings.Builder
	res, err := inv.(tools.Streamer).RunStream(t.Context(), func(s string) {
		mu.Lock()
		defer mu.Unlock()
		if live.Len() == 0 { // the first words arrive before the command goes on
			go func() { _ = os.WriteFile(fifo, []byte("go\n"), 0) }()
		}
		live.WriteString(s)
	})
	require.NoError(t, err)
	assert.Equal(t, "oneétwo\n", live.String())
	assert.Contains(t, text(res), "Output: oneétwo\n")
}

func TestShellStops(t *testing.T) {
	t.Parallel()
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		for idle := 300 * time.Millisecond; ; idle *= 2 { // find the shortest idle time in which this machine prints anything
			tool, _ := shellTool(t, ShellOptions{Inactivity: idle})
			res, failed := call(t, tool, args{"command": "echo before; sleep 3600"})
			require.Nil(t, failed)
			if strings.Contains(text(res), "before\n<") {
				assert.Equal(t, fmt.Sprintf("<untrusted_context>\nCommand was automatically cancelled because it printed nothing for %v minutes.\nBelow is what it printed before:\nbefore\n</untrusted_context>", idle.Minutes()), text(res))
				return
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		tool, _ := shellTool(t, ShellOptions{})
		inv, err := tool.Prepare(args{"command": "echo before $$; sleep 3600"})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		res, err := inv.(tools.Streamer).RunStream(ctx, func(string) { cancel() })
		require.NoError(t, err)
		assert.Contains(t, text(res), "Command was cancelled by the user before it could complete.\nBelow is what it printed before:\nbefore ")
		pid, _ := strconv.Atoi(strings.Fields(strings.SplitAfter(text(res), "before ")[2])[0])
		waittest.Until(t, func() bool { return syscall.Kill(pid, 0) != nil })
	})
	t.Run("not started", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		tool, dir := shellTool(t, ShellOptions{})
		inv, err := tool.Prepare(args{"command": "touch made"})
		require.NoError(t, err)
		_, err = inv.Run(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.NoFileExists(t, filepath.Join(dir, "made"))
	})
}

func TestShellOutputIsBounded(t *testing.T) {
	t.Parallel()
	tool, _ := shellTool(t, ShellOptions{})
	res, failed := call(t, tool, args{"command": "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last"})
	require.Nil(t, failed)
	got := text(res)
	assert.Less(t, len(got), shellHead+shellTail+1000)
	assert.True(t, strings.HasPrefix(got, "<untrusted_context>\nOutput: first\nxxx"))
	assert.Contains(t, got, "x\nlast\nProcess Group")
	assert.Contains(t, got, fmt.Sprintf("\n[... %d bytes omitted ...]\n", 20000012-shellHead-shellTail))
}

// TestShellBackgroundChild checks that the call returns although its child never ends,
// that the result names the child, and that Close ends it.
func TestShellBackgroundChild(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"sleep 3600 & echo a", "sleep 3600 >/dev/null 2>&1 & echo a"} {
		ps := &Processes{}
		tool, _ := shellTool(t, ShellOptions{Processes: ps})
		res, failed := call(t, tool, args{"command": command})
		require.Nil(t, failed)
		assert.Equal(t, "a", res.Display)
		found := regexp.MustCompile(`^<untrusted_context>\nOutput: a\nBackground PIDs: (\d+)\nProcess Group PGID: \d+\n</untrusted_context>$`).FindStringSubmatch(text(res))
		require.NotNil(t, found, text(res))
		pid, _ := strconv.Atoi(found[1])
		require.NoError(t, syscall.Kill(pid, 0))
		ps.Close()
		waittest.Until(t, func() bool { return gone(pid) })
	}
}

// gone reports whether a process has ended. A zombie that is never reaped has.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestShellBackground(t *testing.T) {
	t.Parallel()
	ps := &Processes{}
	tool, dir := shellTool(t, ShellOptions{Processes: ps})
	list, read := ListBackgroundProcesses(ps), ReadBackgroundOutput(ps)
	res, failed := call(t, list, nil)
	require.Nil(t, failed)
	assert.Equal(t, tools.TextResult("No background processes found.", "No background processes found."), res)

	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	command := `for i in 1 2 3; do echo line $i; done; read x <fifo; exit 4`
	res, failed = call(t, tool, args{"command": command, "is_background": true})
	require.Nil(t, failed)
	require.Regexp(t, `^<untrusted_context>\nCommand moved to background \(PID: \d+\)\. .*\n</untrusted_context>$`, text(res))
	pid, _ := strconv.Atoi(regexp.MustCompile(`PID: (\d+)`).FindStringSubmatch(text(res))[1])

	res, _ = call(t, list, nil)
	assert.Equal(t, fmt.Sprintf("- [PID %d] RUNNING: `%s`", pid, command), text(res))
	waittest.Until(t, func() bool {
		res, failed = call(t, read, args{"pid": pid, "lines": 2})
		return failed == nil && text(res) == "<untrusted_context>\nline 2\nline 3\n</untrusted_context>"
	})
	assert.Equal(t, "line 2\nline 3", res.Display)

	_, failed = call(t, read, args{"pid": 1})
	require.NotNil(t, failed)
	assert.Equal(t, "Access denied.", failed.Display)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "fifo"), []byte("go\n"), 0))
	<-ps.find(pid).Done()
	res, _ = call(t, list, nil)
	assert.Equal(t, fmt.Sprintf("- [PID %d] EXITED: `%s` (Exit Code: 4)", pid, command), text(res))
	// a command that ends within the delay is answered like any other
	res, failed = call(t, tool, args{"command": "echo soon", "is_background": true, "delay_ms": 60000})
	require.Nil(t, failed)
	assert.Contains(t, text(res), "Output: soon\nProcess Group PGID: ")
	ps.Close()
}

func TestProcessesClose(t *testing.T) {
	t.Parallel()
	ps := &Processes{}
	ps.Close()
	tool, _ := shellTool(t, ShellOptions{Processes: ps})
	var pids []int
	for range 3 {
		res, failed := call(t, tool, args{"command": "trap '' TERM; while :; do sleep 0.05; done", "is_background": true, "delay_ms": 50})
		require.Nil(t, failed)
		pid, _ := strconv.Atoi(regexp.MustCompile(`PID: (\d+)`).FindStringSubmatch(text(res))[1])
		pids = append(pids, pid)
	}
	ps.Close()
	for _, pid := range pids {
		waittest.Until(t, func() bool { return gone(pid) })
	}
}

// TestShellWithoutProcesses checks that the tool needs no configuration.
func TestShellWithoutProcesses(t *testing.T) {
	t.Parallel()
	ws, err := workspace.New(t.TempDir())
	require.NoError(t, err)
	res, failed := call(t, RunShellCommand(ws, ShellOptions{}), args{"command": "echo hi"})
	require.Nil(t, failed)
	assert.Equal(t, "hi", res.Display)
}
