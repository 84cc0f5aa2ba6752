package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newWorkspace returns a workspace with files.
func newWorkspace(t *testing.T, files map[string]string) (w *Workspace, root string) {
	t.Helper()
	root = t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	w, err := New(root)
	require.NoError(t, err)
	return w, root
}

// desk is an editor: its texts by file name, and what was written.
type desk struct {
	shows   map[string]string
	written map[string]string
	err     error
}

func (d *desk) Read(path string) (string, bool) {
	text, ok := d.shows[filepath.Base(path)]
	return text, ok
}

func (d *desk) Write(path, text string) error {
	if d.err == nil {
		d.written[filepath.Base(path)] = text
	}
	return d.err
}

// TestBuffers checks reading and writing while an editor shows some of the files.
func TestBuffers(t *testing.T) {
	t.Parallel()
	const binary, mark = "a\x00b", "\uFEFFa"
	for _, c := range []struct {
		name               string
		saved, shown       string // "" means that there is none
		read, written      string // the content of a snapshot; the editor's text after writing "new"
		before, failing    string // the editor's text before the write; its error
		onDisk, errorHolds string
	}{
		{name: "not saved yet", saved: "old", shown: "typed", read: "typed", written: "new", onDisk: "old"},
		{name: "saved", saved: "old", shown: "old", read: "old", written: "new", onDisk: "old"},
		{name: "not open", saved: "old", read: "old", onDisk: "new"},
		{name: "a new file", written: "new"},
		{name: "typed meanwhile", saved: "old", shown: "typed", before: "typed more", read: "typed", onDisk: "old", errorHolds: "the file changed since it was read"},
		{name: "closed meanwhile", saved: "old", shown: "typed", before: "-", read: "typed", onDisk: "old", errorHolds: "the file changed since it was read"},
		{name: "the editor fails", saved: "old", shown: "old", read: "old", failing: "disk full", onDisk: "old", errorHolds: "the editor did not write it\ndisk full"},
		{name: "no text", saved: binary, shown: "old", read: binary, onDisk: "new"},
		{name: "a byte order mark", saved: mark, shown: "a", read: mark, onDisk: "new"},
		{name: "shown with a NUL", saved: "old", shown: binary, read: "old", onDisk: "new"},
	} {
		files := map[string]string{}
		if c.saved != "" {
			files["f"] = c.saved
		}
		w, root := newWorkspace(t, files)
		d := &desk{shows: map[string]string{}, written: map[string]string{}}
		if c.shown != "" {
			d.shows["f"] = c.shown
		}
		if c.failing != "" {
			d.err = errors.New(c.failing)
		}
		w.SetBuffers(d)
		s, err := w.Snapshot("f", 0)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.read, string(s.Data), c.name)
		switch c.before {
		case "":
		case "-":
			delete(d.shows, "f")
		default:
			d.shows["f"] = c.before
		}
		err = w.Replace(s, []byte("new"))
		if c.errorHolds == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.errorHolds, c.name)
		}
		assert.Equal(t, c.written, d.written["f"], c.name)
		data, err := os.ReadFile(filepath.Join(root, "f"))
		assert.Equal(t, c.onDisk == "", errors.Is(err, os.ErrNotExist), c.name)
		assert.Equal(t, c.onDisk, string(data), c.name)
	}
}

// TestBuffersAreTexts checks that content that is not text is written to the disk.
func TestBuffersAreTexts(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"a\x00", "\xff", "\uFEFFa"} {
		w, root := newWorkspace(t, nil)
		d := &desk{written: map[string]string{}}
		w.SetBuffers(d)
		require.NoError(t, w.WriteFile("f", []byte(data)))
		assert.Empty(t, d.written)
		got, err := os.ReadFile(filepath.Join(root, "f"))
		require.NoError(t, err)
		assert.Equal(t, data, string(got))
	}
}

// TestBuffersOfTheProject checks that an editor is not asked for files outside the
// project, nor for protected ones, and that its text is limited in size too.
func TestBuffersOfTheProject(t *testing.T) {
	t.Parallel()
	w, root := newWorkspace(t, map[string]string{"f": "1", ".git/config": "c"})
	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "g"), []byte("2"), 0o600))
	require.NoError(t, w.AddTemp(other))
	w.SetBuffers(&desk{shows: map[string]string{"f": "shown", "g": "shown", "config": "shown"}, written: map[string]string{}})
	_, err := w.Snapshot("f", 3)
	require.ErrorIs(t, err, ErrTooLarge)
	s, err := w.Snapshot(filepath.Join(other, "g"), 0)
	require.NoError(t, err)
	assert.Equal(t, "2", string(s.Data))
	_, shown := w.Shown(filepath.Join(root, ".git", "config"), []byte("c"))
	assert.False(t, shown)
	w.SetBuffers(nil)
	s, err = w.Snapshot("f", 3)
	require.NoError(t, err)
	assert.Equal(t, "1", string(s.Data))
}
