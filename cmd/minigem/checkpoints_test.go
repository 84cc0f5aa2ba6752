package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoEdits is a model that changes a file, creates another one, and finishes.
const twoEdits = `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"write_file","args":{"file_path":"a.txt","content":"two\n"}}}]},"finishReason":"STOP","index":0}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"write_file","args":{"file_path":"b.txt","content":"new\n"}}}]},"finishReason":"STOP","index":0}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Done."}]},"finishReason":"STOP","index":0}]}]}
`

func editedWorld(t *testing.T, settings string) (hookWorld, said) {
	t.Helper()
	w := newHookWorld(t, map[string]string{"a.txt": "one\n", "~/answers": twoEdits, "~/.gemini/settings.json": settings})
	got := w.run("--yolo -m gemini-2.5-flash --fake-responses " + w.path("~/answers") + " -p edit")
	require.Equal(t, 0, got.code, got.err)
	require.Equal(t, "two\n", w.read("a.txt"))
	return w, got
}

const checkpointingOn = `{"general": {"checkpointing": {"enabled": true}}}`

func TestCheckpoints(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w, _ := editedWorld(t, checkpointingOn)
	var names []string
	for line := range strings.Lines(w.run("sessions restore").out) {
		name, age, _ := strings.Cut(strings.TrimSpace(line), "  ")
		names = append(names, name)
		assert.Equal(t, "just now", age)
	}
	require.Len(t, names, 2)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_\d{3}Z-a\.txt-write_file$`, names[0])
	data, err := os.ReadFile(filepath.Join(w.home, ".gemini", "tmp", "project", "checkpoints", names[1]+".json"))
	require.NoError(t, err)
	for _, want := range []string{`"name": "write_file"`, `"file_path": "b.txt"`, `"clientHistory": [`, `"commitHash": "`} {
		assert.Contains(t, string(data), want)
	}

	// Before the second edit.
	got := w.run("sessions restore " + names[1])
	require.Equal(t, 0, got.code, got.err)
	assert.Equal(t, "two\n", w.read("a.txt"))
	assert.NoFileExists(t, w.path("b.txt"))
	// Before the first one.
	first := w.run("sessions restore " + names[0])
	require.Equal(t, 0, first.code, first.err)
	assert.Equal(t, "one\n", w.read("a.txt"))
	assert.Equal(t, "The files of PROJECT are as they were at "+names[0]+".", strings.Split(first.out, "\n")[0])
	// And back to the state before the restore.
	_, undo, found := strings.Cut(got.out, "To undo this: minigem ")
	require.True(t, found, got.out)
	require.Equal(t, 0, w.run(strings.TrimSpace(undo)).code)
	assert.Equal(t, "two\n", w.read("a.txt"))
	assert.Equal(t, "new\n", w.read("b.txt"))
}

func TestCheckpointsAreOffByDefault(t *testing.T) {
	t.Parallel()
	w, _ := editedWorld(t, `{}`)
	assert.Equal(t, said{"No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.\n", "", 0}, w.run("sessions restore"))
}

// If git cannot make a checkpoint, the edits go on, and that is reported once.
func TestCheckpointsThatFail(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newHookWorld(t, map[string]string{
		"a.txt": "one\n", "~/answers": twoEdits, "~/.gemini/settings.json": checkpointingOn,
		"~/.gemini/history/project/.git": "this is not a repository",
	})
	got := w.run("--yolo -m gemini-2.5-flash --fake-responses " + w.path("~/answers") + " -p edit")
	assert.Equal(t, 0, got.code)
	assert.Equal(t, "new\n", w.read("b.txt"))
	assert.Equal(t, 1, strings.Count(got.err, "checkpoints are no longer taken: taking a snapshot of PROJECT"), got.err)
}

func TestRestoreUsage(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, nil)
	assert.Contains(t, w.run("sessions restore --help").out, "Examples:\n  minigem sessions restore")
	assert.Equal(t, said{"", "minigem: there is no checkpoint \"nope\": minigem sessions restore lists them\n", 42}, w.run("sessions restore nope"))
	assert.Equal(t, said{"", "minigem: there is no checkpoint \"../x\": minigem sessions restore lists them\n", 42}, w.run("sessions restore ../x"))
	assert.Equal(t, 42, w.run("sessions restore a b").code)
}
