package undo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools/workspace"
	"minigem/transcript"
)

const (
	meta = `{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T10:00:00.000Z","lastUpdated":"2026-01-01T10:00:00.000Z","kind":"main"}`
	at   = "2026-01-01T10:00:00.000Z"
)

// said is the record of a user's message.
func said(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"user","content":[{"text":%q}]}`, id, at, text)
}

// did is the record of a model's message with calls.
func did(id string, calls ...string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"gemini","content":"","toolCalls":[%s]}`, id, at, strings.Join(calls, ","))
}

func call(id, status, display string) string {
	return fmt.Sprintf(`{"id":%q,"name":"replace","args":{},"result":[],"status":%q,"timestamp":%q,"resultDisplay":%s,"description":"","displayName":"Edit","renderOutputAsMarkdown":false}`, id, status, at, display)
}

// shown is the display of an edit. before is nil for a new file.
func shown(t *testing.T, path string, before *string, after string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"filePath": path, "fileName": filepath.Base(path), "originalContent": before, "newContent": after,
		"diffStat": map[string]any{"model_added_lines": 2, "model_removed_lines": 1, "user_added_lines": 1},
	})
	require.NoError(t, err)
	return string(data)
}

func read(t *testing.T, records ...string) []Prompt {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(meta+"\n"+strings.Join(records, "\n")+"\n"), 0o600))
	f, err := transcript.Read(path)
	require.NoError(t, err)
	return Prompts(f)
}

func ptr(s string) *string { return &s }

func TestPrompts(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	got := read(t,
		said(transcript.PreambleID, "surroundings"),
		said("c", "<hook_context>x</hook_context>"),
		said("u1", "Change it\n"),
		did("g1", call("a", "success", shown(t, "/p/a", ptr("1\n"), "2\n")), call("b", "error", shown(t, "/p/b", nil, "x")), call("c", "success", `"text"`)),
		`{"id":"r","timestamp":"`+at+`","type":"user","content":[{"functionResponse":{"id":"a","name":"replace","response":{}}}]}`,
		said("u2", "And more"),
		did("g2", call("d", "success", shown(t, "/p/a", ptr("2\n"), "3\n"))),
		`{"minigem":{"toolCall":{"id":"g2","call":`+call("e", "success", shown(t, "/p/new", nil, "n"))+`}}}`,
		`{"minigem":{"toolCall":{"id":"g2","call":`+call("d", "success", shown(t, "/p/a", ptr("2\n"), "3\n"))+`}}}`,
		`{"id":"i","timestamp":"`+at+`","type":"info","content":"told"}`,
		said("u3", "Last"),
	)
	edit := func(path, before, after string) Edit {
		return Edit{Tool: "replace", Path: path, Before: before, After: after, Added: 3, Removed: 1, At: when}
	}
	made := edit("/p/new", "", "n")
	made.New = true
	assert.Equal(t, []Prompt{
		{ID: "u1", Text: "Change it", At: when, Edits: []Edit{edit("/p/a", "1\n", "2\n")}},
		{ID: "u2", Text: "And more", At: when, Edits: []Edit{edit("/p/a", "2\n", "3\n"), made}},
		{ID: "u3", Text: "Last", At: when},
	}, got)
}

// world makes a workspace with files.
func world(t *testing.T, files map[string]string) (*workspace.Workspace, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	return ws, dir
}

func TestFilesGoBack(t *testing.T) {
	t.Parallel()
	type edits = []Edit
	change := func(before, after string) Edit { return Edit{Before: before, After: after} }
	create := func(after string) Edit { return Edit{New: true, After: after} }
	const gone = "(gone)"
	for _, c := range []struct {
		name             string
		now              string // gone means that there is no file
		edits            edits
		changed, refused string
		want             string // after apply
		planned          bool
	}{
		{"one edit", "2\n", edits{change("1\n", "2\n")}, "", "", "1\n", true},
		{"a chain", "3\n", edits{change("1\n", "2\n"), change("2\n", "3\n")}, "", "", "1\n", true},
		{"a new file", "new\n", edits{create("new\n")}, "", "", gone, true},
		{"a new file, then changed", "2\n", edits{create("1\n"), change("1\n", "2\n")}, "", "", gone, true},
		{"CRLF", "2\r\n2\r\n", edits{change("1\n1\n1\n", "2\n2\n")}, "", "", "1\r\n1\r\n1\r\n", true},
		{"byte order mark", "\uFEFF2\n", edits{change("1\n", "2\n")}, "", "", "\uFEFF1\n", true},
		{"mixed line ends", "a\r\nb\n2", edits{change("a\r\nb\n1", "a\r\nb\n2")}, "", "", "a\r\nb\n1", true},
		// Nothing to do.
		{"back already", "1\n", edits{change("1\n", "2\n")}, "", "", "1\n", false},
		{"a new file that is gone", gone, edits{create("new\n")}, "", "", gone, false},
		// Somebody else had a hand in it.
		{"changed since", "mine\n", edits{change("1\n", "2\n")}, "it was changed since", "", "1\n", true},
		{"a new file, changed since", "mine\n", edits{create("new\n")}, "it was changed since", "", gone, true},
		{"a new file, binary since", "\xff\xfe", edits{create("new\n")}, "it was changed since", "", gone, true},
		{"removed since", gone, edits{change("1\n", "2\n")}, "it was removed since", "", "1\n", true},
		{"changed between", "4\n", edits{change("1\n", "2\n"), change("3\n", "4\n")}, "it was changed between the edits", "", "1\n", true},
		{"made again between", "4\n", edits{change("1\n", "2\n"), create("4\n")}, "it was changed between the edits", "", "1\n", true},
		// It cannot be done.
		{"no text any more", "\xff\xfe", edits{change("1\n", "2\n")}, "", "it is not UTF-8 text", "\xff\xfe", true},
		{"a secret", "2\n", edits{change("key=[REDACTED]\n", "2\n")}, "", "its earlier content was not recorded completely, because it contains a secret", "2\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"x": c.now, "beside": "beside"}
			if c.now == gone {
				delete(files, "x")
			}
			ws, dir := world(t, files)
			for i := range c.edits {
				c.edits[i].Path, c.edits[i].Added = filepath.Join(dir, "x"), 1
			}
			plan := (Store{Workspace: ws}).filesOf([]Prompt{{Edits: c.edits[:1]}, {}, {Edits: c.edits[1:]}})
			if !c.planned {
				assert.Empty(t, plan)
				return
			}
			require.Len(t, plan, 1)
			f := plan[0]
			assert.Equal(t, [4]any{filepath.Join(dir, "x"), len(c.edits), c.changed, c.refused}, [4]any{f.Path, f.Added, f.Changed, f.Refused})
			require.NoError(t, apply(ws, plan))
			data, err := os.ReadFile(filepath.Join(dir, "x"))
			if c.want == gone {
				assert.ErrorIs(t, err, os.ErrNotExist)
				assert.Equal(t, c.now, string(f.current()))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(data))
		})
	}
}

func TestFilesOutsideStay(t *testing.T) {
	t.Parallel()
	ws, dir := world(t, map[string]string{".env": "2\n", "dir/x": ""})
	outside := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(outside, []byte("2\n"), 0o644))
	var prompts []Prompt
	for _, path := range []string{outside, filepath.Join(dir, ".env"), filepath.Join(dir, "dir")} {
		prompts = append(prompts, Prompt{Edits: []Edit{{Path: path, Before: "1\n", After: "2\n"}}})
	}
	plan := (Store{Workspace: ws}).filesOf(prompts)
	require.Len(t, plan, 3)
	assert.Equal(t, []string{"it is not in this workspace", "it is not in this workspace", "is a directory"},
		[]string{plan[0].Refused, plan[1].Refused, plan[2].Refused})
	require.NoError(t, apply(ws, plan))
	data, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "2\n", string(data))
}

// A file that changes between planning and applying stays, and the rest is restored.
// TestFilesBehindALinkStay checks that a folder that has become a link to files by which
// programs run is not written to.
func TestFilesBehindALinkStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".husky"), 0o755))
	require.NoError(t, os.Symlink(".husky", filepath.Join(dir, "sub")))
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	f, needed := Store{Workspace: ws}.planFile(filepath.Join(dir, "sub", "a"), []Edit{{Path: filepath.Join(dir, "sub", "a"), Before: "x"}})
	assert.True(t, needed)
	assert.Contains(t, f.Refused, ".husky")
}

func TestApplyLooksAgain(t *testing.T) {
	t.Parallel()
	ws, dir := world(t, map[string]string{"a": "2\n", "b": "2\n", "new": "n"})
	edit := func(name string) Prompt {
		return Prompt{Edits: []Edit{{Path: filepath.Join(dir, name), Before: "1\n", After: "2\n"}}}
	}
	plan := (Store{Workspace: ws}).filesOf([]Prompt{edit("a"), edit("b"), {Edits: []Edit{{Path: filepath.Join(dir, "new"), New: true, After: "n"}}}})
	require.Len(t, plan, 3)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("mine\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new"), []byte("mine"), 0o644))
	err := apply(ws, plan)
	require.ErrorIs(t, err, workspace.ErrChanged)
	assert.Equal(t, 2, strings.Count(err.Error(), "going back with "+dir))
	for name, want := range map[string]string{"a": "mine\n", "b": "1\n", "new": "mine"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, string(data), name)
	}
}

func TestFileOf(t *testing.T) {
	t.Parallel()
	ws, dir := world(t, map[string]string{"a": "now", "b": "now"})
	var plan []File
	for name, data := range map[string][]byte{"a": []byte("\xffwas"), "b": nil, "sub/c": {}, "d": nil} {
		f, err := fileOf(ws, filepath.Join(dir, name), data)
		require.NoError(t, err)
		plan = append(plan, f)
	}
	require.NoError(t, apply(ws, plan))
	data, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, "\xffwas", string(data))
	assert.NoFileExists(t, filepath.Join(dir, "b"))
	assert.FileExists(t, filepath.Join(dir, "sub", "c"))
	_, err = fileOf(ws, "/etc/hostname", nil)
	assert.ErrorIs(t, err, workspace.ErrOutside)
}
