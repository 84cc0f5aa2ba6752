package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
)

type args = map[string]any

// put writes files in dir.
func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
	}
}

func get(t testing.TB, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(b)
}

// call runs a tool. failed is nil if it succeeded.
func call(t testing.TB, tool tools.Tool, a args) (res tools.Result, failed *tools.Error) {
	t.Helper()
	inv, err := tool.Prepare(a)
	if err == nil {
		res, err = inv.Run(t.Context())
	}
	if err != nil {
		require.ErrorAs(t, err, &failed)
	}
	return res, failed
}

func text(r tools.Result) string { return llm.PartsText(r.Parts) }

// TestEditResults compares texts and displays with those of Gemini CLI 0.61.
func TestEditResults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var fifty strings.Builder
	for i := 1; i < 60; i++ {
		fifty.WriteString("l" + itoa(i) + "\n")
	}
	ws := project(t, dir, map[string]string{"notes.txt": "hello world\nsecond line\n", "same.txt": "x\n", "long.txt": fifty.String(), "fz.txt": "one\nthe quick brown fox jumps over the lazy dog\n"})
	at := func(name string) string { return filepath.Join(dir, name) }

	res, failed := call(t, Replace(ws), args{"file_path": "notes.txt", "old_string": "hello", "new_string": "goodbye", "instruction": "i"})
	require.Nil(t, failed)
	assert.Equal(t, "Successfully modified file: "+at("notes.txt")+" (1 replacements). Here is the updated code:\ngoodbye world\nsecond line\n", text(res))
	assert.Equal(t, tools.FileDiff{
		FileDiff:        "Index: notes.txt\n===================================================================\n--- notes.txt\tCurrent\n+++ notes.txt\tProposed\n@@ -1,2 +1,2 @@\n-hello world\n+goodbye world\n second line\n",
		FileName:        "notes.txt",
		FilePath:        at("notes.txt"),
		OriginalContent: "hello world\nsecond line\n", NewContent: "goodbye world\nsecond line\n",
		DiffStat: tools.DiffStat{ModelAddedLines: 1, ModelRemovedLines: 1, ModelAddedChars: 13, ModelRemovedChars: 11},
	}, res.Display)

	res, failed = call(t, WriteFile(ws), args{"file_path": "new/b.txt", "content": "one\ntwo\n"})
	require.Nil(t, failed)
	assert.Equal(t, "Successfully created and wrote to new file: "+at("new/b.txt")+". Here is the updated code:\none\ntwo\n", text(res))
	assert.Equal(t, tools.FileDiff{
		FileDiff: "Index: b.txt\n===================================================================\n--- b.txt\tOriginal\n+++ b.txt\tWritten\n@@ -0,0 +1,2 @@\n+one\n+two\n",
		FileName: "b.txt", FilePath: at("new/b.txt"), NewContent: "one\ntwo\n", IsNewFile: true,
		DiffStat: tools.DiffStat{ModelAddedLines: 2, ModelAddedChars: 6},
	}, res.Display)

	res, failed = call(t, WriteFile(ws), args{"file_path": "same.txt", "content": "x\n"})
	require.Nil(t, failed)
	assert.Equal(t, "Successfully overwrote file: "+at("same.txt")+". Here is the updated code:\nx\n", text(res))
	assert.Equal(t, "Index: same.txt\n===================================================================\n--- same.txt\tOriginal\n+++ same.txt\tWritten\n", res.Display.(tools.FileDiff).FileDiff)

	res, failed = call(t, Replace(ws), args{"file_path": "made.txt", "old_string": "", "new_string": "x\ny\n", "instruction": "i"})
	require.Nil(t, failed)
	assert.Equal(t, "Created new file: "+at("made.txt")+" with provided content. Here is the updated code:\nx\ny\n", text(res))
	assert.Equal(t, "Created made.txt", res.Display)

	res, failed = call(t, Replace(ws), args{"file_path": "fz.txt", "old_string": "the quick brown fox jumped over the lazy dog", "new_string": "QUICK", "instruction": "i"})
	require.Nil(t, failed)
	assert.Equal(t, "Successfully modified file: "+at("fz.txt")+" (1 replacements). Here is the updated code:\none\nQUICK\n Applied fuzzy match at line 2.", text(res))

	_, failed = call(t, Replace(ws), args{"file_path": "gone.txt", "old_string": "a", "new_string": "x", "instruction": "i"})
	assert.Equal(t, &tools.Error{Type: tools.ErrFileNotFound, Message: "File not found: " + at("gone.txt"),
		Display: "Error: File not found. Cannot apply edit. Use an empty old_string to create a new file."}, failed)
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return string(rune('0'+i/10)) + string(rune('0'+i%10))
}

// TestSnippet compares the windows with those of Gemini CLI 0.61.
func TestSnippet(t *testing.T) {
	t.Parallel()
	file := func(skip ...int) string {
		var b strings.Builder
		for i := 1; i < 60; i++ {
			s := "l" + itoa(i) + "\n"
			for _, x := range skip {
				if x == i {
					s = ""
				} else if x == -i {
					s = "L" + itoa(i) + "\n"
				}
			}
			b.WriteString(s)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, old, new, want string
	}{
		{"middle", file(), file(-30), "...\nl25\nl26\nl27\nl28\nl29\nL30\nl31\nl32\nl33\nl34\nl35\n..."},
		{"near the end", file(), file(-57), "...\nl52\nl53\nl54\nl55\nl56\nL57\nl58\nl59\n"},
		{"first deleted", file(), file(1), "l2\nl3\nl4\nl5\nl6\n..."},
		{"last deleted", file(1), file(1, 59), "...\nl54\nl55\nl56\nl57\nl58\n"},
		{"third deleted", file(), file(3), "l1\nl2\nl4\nl5\nl6\nl7\nl8\n..."},
		{"three deleted", file(), file(20, 21, 22), "...\nl15\nl16\nl17\nl18\nl19\nl23\nl24\nl25\nl26\nl27\n..."},
		{"three places", file(3), file(-10, -50), "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nL10\nl11\nl12\nl13\nl14\nl15\n...\nl45\nl46\nl47\nl48\nl49\nL50\nl51\nl52\nl53\nl54\nl55\n..."},
		{"nothing", "a\n", "a\n", "a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, diff(tt.old, tt.new).snippet())
		})
	}
}

func TestUnified(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, old, new, want string }{
		{"no final newlines", "a\nb", "a\nb2", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b2\n\\ No newline at end of file\n"},
		{"newline lost", "x\n", "x", "@@ -1,1 +1,1 @@\n-x\n+x\n\\ No newline at end of file\n"},
		{"emptied", "x\n", "", "@@ -1,1 +0,0 @@\n-x\n"},
		{"block", "a\nb\nc\n", "x\ny\nc\n", "@@ -1,3 +1,3 @@\n-a\n-b\n+x\n+y\n c\n"},
		{"nothing", "a\n", "a\n", ""},
		{"two hunks", "a\nb\n1\n2\n3\n4\n5\n6\n7\nc\n", "a\nA\nb\nB\n1\n2\n3\n4\n5\n6\n7\n",
			"@@ -1,5 +1,7 @@\n a\n+A\n b\n+B\n 1\n 2\n 3\n@@ -7,4 +9,3 @@\n 5\n 6\n 7\n-c\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			head := "Index: f\n===================================================================\n--- f\tA\n+++ f\tB\n"
			assert.Equal(t, head+tt.want, diff(tt.old, tt.new).unified("f", "A", "B"))
		})
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, was, content, want string
	}{
		{"overwrite", "a\n", "b\n", "b\n"},
		{"empty", "a\n", "", ""},
		{"CRLF stays", "a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
		{"CRLF is not doubled", "a\r\nb\r\n", "x\r\ny\n", "x\r\ny\r\n"},
		{"mixed ends are taken literally", "a\r\nb\n", "x\ny\r\n", "x\ny\r\n"},
		{"no final newline", "a\n", "b", "b"},
		{"BOM stays", "\ufeffa\n", "b\n", "\ufeffb\n"},
		{"UTF-16 stays", "\xff\xfea\x00", "b", "\xff\xfeb\x00"},
		{"binary may be overwritten", "\x00\x01\xff", "text", "text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, failed := call(t, WriteFile(project(t, dir, map[string]string{"f": tt.was})), args{"file_path": "f", "content": tt.content})
			require.Nil(t, failed)
			assert.Equal(t, tt.want, get(t, dir, "f"))
		})
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"f": "a\n", "ro": "a\n", "d/x": "", "big": "", ".env": "S=1"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "ro"), 0o444))
	require.NoError(t, os.Truncate(filepath.Join(dir, "big"), maxFileSize+1))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "out")))
	for _, tt := range []struct {
		path      string
		errorType tools.ErrorType
		text      string
	}{
		{"ro", tools.ErrPermissionDenied, "permission denied"},
		{"d", "", "directory"},
		{"big", "", "too large"},
		{"f/x", "", "not a directory"},
		{"out", tools.ErrInvalidParams, "Path not in workspace:"},
		{".env", tools.ErrInvalidParams, "Path not in workspace:"},
		{"../x", tools.ErrInvalidParams, "Path not in workspace:"},
		{"a\x00b", tools.ErrInvalidParams, "invalid argument"},
	} {
		for _, c := range []struct {
			tool tools.Tool
			args args
		}{
			{WriteFile(ws), args{"file_path": tt.path, "content": "x"}},
			{Replace(ws), args{"file_path": tt.path, "old_string": "a", "new_string": "x", "instruction": "i"}},
		} {
			_, failed := call(t, c.tool, c.args)
			if assert.NotNil(t, failed, tt.path) {
				assert.Contains(t, failed.Message, tt.text, tt.path)
				if tt.errorType != "" {
					assert.Equal(t, tt.errorType, failed.Type, tt.path)
				}
			}
		}
	}
	_, failed := call(t, WriteFile(ws), args{"file_path": "", "content": "x"})
	assert.Equal(t, `Missing or empty "file_path"`, failed.Message)
	_, failed = call(t, Replace(ws), args{"file_path": " ", "old_string": "a", "new_string": "x", "instruction": "i"})
	assert.Equal(t, "The 'file_path' parameter must be non-empty.", failed.Message)
	_, failed = call(t, WriteFile(ws), args{"file_path": "n", "content": "// rest of code ...\n"})
	assert.Equal(t, tools.ErrInvalidParams, failed.Type)
	assert.Equal(t, "S=1", get(t, dir, ".env"))
}

// TestEditLosesNothing changes the file after it was shown to the user.
func TestEditLosesNothing(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(string) error{
		"written":           func(f string) error { return os.WriteFile(f, []byte("theirs\n"), 0o644) },
		"same length":       func(f string) error { return os.WriteFile(f, []byte("his a\n"), 0o644) },
		"removed":           os.Remove,
		"made a directory":  func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) },
		"made a link":       func(f string) error { return errors.Join(os.Rename(f, f+".x"), os.Symlink(f+".x", f)) },
		"made unreadable":   func(f string) error { return os.Chmod(f, 0) },
		"its directory too": func(f string) error { return os.RemoveAll(filepath.Dir(f)) },
	} {
		for _, which := range []string{"replace", "write_file"} {
			t.Run(name+" "+which, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				ws := project(t, dir, map[string]string{"d/f": "our a\n"})
				file := filepath.Join(dir, "d/f")
				tool, a := Replace(ws), args{"file_path": "d/f", "old_string": "a", "new_string": "b", "instruction": "i"}
				if which == "write_file" {
					tool, a = WriteFile(ws), args{"file_path": "d/f", "content": "ours b\n"}
				}
				inv, err := tool.Prepare(a)
				require.NoError(t, err)
				require.NotNil(t, inv.Intent().Edit)
				require.NoError(t, meddle(file))
				_, err = inv.Run(t.Context())
				if name == "made a link" { // the link leads to the same content inside, so that is written, and the link stays
					require.NoError(t, err)
					target, err := os.Readlink(file)
					require.NoError(t, err)
					assert.Equal(t, file+".x", target)
					return
				}
				var failed *tools.Error
				require.ErrorAs(t, err, &failed)
				if b, err := os.ReadFile(file); err == nil {
					assert.NotContains(t, string(b), " b")
				}
			})
		}
	}
}

func TestNewFileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inv, err := WriteFile(project(t, dir, nil)).Prepare(args{"file_path": "f", "content": "ours"})
	require.NoError(t, err)
	require.True(t, inv.Intent().Edit.IsNew)
	put(t, dir, map[string]string{"f": "theirs"})
	_, err = inv.Run(t.Context())
	require.ErrorContains(t, err, "changed since")
	assert.Equal(t, "theirs", get(t, dir, "f"))
}

func TestUserEditsContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"f": "a\r\nb\r\n", "empty": ""})
	for _, tt := range []struct {
		name string
		tool tools.Tool
		args args
		file string
	}{
		{"replace", Replace(ws), args{"file_path": "f", "old_string": "a", "new_string": "model", "instruction": "i"}, "f"},
		{"write", WriteFile(ws), args{"file_path": "f", "content": "model\n"}, "f"},
		{"new", Replace(ws), args{"file_path": "n", "old_string": "", "new_string": "model\n", "instruction": "i"}, "n"},
	} {
		inv, err := tt.tool.Prepare(tt.args)
		require.NoError(t, err)
		changed := inv.(tools.Modifiable).WithContent("user\n// rest of code ...")
		inv, err = tt.tool.Prepare(changed)
		require.NoError(t, err, tt.name)
		assert.Equal(t, "user\n// rest of code ...", inv.Intent().Edit.New)
		res, err := inv.Run(t.Context())
		require.NoError(t, err, tt.name)
		assert.Contains(t, text(res), "The user changed the proposed content")
		assert.Equal(t, "user\n// rest of code ...", strings.ReplaceAll(get(t, dir, tt.file), "\r\n", "\n"), tt.name)
		if d, ok := res.Display.(tools.FileDiff); ok {
			assert.NotZero(t, d.DiffStat.UserAddedLines, tt.name)
			assert.NotZero(t, d.DiffStat.ModelAddedLines, tt.name)
		}
		put(t, dir, map[string]string{"f": "a\r\nb\r\n"})
	}
}

func TestIntents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"notes.txt": "hello\n"})
	for _, tt := range []struct {
		tool        tools.Tool
		args        args
		description string
	}{
		{Replace(ws), args{"file_path": "notes.txt", "old_string": "hello", "new_string": "goodbye", "instruction": "i"}, "notes.txt: hello => goodbye"},
		{Replace(ws), args{"file_path": "notes.txt", "old_string": "", "new_string": "goodbye", "instruction": "i"}, "Create notes.txt"},
		{Replace(ws), args{"file_path": "notes.txt", "old_string": "x", "new_string": "x", "instruction": "i"}, "No file changes to notes.txt"},
		{Replace(ws), args{"file_path": "notes.txt", "old_string": "the quick brown fox jumped over the lazy dog", "new_string": "a\nb", "instruction": "i"}, "notes.txt: the quick brown fox jumped ove... => a"},
		{WriteFile(ws), args{"file_path": "new/b.txt", "content": ""}, "Writing to new/b.txt"},
		{ReadFile(ws, noIgnore), args{"file_path": "./notes.txt"}, "notes.txt"},
	} {
		inv, err := tt.tool.Prepare(tt.args)
		require.NoError(t, err)
		assert.Equal(t, tt.description, inv.Intent().Description)
	}
	inv, err := Replace(ws).Prepare(args{"file_path": "notes.txt", "old_string": "hello", "new_string": "bye", "instruction": "i"})
	require.NoError(t, err)
	in := inv.Intent()
	assert.Equal(t, "Confirm Edit: notes.txt", in.Title)
	assert.Equal(t, []string{filepath.Join(dir, "notes.txt")}, in.Paths)
	assert.Equal(t, "hello\n", in.Edit.Original)
	assert.Equal(t, "bye\n", in.Edit.New)
	assert.Contains(t, in.Edit.Diff, "-hello\n+bye\n")
}

// TestFileErrors checks that errors of the operating system get Gemini CLI's types.
func TestFileErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want tools.ErrorType
	}{
		{syscall.ENOSPC, tools.ErrNoSpace},
		{syscall.EACCES, tools.ErrPermissionDenied},
		{syscall.EROFS, tools.ErrFileWrite},
		{syscall.ENOENT, tools.ErrFileNotFound},
		{syscall.EIO, tools.ErrFileWrite},
	} {
		err := &os.PathError{Op: "write", Path: "f", Err: tt.err}
		assert.Equal(t, tt.want, fileError("Error writing to file", "/f", err, tools.ErrFileWrite).Type, "%v", tt.err)
	}
}
