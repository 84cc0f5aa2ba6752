package e2e

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/script"
)

const guardSettings = `{
  // what matters, and what does not
  "hooks": {
    "BeforeTool": [{"matcher": "read_file", "hooks": [{"type": "command", "name": "guard", "command": "sh .gemini/guard.sh"}]}],
    "AfterTool": [{"matcher": "never", "hooks": [{"type": "command", "command": "sh .gemini/idle.sh"}]}]
  },
  "ui": {"theme": "loud"}
}`

const guardScript = `case $(cat) in *.pem*) echo "keys are not yours to read" >&2; exit 2 ;; esac
`

// recorded reads a recorded case and checks that it passes.
func (h home) recorded(t *testing.T, name string) string {
	t.Helper()
	text := h.read(t, name)
	out := h.run(t, run{Args: []string{"hooks", "test", name, "-v"}})
	assert.Equal(t, 0, out.Code, "%s%s\n%s", out.Stdout, out.Stderr, text)
	return text
}

// TestRecordCaseOfTheRealModel: the real client over HTTP, streamed in pieces, with
// signatures and ids.
func TestRecordCaseOfTheRealModel(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple"
	h := newHome(t, map[string]string{
		".gemini/settings.json": guardSettings, ".gemini/guard.sh": guardScript, ".gemini/idle.sh": "true\n",
		"key.pem": "hunter2\n", "notes.txt": "buy milk, " + secret + "\n", "untouched.txt": "nobody reads this\n",
	})
	piece := func(text string) llm.Chunk { return llm.Chunk{Parts: []llm.Part{llm.Text{Text: text}}} }
	last := llm.Chunk{
		Parts: []llm.Part{llm.ToolCall{Name: "read_file", Args: map[string]any{"file_path": h.workspace + "/key.pem"},
			Signature: []byte("opaque")}}}
	last.FinishReason, last.Usage = "STOP", &llm.Usage{Prompt: 5, Candidates: 5, Total: 10}
	server := startFakeAPI(t, []script.Entry{
		script.Streamed(piece("I look "), piece("at it."), last),
		callAnswer(llm.ToolCall{Name: "replace", Args: map[string]any{"file_path": "notes.txt", "instruction": "x",
			"old_string": "milk", "new_string": "bread"}}),
		textAnswer("Done with " + secret + "."),
	})
	out := h.run(t, run{
		Args: []string{"-m", "gemini-2.5-flash", "--skip-trust", "--yolo", "--record-case", "c.txtar", "-p", "Is " + secret +
			" in " + h.workspace + "/key.pem?"},
		Env: append(server.env(), "MY_PASSWORD="+secret, "USER=carolina"),
	})
	require.Equal(t, 0, out.Code, out.Stderr)
	assert.Contains(t, out.Stderr, "recorded c.txtar")
	text := h.recorded(t, "c.txtar")
	for _, want := range []string{
		"prompt Is [REDACTED] in key.pem?\n",
		"fired BeforeTool guard decision=deny reason='keys are not yours to read' exit=2 times=1\n",
		"! tool-ran read_file\n", "tool-ran replace times=1\n", "exit 0\n", "# Secrets were taken out: the environment (",
		"-- .gemini/guard.sh --\n" + guardScript, "-- key.pem --\nhunter2\n", "-- notes.txt --\nbuy milk, [REDACTED]\n",
		"text I look at it.\nread key.pem\n", "-- hooks --\nBeforeTool read 'sh .gemini/guard.sh' name=guard\n",
	} {
		assert.Contains(t, text, want)
	}
	for _, forbidden := range []string{secret, "test-key", h.dir, "carolina", "untouched", "idle", "loud", "opaque",
		"b3BhcXVl"} {
		assert.NotContains(t, text, forbidden)
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(h.workspace, "c.txtar"))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestRecordCaseOfOddRuns(t *testing.T) {
	t.Parallel()
	blocking := `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "gate", ` +
		`"command": "echo 'not today' >&2; exit 2"}]}]}}`
	quiet :=
		`{"hooks": {"SessionStart": [{"matcher": "resume", "hooks": [{"type": "command", "name": "back", "command": "true"}]}],
		"BeforeAgent": [{"hooks": [{"type": "command", "name": "quiet", "command": "true"}]}]}}`
	for _, c := range []struct {
		name     string
		files    map[string]string
		settings string
		answers  string
		first    []string // an earlier run
		args     []string
		code     int
		want     []string
		not      []string
	}{
		{"a blocked prompt", nil, blocking, "say Never.", nil, nil, 0,
			[]string{"fired BeforeAgent gate decision=deny reason='not today'", "model-requests 0", "ending blocked"},
			[]string{"Never."}},
		{"a resumed session", nil, quiet, "say Hi.", []string{"-p", "The first"}, []string{"--resume"}, 0,
			[]string{"The session had already begun", "fired BeforeAgent quiet"}, []string{"The first", "fired SessionStart"}},
		{"json output", nil, quiet, "say Hi.", nil, []string{"-o", "json"}, 0, []string{"exit 0", "text Hi."}, nil},
		{"a request that fails", nil, quiet, "fault {}", nil, nil, 1, []string{"error 4", "exit 1", "ending failed"}, nil},
		{"an answer that ends early", nil, quiet, `call list_directory {"dir_path": "."}`, nil, nil, 1,
			[]string{"error 400", "ending failed"}, nil},
		{"chunks that hooks saw", nil, `{"hooks": {"AfterModel": [{"hooks": [{"type": "command", "name": "each", ` +
			`"command": "true"}]}]}}`,
			"say One,\nsay two.", nil, nil, 0,
			[]string{"text One,\ntext two.\n", "fired AfterModel each decision=proceed times=2"}, nil},
		{"files that do not fit", map[string]string{"image.bin": "\x00\x01", "archive": "-- a --\n", "sub/a.txt": "x\n"},
			quiet,
			`call run_shell_command {"command": "cat image.bin archive; ls sub; touch empty"}` + "\n\nsay Seen.", nil,
			[]string{"--yolo"}, 0,
			[]string{"# image.bin is binary, and is not in the case.", "# archive has lines such as -- name --",
				"-- sub/a.txt --\nx\n", "exists empty\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, c.files)
			h.write(t, ".gemini/settings.json", c.settings)
			if c.first != nil {
				require.Equal(t, 0, h.run(t, run{Args: append(trusted(h.answersFile(t, c.answers)), c.first...)}).Code)
			}
			args := append(trusted(h.answersFile(t, c.answers)), "--record-case", "c.txtar", "-p", "Go on")
			out := h.run(t, run{Args: append(args, c.args...)})
			require.Equal(t, c.code, out.Code, out.Stderr)
			text := h.recorded(t, "c.txtar")
			for _, want := range c.want {
				assert.Contains(t, text, want)
			}
			for _, not := range c.not {
				assert.NotContains(t, text, not)
			}
		})
	}
}

// TestRecordCaseLeavesLinksAlone: neither scripts nor files are recorded through a link
// out of the project.
func TestRecordCaseLeavesLinksAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": guardSettings, "notes.txt": "buy milk\n"})
	outside := filepath.Join(h.dir, "outside.sh")
	require.NoError(t, os.WriteFile(outside, []byte("# private\ntrue\n"), 0o755))
	for _, link := range []string{".gemini/guard.sh", "linked.txt"} {
		if err := os.Symlink(outside, filepath.Join(h.workspace, link)); err != nil {
			t.Skip("links cannot be made here")
		}
	}
	out := h.run(
		t, run{Args: append(trusted(h.answersFile(t, `call read_file {"file_path": "linked.txt"}`, `call read_file `+
			`{"file_path": "notes.txt"}`, "say Seen.")), "--record-case", "c.txtar", "-p", "Look")})
	require.Equal(t, 0, out.Code, out.Stderr)
	text := h.read(t, "c.txtar")
	assert.NotContains(t, text, "private")
	assert.Contains(t, text, "# .gemini/guard.sh is a link that leads out of the project, and is not in the case.")
}

// TestRecordCaseRefusesBeforeItRuns: if recording is impossible, nothing runs.
func TestRecordCaseRefusesBeforeItRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		".gemini/settings.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}`,
		"there.txtar":           "mine\n", "file": "",
	})
	answers := trusted(h.answersFile(t, "say Hi."))
	link(t, "none.txtar", filepath.Join(h.workspace, "dangling"))
	for _, c := range []struct{ target, says string }{
		{"there.txtar", "--force"},
		{".", "is a folder"},
		{"file/c.txtar", "--record-case"},
		{"dangling", "is a link to nothing"},
	} {
		for _, args := range [][]string{
			append([]string{"--record-case", c.target, "-p", "Hi"}, answers...),
			slices.Concat([]string{"hooks", "record"}, answers, []string{c.target, "Hi"}),
		} {
			out := h.run(t, run{Args: args})
			assert.Equal(t, 42, out.Code, c.target)
			assert.Contains(t, out.Stderr, c.says, c.target)
			assert.NoFileExists(t, filepath.Join(h.workspace, "ran"))
		}
	}
	assert.Equal(t, "mine\n", h.read(t, "there.txtar"))

	out := h.run(
		t, run{Args: slices.Concat([]string{"hooks", "record", "--force"}, answers, []string{"there.txtar", "Hi"})})
	assert.Equal(t, 0, out.Code, out.Stderr)
	assert.Contains(t, h.recorded(t, "there.txtar"), "prompt Hi\n")
	assert.NotContains(t, out.Stderr, "no hook ran")
	assert.False(t, strings.Contains(out.Stdout, "recorded"), "stdout is the answer's alone")
}

// TestRecordCaseWithoutHooks: the folder of the case is made, and a case without a hook
// that ran is reported.
func TestRecordCaseWithoutHooks(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": guardSettings, ".gemini/guard.sh": guardScript, ".gemini/idle.sh": ""})
	answers := trusted(h.answersFile(t, "say Hi."))
	out := h.run(t, run{Args: slices.Concat([]string{"hooks", "record"}, answers, []string{"new/tests/key.txtar", "Hi"})})
	require.Equal(t, 0, out.Code, out.Stderr)
	assert.Contains(t, h.read(t, "new/tests/key.txtar"), "prompt Hi\n")
	assert.Contains(t, out.Stderr, "minigem: no hook ran: the case tests none. ")
}

// TestRecordCaseForOtherAgents: a recorded case can be played with --as if its hooks fit in
// lines of -- hooks --. Otherwise the case and the matrix say what to write.
func TestRecordCaseForOtherAgents(t *testing.T) {
	t.Parallel()
	settings := func(more string) string {
		return `{"hooks": {"BeforeTool": [{"matcher": "run_shell_command|write_file|replace", "hooks": [{"type": "command",
			"command": "sh guard.sh", "name": "my guard", "timeout": 5000` + more + `}]}],
			"AfterTool": [{"matcher": ".*", "hooks": [{"type": "command", "command": "true && true"}]}],
			"AfterAgent": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	}
	for more, want := range map[string][]string{
		"": {"-- hooks --\nBeforeTool write|edit|shell 'sh guard.sh' timeout=5s name='my guard'\n" +
			"AfterTool * 'true && true'\nAfterAgent true\n", "shell rm -rf src\n\nwrite a.txt \"one two\\n\"\n"},
		`, "env": {"A": "b"}`: {"# The hook my guard does not fit in a line of -- hooks --, such as before-tool shell ./guard.sh",
			`"command": "true && true"`},
	} {
		h := newHome(t, map[string]string{".gemini/settings.json": settings(more),
			"guard.sh": "case $(cat) in *'rm -rf'*) echo no >&2; exit 2 ;; esac\n"})
		out := h.run(t, run{Args: append(trusted(h.answersFile(t, `call run_shell_command {"command": "rm -rf src"}`,
			`call write_file {"file_path": "a.txt", "content": "one two\n"}`, "say Done.")), "--yolo", "--record-case", "c.txtar",
			"-p", "Clean up")})
		require.Equal(t, 0, out.Code, out.Stderr)
		text := h.recorded(t, "c.txtar")
		for _, want := range want {
			assert.Contains(t, text, want)
		}
		out = h.run(t, run{Args: []string{"hooks", "test", "--as", "claude,qwen", "c.txtar"}})
		if more == "" {
			assert.Contains(t, out.Stdout, "3 passed, 0 failed", out.Stderr)
		} else {
			assert.Contains(t, out.Stdout, "the case has no hook for it: write hooks in a section -- hooks --, one a line, such as")
		}
	}
}

// TestRecordCaseForceKeepsLinks: --force overwrites regular files and the targets of
// links.
func TestRecordCaseForceKeepsLinks(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"real.txtar": "mine\n"})
	answers := trusted(h.answersFile(t, "say Hi."))
	link(t, "real.txtar", filepath.Join(h.workspace, "link.txtar"))
	out := h.run(
		t, run{Args: slices.Concat([]string{"hooks", "record", "--force"}, answers, []string{"link.txtar", "Hi"})})
	require.Equal(t, 0, out.Code, out.Stderr)
	assert.Contains(t, h.read(t, "real.txtar"), "prompt Hi\n")
	target, err := os.Readlink(filepath.Join(h.workspace, "link.txtar"))
	require.NoError(t, err)
	assert.Equal(t, "real.txtar", target)
	for _, device := range []string{"/dev/null", "/dev/tty"} {
		if _, err := os.Stat(device); err == nil {
			out := h.run(t, run{Args: slices.Concat([]string{"hooks", "record", "--force"}, answers, []string{device, "Hi"})})
			assert.Equal(t, 42, out.Code, device)
			assert.Contains(t, out.Stderr, "is not a regular file")
		}
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("links cannot be made here")
	}
}

// TestRecordingsHoldNoSecrets: secrets that are not in environment variables are also
// removed from cases and recorded answers, and the user reads which.
func TestRecordingsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	bearer := strings.Repeat("q7Zr", 6)
	h := newHome(t, map[string]string{".env.local": "API_TOKEN=" + bearer + "\npassword: hunter2hunter\n"})
	split := []llm.Chunk{
		{Parts: []llm.Part{llm.Text{Text: "Use Authorization: Bearer " + bearer[:9]}}},
		{Parts: []llm.Part{llm.Text{Text: bearer[9:] + "."}}, FinishReason: "STOP"},
	}
	server := startFakeAPI(t, []script.Entry{
		callAnswer(llm.ToolCall{Name: "run_shell_command", Args: map[string]any{"command": "cat .env.local; curl -u " +
			"me:hunter2hunter http://127.0.0.1:1/"}}),
		script.Streamed(split...),
	})
	out := h.run(t, run{
		Args: []string{"-m", "gemini-2.5-flash", "--skip-trust", "--yolo", "--record-case", "c.txtar", "--record-responses",
			"r.jsonl", "-p", "My password is hunter2hunter."},
		Env: server.env(),
	})
	require.Equal(t, 0, out.Code, out.Stderr)
	assert.Contains(t, out.Stderr, "minigem: took these secrets out of the case: ")
	for _, name := range []string{"API_TOKEN", "Authorization header", "password of curl"} {
		assert.Contains(t, out.Stderr, name)
	}
	h.recorded(t, "c.txtar")
	for _, file := range []string{"c.txtar", "r.jsonl"} {
		text := h.read(t, file)
		assert.Contains(t, text, "[REDACTED]", file)
		for _, secret := range []string{bearer, bearer[9:], "hunter2hunter"} {
			assert.NotContains(t, text, secret, file)
		}
	}
}
