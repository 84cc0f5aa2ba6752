package e2e

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// answersFile writes scripted answers next to the workspace and returns the flags that
// name them.
func (h home) answersFile(t testing.TB, answers ...string) []string {
	t.Helper()
	entries, err := parseAnswers("answers", strings.Join(answers, "\n\n"))
	require.NoError(t, err)
	file := filepath.Join(h.dir, "answers.jsonl")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	for _, e := range entries {
		line, err := e.MarshalJSON()
		require.NoError(t, err)
		_, err = f.Write(append(line, '\n'))
		require.NoError(t, err)
	}
	return []string{"-m", "gemini-2.5-flash", "--fake-responses", file}
}

// assertTidy checks that every session file can be read, that each call in it has its
// result, that nothing that was started still runs, and that no stack trace was shown.
func (h home) assertTidy(t testing.TB, o outcome) {
	t.Helper()
	for _, file := range transcriptsIn(h.dir) {
		assert.NoError(t, checkTranscript(file))
	}
	assertNoOrphans(t, h.dir)
	assert.NotContains(t, o.Stderr, "goroutine ")
	assert.NotContains(t, o.Stderr, ".go:")
}

const brokenScript = `{"method":"generateContentStream","response":[]}
{broken
`

// TestBadInput: one clear message on stderr, nothing on stdout, and the documented exit
// code.
func TestBadInput(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	settings := func(text string) files { return files{".gemini/settings.json": text} }
	say := []string{"-m", "gemini-2.5-flash", "--fake-responses", "{answers}", "-p", "hi"}
	for _, c := range []struct {
		name   string
		files  files
		env    string
		args   []string
		code   int
		stderr string // complete, without the prefix "minigem: "; "+usage" at the end means that the usage follows
	}{
		// No model.
		{"no key", nil, "", []string{"-p", "hi"}, 41, "no way of signing in to Gemini is configured: create a key at https://aistudio.google.com/apikey and put it into the variable GEMINI_API_KEY, or the line GEMINI_API_KEY=... into ~/.gemini/.env\nTo see minigem work without a key: minigem demo\nA model on your machine needs no key either: minigem --model ollama/NAME"},
		{"no file of answers", nil, "", []string{"--fake-responses", "nope.jsonl", "-p", "hi"}, 42, "opening scripted answers: open nope.jsonl: no such file or directory"},
		{"a broken line in it", files{"b.jsonl": brokenScript}, "", []string{"--fake-responses", "b.jsonl", "-p", "hi"}, 42, "reading scripted answers: b.jsonl:2: invalid character 'b' looking for beginning of object key string"},
		// The command line.
		{"unknown flag", nil, "", []string{"--nope"}, 1, "unknown flag: --nope+usage"},
		{"a mistyped flag", nil, "", []string{"--promt", "hi"}, 1, "unknown flag: --promt; did you mean --prompt?+usage"},
		{"a flag without its value", nil, "", []string{"-p"}, 1, "flag needs an argument: 'p' in -p+usage"},
		{"two prompts", nil, "", []string{"-p", "a", "b"}, 1, "the prompt is given twice, with --prompt and without it: give it once+usage"},
		{"two modes", nil, "", []string{"--yolo", "--approval-mode=plan", "-p", "a"}, 1, "--yolo and --approval-mode exclude each other: use --approval-mode=yolo+usage"},
		{"no such mode", nil, "", []string{"--approval-mode=maybe", "-p", "a"}, 1, `--approval-mode is "maybe": it must be default, auto_edit, yolo or plan+usage`},
		{"no such format", nil, "", []string{"-o", "xml", "-p", "a"}, 1, `--output-format is "xml": it must be text, json or stream-json+usage`},
		{"two sessions", nil, "", []string{"-r", "1", "--session-id", "x", "-p", "a"}, 1, "only one of --resume, --session-id and --session-file can be given+usage"},
		{"a session's id that is a path", nil, "", []string{"--session-id", "../x", "-p", "a"}, 1, `--session-id is "../x": it may contain letters, digits, - and _+usage`},
		{"a folder as the session's file", files{"d/x": ""}, "", append([]string{"--session-file", "d"}, say...), 42, "opening the session: importing session: reading session file: read d: is a directory; --session-file takes the .jsonl file of a session"},
		{"an empty prompt", nil, "", []string{"-p", ""}, 42, "there is no prompt: give one with -p, as an argument, or on standard input"},
		{"a blank prompt", nil, "", []string{"-p", " \n"}, 42, "there is no prompt: give one with -p, as an argument, or on standard input"},
		{"no prompt at all", nil, "", nil, 42, "there is no prompt: give one with -p, as an argument, or on standard input"},
		// Settings and trust.
		{"settings that are not JSON", settings("{\n  \"hooks\": {\n    \"BeforeTool\": [}\n}\n"), "GEMINI_CLI_TRUST_WORKSPACE=true", say, 52, "reading settings: {project}/.gemini/settings.json:3:20: invalid character '}' at start of value: correct the file, or move it away"},
		{"settings cut short", settings("{\n  \"hooks\": {"), "GEMINI_CLI_TRUST_WORKSPACE=true", say, 52, "reading settings: {project}/.gemini/settings.json:2:13: parsing value: unexpected EOF: correct the file, or move it away"},
		{"an untrusted folder with hooks", settings(`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`), "", say, 55, "this folder is not trusted (it has not been trusted yet), and it contains:\n  hooks: BeforeTool true (.gemini/settings.json)\nLook at it, then run minigem trust here. For one run: --skip-trust, or GEMINI_CLI_TRUST_WORKSPACE=true."},
		{"yolo forbidden", settings(`{"security": {"disableYoloMode": true}}`), "GEMINI_CLI_TRUST_WORKSPACE=true", append([]string{"--yolo"}, say...), 52, "yolo mode is turned off by security.disableYoloMode in the settings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, c.files)
			answers := h.answersFile(t, "say Hello.")[3]
			var args []string
			for _, a := range c.args {
				args = append(args, strings.ReplaceAll(a, "{answers}", answers))
			}
			o := h.run(t, run{Args: args, Env: []string{c.env}})

			want, usage := strings.CutSuffix(c.stderr, "+usage")
			want = "minigem: " + strings.ReplaceAll(want, "{project}", h.workspace) + "\n"
			assert.Equal(t, c.code, o.Code)
			assert.Empty(t, o.Stdout)
			if usage {
				assert.Equal(t, want+"See: minigem --help\n", o.Stderr)
			} else {
				assert.Equal(t, want, o.Stderr)
			}
			h.assertTidy(t, o)
		})
	}
}

// TestMistypedNames: likely typos are reported, and the run continues.
func TestMistypedNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, settings string
		args           []string
		stderr         string
	}{
		{"a setting", `{"model": {"nme": "x"}, "other": 1}`, []string{"-p", "hi"}, "[WARNING] {project}/.gemini/settings.json:1: the key \"model.nme\" is not known; did you mean \"model.name\"?\n"},
		{"a file", "{}", []string{"-p", "see @nothere.txt and ask @somebody"}, "[WARNING] @nothere.txt is not included: there is no such file\n"},
		{"a folder", "{}", []string{"--include-directories", "nothere", "-p", "hi"}, "[WARNING] {project}/nothere is to be included and is not a folder: tools find nothing in it until it is one\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": c.settings})
			o := h.run(t, run{Args: append(h.answersFile(t, "say Hello."), c.args...), Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
			assert.Equal(t, "Hello.\n", o.Stdout)
			assert.Equal(t, strings.ReplaceAll(c.stderr, "{project}", h.workspace), o.Stderr)
		})
	}
}

// TestAnswersThatEndTooEarly: the error names the request for which the script has no
// answer, and the session keeps what was done.
func TestAnswersThatEndTooEarly(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "hello\n"})
	args := h.answersFile(t, `call read_file {"file_path": "notes.txt"}`)
	o := h.run(t, run{Args: append(args, "-p", "read it")})
	assert.Equal(t, 1, o.Code)
	assert.Empty(t, o.Stdout)
	assert.Contains(t, o.Stderr, "minigem: request 2 (generateContentStream) has no answer left in "+args[3]+" (answers used: 1): add an answer (in JSON, a generateContentStream line); ")
	assert.Contains(t, o.Stderr, "hello", "the end of the request is shown")
	h.assertTidy(t, o)
	shown, err := showTranscript(transcriptsIn(h.dir)[0])
	require.NoError(t, err)
	assert.Contains(t, shown, "result read_file")
}

func TestStandardInput(t *testing.T) {
	t.Parallel()
	answer := func(t *testing.T) (home, api) {
		return newHome(t, nil), startFakeAPI(t, textAnswers(t, "Read.", 1))
	}
	promptOf := func(t *testing.T, server api) string {
		require.Len(t, server.Log(), 1)
		rendered := testbed.RenderMessages(server.Log()[0].Parsed.Messages)
		_, prompt, _ := strings.Cut(rendered, "</session_context>")
		return strings.TrimPrefix(strings.TrimSpace(prompt), "user: ")
	}
	t.Run("comes before the prompt", func(t *testing.T) {
		t.Parallel()
		h, server := answer(t)
		o := h.run(t, run{Args: []string{"-p", "why?"}, Env: server.env(), Stdin: "line one\nline two\n"})
		require.Equal(t, 0, o.Code, o.Stderr)
		assert.Equal(t, "Read.\n", o.Stdout)
		assert.Equal(t, "line one\nline two\n\nwhy?", promptOf(t, server))
	})
	t.Run("is the prompt", func(t *testing.T) {
		t.Parallel()
		h, server := answer(t)
		o := h.run(t, run{Env: server.env(), Stdin: "why?\n"})
		require.Equal(t, 0, o.Code, o.Stderr)
		assert.Equal(t, "why?", promptOf(t, server))
	})
	t.Run("is cut at 8 MiB", func(t *testing.T) {
		t.Parallel()
		h, server := answer(t)
		o := h.run(t, run{Args: []string{"-p", "why?"}, Env: server.env(), Stdin: strings.Repeat("0123456789abcde\n", 9<<16)})
		require.Equal(t, 0, o.Code, o.Stderr)
		assert.Contains(t, o.Stderr, "[WARNING] standard input is longer than 8 MiB: the rest was cut off\n")
		assert.Len(t, promptOf(t, server), 8<<20-len("\n")+len("\n\nwhy?"))
		h.assertTidy(t, o)
	})
	t.Run("is a pipe that stays open", func(t *testing.T) {
		t.Parallel()
		h, server := answer(t)
		cmd, stdout, stderr := h.command(t, run{Args: []string{"-p", "why?"}, Env: server.env()})
		cmd.Stdin = nil
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		defer in.Close()
		require.NoError(t, cmd.Run(), stderr) // the pipe is still open
		assert.Equal(t, "Read.\n", stdout.String())
		assert.Equal(t, "why?", promptOf(t, server))
	})
}

// TestStandardOutputIsClosed: it is not a failure if the reader of standard output leaves,
// and the session ends properly.
func TestStandardOutputIsClosed(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {"SessionEnd": [{"hooks": [
		{"type": "command", "command": "cat >>end.json"}]}]}}`})
	answers := h.answersFile(t, "say "+strings.Repeat("\nsay word ", 20_000), "say never asked for")
	cmd, _, stderr := h.command(t, run{Args: append(answers, "-p", "go on"), Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, out.Close())
	err = cmd.Wait()
	var exit *exec.ExitError
	require.NotErrorAs(t, err, &exit, stderr.String())
	assert.NotContains(t, stderr.String(), "minigem:")
	assert.Contains(t, h.read(t, "end.json"), `"reason":"exit"`)
	h.assertTidy(t, outcome{Stderr: stderr.String()})
}
