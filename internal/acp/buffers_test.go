package acp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

func yolo(e *editor, id acp.SessionId) {
	e.t.Helper()
	_, err := e.conn.SetSessionMode(waittest.Context(e.t), acp.SetSessionModeRequest{SessionId: id, ModeId: "yolo"})
	require.NoError(e.t, err)
}

// TestFilesOfTheEditor checks that files which the editor shows are read and changed
// through it, that it creates new ones, and that others are read from disk.
func TestFilesOfTheEditor(t *testing.T) {
	t.Parallel()
	script := []string{
		calls("read_file", map[string]any{"file_path": "open.txt"}),
		calls("replace", map[string]any{"file_path": "open.txt", "old_string": "typed", "new_string": "changed", "instruction": "Change it."}),
		write("sub/new.txt", "hello"),
		write("closed.txt", "written"),
		says("Done."),
	}
	for name, fs := range map[string]acp.FileSystemCapabilities{
		"both": {ReadTextFile: true, WriteTextFile: true}, "only read": {ReadTextFile: true}, "none": {},
	} {
		e := startEditor(t, noting(`"AfterTool": [{"matcher": "read_file", "hooks": [{"type": "command", "command": "grep -o 'typed\\|saved' | sort -u >> ~/read"}]}]`), script...)
		e.shows = map[string]string{"open.txt": "typed"}
		require.NoError(t, os.WriteFile(filepath.Join(e.dir, "open.txt"), []byte("saved, typed"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(e.dir, "closed.txt"), []byte("old"), 0o600))
		e.offer(fs)
		id := e.session()
		yolo(e, id)
		assert.Equal(t, acp.StopReasonEndTurn, e.prompt(id, "go"), name)
		assert.Equal(t, "written", e.file("closed.txt"), name)
		read, err := os.ReadFile(filepath.Join(e.home, "read"))
		require.NoError(t, err, name)
		if fs.WriteTextFile {
			assert.Equal(t, "typed\n", string(read))
			assert.Equal(t, "saved, typed", e.file("open.txt"))
			assert.Equal(t, map[string]string{"open.txt": "changed", "new.txt": "hello"}, e.shows)
			assert.Equal(t, "(none)", e.file("sub/new.txt"))
			assert.Contains(t, e.all(), `diff open.txt "typed" > "changed"`)
		} else {
			assert.Equal(t, "saved\ntyped\n", string(read), name)
			assert.Equal(t, "saved, changed", e.file("open.txt"), name)
			assert.Equal(t, "hello", e.file("sub/new.txt"), name)
			assert.Equal(t, map[string]string{"open.txt": "typed"}, e.shows, name)
		}
		require.NoError(t, e.hang(), name)
	}
}

// TestCancelWhileTheEditorReads checks that an editor that does not answer does not
// block a cancel.
func TestCancelWhileTheEditorReads(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("read_file", map[string]any{"file_path": "a.txt"}), says("Never."))
	e.reading = make(chan struct{})
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "a.txt"), []byte("a"), 0o600))
	e.offer(acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true})
	id := e.session()
	ended := make(chan acp.StopReason)
	go func() { ended <- e.prompt(id, "go") }()
	<-e.reading
	require.NoError(t, e.conn.Cancel(waittest.Context(t), acp.CancelNotification{SessionId: id}))
	select {
	case why := <-ended:
		assert.Equal(t, acp.StopReasonCancelled, why)
	case <-waittest.Context(t).Done():
		t.Fatal("the prompt does not end")
	}
	assert.NotContains(t, e.all(), "Never.")
	require.NoError(t, e.hang())
}

// TestPrinted checks that a command's output is shown, cleaned, before it ends, and
// that its result comes last.
func TestPrinted(t *testing.T) {
	t.Parallel()
	e := startEditor(t, `{}`, calls("run_shell_command", map[string]any{"command": "printf 'first\\033[2J line\\n'; until [ -e go ]; do sleep 0.1; done; echo last"}), says("Done."))
	id := e.session()
	yolo(e, id)
	ended := make(chan acp.StopReason)
	go func() { ended <- e.prompt(id, "go") }()
	e.waitFor("update in_progress first line")
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "go"), nil, 0o600))
	assert.Equal(t, acp.StopReasonEndTurn, <-ended)
	all := e.all()
	assert.Contains(t, all, "update completed first line\nlast\n")
	_, after, _ := strings.Cut(all, "update completed")
	assert.NotContains(t, after, "in_progress")
	require.NoError(t, e.hang())
}
