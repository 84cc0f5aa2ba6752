//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mortal is an editor that speaks the protocol line by line and dies when its test says
// so.
type mortal struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Scanner
	stderr *bytes.Buffer
}

func (h home) startEditor(t *testing.T, args, env []string) *mortal {
	t.Helper()
	cmd, _, stderr := h.command(t, run{Args: append([]string{"--acp"}, args...), Env: env})
	cmd.Stdin, cmd.Stdout = nil, nil
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &mortal{t, cmd, in, out, lines, stderr}
}

func (m *mortal) send(line string) {
	m.t.Helper()
	_, err := io.WriteString(m.in, line)
	require.NoError(m.t, err)
}

// await reads until a line contains the text.
func (m *mortal) await(text string) string {
	m.t.Helper()
	for m.lines.Scan() {
		if strings.Contains(m.lines.Text(), text) {
			return m.lines.Text()
		}
	}
	m.t.Fatalf("minigem ended before it said %q: %s", text, m.stderr)
	return ""
}

// open begins a session. In mode yolo it asks no questions.
func (m *mortal) open(dir, mode string) (id string) {
	m.t.Helper()
	m.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":` +
		`{"fs":{"readTextFile":true,"writeTextFile":true}}}}` + "\n")
	m.await(`"id":0`)
	m.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":` + strconv.Quote(dir) + `,"mcpServers":[]}}` +
		"\n")
	_, id, _ = strings.Cut(m.await(`"id":1`), `"sessionId":"`)
	id, _, _ = strings.Cut(id, `"`)
	m.send(`{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"` + id + `","modeId":"` + mode +
		`"}}` + "\n")
	m.await(`"id":2`)
	return id
}

func prompting(id, words string) string {
	return `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"` + id +
		`","prompt":[{"type":"text","text":"` + words + `"}]}}` + "\n"
}

// die closes the editor's output. If killed is set, it also stops reading.
func (m *mortal) die(killed bool) (code int, stderr string) {
	m.t.Helper()
	require.NoError(m.t, m.in.Close())
	if killed {
		require.NoError(m.t, m.out.Close())
	} else {
		for m.lines.Scan() {
			continue
		}
	}
	_ = m.cmd.Wait() // the exit code is returned
	return m.cmd.ProcessState.ExitCode(), m.stderr.String()
}

// TestDeathsOfEditors: at whatever step an editor dies, minigem exits and leaves nothing
// running. A prompt that the death cut off does not count as a success, and the exit code
// and stderr say so. What was not allowed did not happen, and the session can be resumed.
func TestDeathsOfEditors(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	const cut = "the editor disconnected while a prompt was running"
	write := `call write_file {"file_path": "b.txt", "content": "x"}`
	var rows []string
	for _, c := range []struct {
		name    string
		answers string
		mode    string
		session bool   // it has begun
		sends   string // ID is replaced by the session's id
		until   string // minigem says this, or a file of that name exists
		code    int
		kept    []string // in the transcript; nil: no prompt was kept
	}{
		{name: "before a word"},
		{name: "in the first message", sends: `{"jsonrpc":"2.0","id":0,"method":"init`},
		{name: "in a session", session: true},
		{name: "in a prompt", session: true, sends: prompting("ID", "go")[:90]},
		{name: "in the model's answer", answers: "say So far.\nsay Never.\nfault {\"after\": 1, \"silent\": true}",
			session: true,
			sends:   prompting("ID", "go"), until: "So far.", code: 1, kept: []string{"go"}},
		{name: "while a hook runs", answers: "say Done.", session: true, sends: prompting("ID", "hook"), until: "began",
			code: 1},
		{name: "while it is asked", answers: write, mode: "default", session: true, sends: prompting("ID", "go"),
			until: "session/request_permission", code: 1, kept: []string{"write_file", `"status":"cancelled"`}},
		{name: "while it reads a file", answers: `call read_file {"file_path": "a.txt"}`, session: true,
			sends: prompting("ID", "go"),
			until: "fs/read_text_file", code: 1, kept: []string{"read_file"}},
		{name: "while it writes a file", answers: write, session: true, sends: prompting("ID", "go"),
			until: "fs/", code: 1, kept: []string{"write_file"}},
		{name: "while a command runs", answers: `call run_shell_command {"command": "touch began; sleep 3600; touch after"}`,
			session: true,
			sends:   prompting("ID", "go"), until: "began", code: 1, kept: []string{"sleep 3600", `"status":"cancelled"`}},
		{name: "after the answer", answers: "say Done.", session: true, sends: prompting("ID", "go"),
			until: `"stopReason":"end_turn"`,
			kept:  []string{"Done."}},
	} {
		for _, killed := range []bool{false, true} {
			how := map[bool]string{false: "hangs up", true: "killed"}[killed]
			rows = append(rows, fmt.Sprintf("| %s | %s | %d | %s |", c.name, how, c.code,
				map[int]string{0: "nothing", 1: "`" + cut + "`"}[c.code]))
			t.Run(c.name+"/"+how, func(t *testing.T) {
				t.Parallel()
				h := newHome(t, map[string]string{"a.txt": "hello", "../.gemini/settings.json": `{"hooks": {
					"BeforeAgent": [{"hooks": [{"type": "command", "command": "case $(cat) in *'\"prompt\":\"hook\"'*) touch began; sleep 3600 ;; esac"}]}],
					"SessionEnd": [{"hooks": [{"type": "command", "command": "cat >>end.json; echo >>end.json"}]}]}}`})
				entries, err := parseAnswers("answers", c.answers)
				require.NoError(t, err)
				api := startFakeAPI(t, entries)
				m := h.startEditor(t, []string{"-m", "gemini-2.5-flash"}, api.env())
				id := ""
				if c.session {
					id = m.open(h.workspace, map[bool]string{true: "yolo", false: c.mode}[c.mode == ""])
				}
				m.send(strings.ReplaceAll(c.sends, "ID", id))
				switch c.until {
				case "":
				case "began":
					waitFor(t, filepath.Join(h.workspace, "began"))
				default:
					m.await(c.until)
				}
				code, stderr := m.die(killed)
				assert.Equal(t, c.code, code, stderr)
				assert.Equal(t, c.code != 0, strings.Contains(stderr, cut), stderr)
				assertNoOrphans(t, h.dir)
				for _, never := range []string{"b.txt", "after"} {
					assert.NoFileExists(t, filepath.Join(h.workspace, never))
				}
				ends, _ := os.ReadFile(filepath.Join(h.workspace, "end.json"))
				assert.Equal(t, map[bool]int{true: 1}[c.session], strings.Count(string(ends), "SessionEnd"))
				if c.kept == nil {
					return
				}
				for _, want := range c.kept {
					assert.Contains(t, h.lastTranscript(t), want)
				}
				if c.code != 0 {
					assert.NotContains(t, h.lastTranscript(t), "Never.")
				}
				require.NoError(t, os.Remove(filepath.Join(h.dir, ".gemini", "settings.json")))
				h.assertResumes(t)
			})
		}
	}
	deathTable(t, "An editor", rows...)
}
