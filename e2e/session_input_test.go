package e2e

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/transcript"
)

// TestWrongTypeInSettings: the rest of the file stays in effect, and the error is reported
// with its position.
func TestWrongTypeInSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": "{\n  \"model\": {\n    \"maxSessionTurns\": \"many\"\n  },\n  \"output\": {\"format\": \"json\"}\n}\n"})
	o := h.run(t, run{Args: append(h.answersFile(t, "say Hi."), "-p", "hello"), Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}})
	assert.Equal(t, 0, o.Code)
	assert.Contains(t, o.Stdout, `"response": "Hi."`, "the rest of the file holds")
	assert.Contains(t, o.Stderr, h.workspace+"/.gemini/settings.json:3:24: model.maxSessionTurns: must be a whole number, not \"many\"; ignored")
}

// TestCyclicImport: context files that import each other are each read once.
func TestCyclicImport(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"GEMINI.md": "Top says one.\n@./a.md\n", "a.md": "A says two.\n@./b.md\n", "b.md": "B says three.\n@./a.md\n@./GEMINI.md\n",
	})
	server := startFakeAPI(t, textAnswers(t, "Fine.", 1))
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "hi"}, Env: append(server.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
	require.Equal(t, 0, o.Code, o.Stderr)
	require.Len(t, server.Log(), 1)
	system := server.Log()[0].Parsed.System + testbed.RenderMessages(server.Log()[0].Parsed.Messages)
	for _, text := range []string{"Top says one.", "A says two.", "B says three."} {
		assert.Equal(t, 1, strings.Count(system, text), text)
	}
}

// TestHugeContextFile: a huge context file neither fails the run nor takes unbounded
// memory, and the user is told how it was treated.
func TestHugeContextFile(t *testing.T) {
	t.Parallel()
	const size = 50 << 20
	h := newHome(t, nil)
	h.write(t, "GEMINI.md", "The beginning.\n"+strings.Repeat("All work and no play.\n", size/22))
	server := startFakeAPI(t, textAnswers(t, "Fine.", 1))
	// A higher limit, because more than 40 MiB of such a file are in use.
	env := append(server.env(), "GEMINI_CLI_TRUST_WORKSPACE=true", "GOMEMLIMIT=300MiB")
	cmd, stdout, stderr := h.command(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "hi"}, Env: env})
	peak := func() int { return 0 } // only measured on Linux
	if runtime.GOOS == "linux" {
		peak = measured(t, cmd)
	}
	err := cmd.Run()
	o := outcome{Stdout: stdout.String(), Stderr: stderr.String()}
	require.NoError(t, err, o.Stderr)
	assert.Equal(t, "Fine.\n", o.Stdout)
	assert.Contains(t, o.Stderr, "GEMINI.md")
	assert.Less(t, peak(), 600, "MiB")
	assert.Less(t, len(server.Log()[0].Body), 5<<20)
	h.assertTidy(t, o)
}

// TestReadOnlyHome: minigem reports once that nothing can be saved, and answers anyway.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "hello\n"})
	answers := h.answersFile(t, `call read_file {"file_path": "notes.txt"}`, "say It says hello.")
	readOnly := h
	readOnly.dir = filepath.Join(t.TempDir(), "home")
	require.NoError(t, os.Mkdir(readOnly.dir, 0o555))
	mountReadOnly(t, readOnly.dir)
	o := readOnly.run(t, run{Args: append(answers, "-p", "read the notes")})
	assert.Equal(t, 0, o.Code)
	assert.Equal(t, "It says hello.\n", o.Stdout)
	assert.Equal(t, 1, strings.Count(o.Stderr, "the session will not be saved"), o.Stderr)
	assert.NotContains(t, o.Stderr, "goroutine ")

	o = readOnly.run(t, run{Args: []string{"--list-sessions"}})
	assert.Equal(t, 0, o.Code)
	assert.Equal(t, "No session is saved for "+h.workspace+" yet.\n", o.Stdout)
}

// TestFullDiskOfSessions: the run continues without a file and reports that once. What was
// saved before is complete, and saving continues when there is room again.
func TestFullDiskOfSessions(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": strings.Repeat("hello\n", 1000)})
	read := `call read_file {"file_path": "notes.txt"}`
	answers := h.answersFile(t, "say First.\n"+read, read, read, read, read, read, read, "say Done.")
	full := h
	full.dir = filepath.Join(t.TempDir(), "home")
	require.NoError(t, os.Mkdir(full.dir, 0o755))
	mountSmall(t, full.dir, 64<<10)
	o := full.run(t, run{Args: append(answers, "-p", "read the notes again and again")})
	assert.Equal(t, 0, o.Code)
	assert.Equal(t, "First.\nDone.\n", o.Stdout)
	assert.Equal(t, 1, strings.Count(o.Stderr, "the session is not saved any more"), o.Stderr)
	assert.Contains(t, o.Stderr, "no space left on device")

	files := transcriptsIn(full.dir)
	require.Len(t, files, 1)
	f, err := transcript.Read(files[0])
	require.NoError(t, err)
	for _, w := range f.Warnings {
		assert.Contains(t, w.Text, "cut short")
	}
	require.NoError(t, growMount(full.dir, 1<<20))
	server := startFakeAPI(t, textAnswers(t, "Here again.", 1))
	o = full.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-r", "-p", "go on"}, Env: server.env()})
	assert.Equal(t, 0, o.Code, o.Stderr)
	assert.Empty(t, server.problems())
	assert.Contains(t, spoken(server), "user: read the notes again and again\nmodel: First.\nmodel: call read_file")
}

// TestFullDiskOfTheWorkspace: a tool on a full disk ends the run, in each format, and
// leaves no partial file.
func TestFullDiskOfTheWorkspace(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json", "stream-json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			answers := h.answersFile(t, `call write_file {"file_path": "big.txt", "content": "`+strings.Repeat("x", 128<<10)+`"}`, "say Never.")
			full := h
			full.workspace = filepath.Join(t.TempDir(), "project")
			require.NoError(t, os.Mkdir(full.workspace, 0o755))
			mountSmall(t, full.workspace, 64<<10)
			o := full.run(t, run{Args: append(answers, "--yolo", "-o", format, "-p", "write it")})
			assert.Equal(t, 54, o.Code, o.Stderr)
			if format == "text" {
				assert.Empty(t, o.Stdout)
				assert.Regexp(t, `(?m)^minigem: write_file failed for good: .*no space left on device: make room on the disk, then go on with --resume$`, o.Stderr)
			} else {
				kind, says := failureIn(t, format, o)
				assert.Equal(t, "FatalToolExecutionError", kind)
				assert.Contains(t, says, "no space left on device")
			}
			entries, err := os.ReadDir(full.workspace)
			require.NoError(t, err)
			assert.Empty(t, entries)
			h.assertTidy(t, o)
		})
	}
}
