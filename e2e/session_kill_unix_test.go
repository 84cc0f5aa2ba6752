//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/atomicfile"
	"minigem/internal/thorough"
	"minigem/llm"
	"minigem/llm/script"
	"minigem/transcript"
)

// killedSettings has a hook on each event of a run with tools, so that kills also hit
// hooks.
const killedSettings = `{"hooks": {
	"BeforeAgent": [{"hooks": [{"type": "command", "command": "cat >/dev/null"}]}],
	"BeforeTool": [{"hooks": [{"type": "command", "command": "cat >/dev/null"}]}],
	"AfterTool": [{"matcher": "read_file", "hooks": [{"type": "command", "command":
		"cat >/dev/null; echo '{\"hookSpecificOutput\": {\"additionalContext\": \"seen\"}}'"}]}],
	"AfterAgent": [{"hooks": [{"type": "command", "command": "cat >/dev/null"}]}]
}}`

// bigFile takes long to write, but is not so large that old outputs are masked.
const bigFile = 90 << 10

// killedAnswers returns calls that write a large file twice, read, replace and run
// commands.
func killedAnswers() []script.Entry {
	call := func(name string, args map[string]any) llm.ToolCall { return llm.ToolCall{Name: name, Args: args} }
	write := func(letter string) llm.ToolCall {
		return call("write_file", map[string]any{"file_path": "big.txt", "content": strings.Repeat(letter, bigFile)})
	}
	return []script.Entry{
		callAnswer(write("a")),
		callAnswer(
			call("read_file", map[string]any{"file_path": "notes.txt"}),
			call("run_shell_command", map[string]any{"command": "echo one"}),
			call("list_directory", map[string]any{"dir_path": "."})),
		callAnswer(write("b")),
		callAnswer(call("replace", map[string]any{"file_path": "notes.txt", "instruction": "greet", "old_string": "hello", "new_string": "goodbye"})),
		textAnswer("All done."),
	}
}

// TestKill ends runs with SIGKILL at random moments. Each session file can be read and its
// session can be resumed, the model is sent everything that it was sent before, and no
// file is half written. MINIGEM_KILLS sets the number of kills, by default 5.
func TestKill(t *testing.T) {
	t.Parallel()
	times := thorough.Times(5, 15)
	if n, err := strconv.Atoi(os.Getenv("MINIGEM_KILLS")); err == nil {
		times = n
	}
	rounds := len(killedAnswers())
	var inTime atomic.Int64
	t.Run("at", func(t *testing.T) {
		for i := range times {
			round, after := rand.IntN(rounds), time.Duration(rand.Int64N(int64(50*time.Millisecond)))
			t.Run(fmt.Sprintf("%d_round_%d_%s", i, round, after.Round(time.Millisecond)), func(t *testing.T) {
				t.Parallel()
				if killedRun(t, round, after) {
					inTime.Add(1)
				}
			})
		}
	})
	t.Logf("%d of %d were killed before their end", inTime.Load(), times)
}

// killedRun runs the script, kills it some time after the given number of requests, and
// checks what is left.
func killedRun(t *testing.T, round int, after time.Duration) (killed bool) {
	h := newHome(t, map[string]string{"notes.txt": "hello world\n", ".gemini/settings.json": killedSettings})
	server := startFakeAPI(t, killedAnswers())
	env := append(server.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")
	cmd, _, stderr := h.command(t, run{Args: []string{"--yolo", "-m", "gemini-2.5-flash", "-p", "do it"}, Env: env})
	cmd.WaitDelay = 5 * time.Second // a hook that is still running holds its pipes
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		for len(server.Log()) < round {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(after) // the moment of the kill is what is tested
		_ = cmd.Process.Kill()
	}()
	_ = cmd.Wait()
	close(ended)
	killed = !cmd.ProcessState.Exited()
	if !killed {
		require.Equal(t, 0, cmd.ProcessState.ExitCode(), stderr.String())
	}
	h.assertWholeFiles(t)
	h.assertReadable(t)
	for _, stray := range h.strays(t) {
		if filepath.Ext(stray) == ".tmp" {
			t.Logf("killed in the middle of writing: %s", stray)
		}
	}

	before := lastWhole(server)
	again := startFakeAPI(t, textAnswers(t, "Here again.", 1))
	env = append(again.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-r", "latest", "-p", "go on"}, Env: env})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "Here again.\n", o.Stdout)
	assert.Empty(t, again.problems())
	now := flat(again.Log()[0].Parsed.Messages)
	require.GreaterOrEqual(t, len(now), len(before), "parts are lost")
	for i := range before {
		if !assert.ObjectsAreEqual(before[i], now[i]) { // assert.Equal cannot show texts of this size
			t.Errorf("part %d of the history differs: it was %.200s and is %.200s", i, fmt.Sprint(before[i]), fmt.Sprint(now[i]))
		}
	}
	assert.Empty(t, h.strays(t), "half-written files are left after the next start")
	return killed
}

// lastWhole returns the parts of the last complete request. If the kill cut off a request,
// it was not parsed, and the one before it was answered.
func lastWhole(server api) []flatPart {
	sent := []flatPart{}
	for _, r := range server.Log() {
		if len(r.Parsed.Messages) > 0 {
			sent = flat(r.Parsed.Messages)
		}
	}
	return sent
}

type flatPart struct {
	role llm.Role
	part llm.Part
}

// flat returns a conversation part by part, because a prompt after results is in the same
// message as they are.
func flat(messages []llm.Message) []flatPart {
	var out []flatPart
	for _, m := range conversation(messages) {
		for _, p := range m.Parts {
			out = append(out, flatPart{m.Role, p})
		}
	}
	return out
}

// assertWholeFiles checks that files written by tools are complete or do not exist.
func (h home) assertWholeFiles(t *testing.T) {
	t.Helper()
	for name, contents := range map[string][]string{
		"big.txt":   {"", strings.Repeat("a", bigFile), strings.Repeat("b", bigFile)},
		"notes.txt": {"hello world\n", "goodbye world\n"},
	} {
		data, err := os.ReadFile(filepath.Join(h.workspace, name))
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		if !assert.Contains(t, contents, string(data)) {
			t.Logf("%s is half written", name)
		}
	}
	if data, err := os.ReadFile(filepath.Join(h.dir, ".gemini", "projects.json")); err == nil {
		assert.True(t, json.Valid(data), "%s", data)
	}
}

// strays returns our own files that should not remain.
func (h home) strays(t *testing.T) (found []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(h.dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".minigem-") {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// TestStrays: the next start removes the unfinished files of a killed run, wherever they
// are, and keeps files that only look like them.
func TestStrays(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"src/a.go": "package a\n"})
	strayIn := func(dir string) string {
		path := filepath.Join(dir, atomicfile.TempName())
		require.NoError(t, os.WriteFile(path, []byte("half"), 0o600))
		return path
	}
	src, other := filepath.Join(h.workspace, "src"), t.TempDir()
	journal := []string{"files that are being written", strayIn(src), strayIn(other), filepath.Join(src, "a.go"), filepath.Join(src, "gone.tmp")}
	temp := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(temp, ".minigem-ABC.writing"), []byte(strings.Join(journal, "\n")+"\n"), 0o600))
	unknown := strayIn(h.workspace) // it is in no journal

	o := h.run(t, run{Args: append(h.answersFile(t, "say Hi."), "-p", "hello"), Env: []string{"TMPDIR=" + temp}})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, []string{unknown}, h.strays(t))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.NoFileExists(t, journal[2])
	assert.FileExists(t, filepath.Join(src, "a.go"))
}

var cutShort = regexp.MustCompile(`the last record was cut short`)

// assertReadable checks that nothing is wrong with the session files, except that the last
// record may be incomplete.
func (h home) assertReadable(t *testing.T) {
	t.Helper()
	for _, file := range transcriptsIn(h.dir) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		f, err := transcript.Read(file)
		if len(data) > 0 || err == nil {
			require.NoError(t, err)
			for _, w := range f.Warnings {
				assert.Regexp(t, cutShort, w.Text)
			}
		}
	}
}
