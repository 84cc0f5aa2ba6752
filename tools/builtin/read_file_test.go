package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/workspace"
)

var noIgnore workspace.Ignore

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{
		"two.txt": "a\nb", "empty.txt": "", "big.txt": numbered(2500), "long.txt": strings.Repeat("é", 2001) + "\nb\n",
		"u16.txt": "\xff\xfeh\x00\xe9\x00", "u32.txt": "\x00\x00\xfe\xff\x00\x00\x00h", "bom.txt": "\ufeffa", "latin.txt": "caf\xe9\n",
		"bin.dat": "a\x00b", "control.dat": strings.Repeat("\x01\x02a", 50), "a.svg": "<svg/>", "crlf.txt": "a\r\nb\r\n",
		"huge.svg": strings.Repeat(" ", maxSVGSize+1), "a.ts": "let x",
	})
	for _, tt := range []struct {
		name    string
		args    args
		status  string // "A-B of N"; empty if there is no notice
		next    int    // the start_line that the notice names; 0 if there is none
		content string
		display string
	}{
		// whole
		{"whole", args{"file_path": "two.txt"}, "", 0, "a\nb", ""},
		{"empty", args{"file_path": "empty.txt"}, "", 0, "", ""},
		{"line ends are shown as they are", args{"file_path": "crlf.txt"}, "", 0, "a\r\nb\r\n", ""},
		{"range of everything", args{"file_path": "two.txt", "start_line": 1, "end_line": 2}, "", 0, "a\nb", ""},
		{"range beyond the end", args{"file_path": "two.txt", "end_line": 10}, "", 0, "a\nb", ""},
		{"TypeScript is text", args{"file_path": "a.ts"}, "", 0, "let x", ""},
		{"absolute", args{"file_path": filepath.Join(dir, "two.txt")}, "", 0, "a\nb", ""},
		// parts
		{"first 2000", args{"file_path": "big.txt"}, "1-2000 of 2501", 2001, strings.TrimSuffix(numbered(2000), "\n"), "Read lines 1-2000 of 2501 from big.txt"},
		{"range", args{"file_path": "big.txt", "start_line": 2, "end_line": 4}, "2-4 of 2501", 5, "line 2\nline 3\nline 4", "Read lines 2-4 of 2501 from big.txt"},
		{"from", args{"file_path": "big.txt", "start_line": 2499}, "2499-2501 of 2501", 0, "line 2499\nline 2500\n", "Read lines 2499-2501 of 2501 from big.txt"},
		{"one line", args{"file_path": "two.txt", "start_line": 1, "end_line": 1}, "1-1 of 2", 2, "a", "Read lines 1-1 of 2 from two.txt"},
		{"long line", args{"file_path": "long.txt"}, "1-3 of 3", 0, strings.Repeat("é", 2000) + "... [truncated]\nb\n", "Read all 3 lines from long.txt (some lines were shortened)"},
		// encodings
		{"UTF-16", args{"file_path": "u16.txt"}, "", 0, "hé", ""},
		{"UTF-32", args{"file_path": "u32.txt"}, "", 0, "h", ""},
		{"BOM is not shown", args{"file_path": "bom.txt"}, "", 0, "a", ""},
		{"not UTF-8", args{"file_path": "latin.txt"}, "", 0, "caf\uFFFD\n", ""},
		// not text
		{"NUL", args{"file_path": "bin.dat"}, "", 0, "Cannot display content of binary file: bin.dat", "Skipped binary file: bin.dat"},
		{"control characters", args{"file_path": "control.dat"}, "", 0, "Cannot display content of binary file: control.dat", "Skipped binary file: control.dat"},
		{"SVG", args{"file_path": "a.svg"}, "", 0, "<svg/>", "Read SVG as text: a.svg"},
		{"large SVG", args{"file_path": "huge.svg"}, "", 0, "Cannot display content of SVG file larger than 1MB: huge.svg", "Skipped large SVG file (>1MB): huge.svg"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, failed := call(t, ReadFile(ws, noIgnore), tt.args)
			require.Nil(t, failed)
			notice, content, found := strings.Cut(text(res), "\n--- FILE CONTENT (truncated) ---\n")
			if !found {
				notice, content = "", notice
			}
			assert.Equal(t, tt.content, content)
			assert.Equal(t, tt.display, res.Display)
			assert.Equal(t, tt.status != "", found)
			if found {
				assert.Contains(t, notice, "\nStatus: Showing lines "+tt.status+" total lines.\n")
				assert.Equal(t, tt.next != 0, strings.Contains(notice, fmt.Sprintf("start_line: %d", tt.next)))
			}
		})
	}
}

func TestReadFileMedia(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"a.png": "\x89PNG", "A.JPG": "j", "d.pdf": "%PDF", "s.mp3": "m", "v.mp4": "v"})
	for _, tt := range []struct{ file, mime, display string }{
		{"a.png", "image/png", "Read image file: a.png"},
		{"A.JPG", "image/jpeg", "Read image file: A.JPG"},
		{"d.pdf", "application/pdf", "Read pdf file: d.pdf"},
		{"s.mp3", "audio/mpeg", "Read audio file: s.mp3"},
		{"v.mp4", "video/mp4", "Read video file: v.mp4"},
	} {
		res, failed := call(t, ReadFile(ws, noIgnore), args{"file_path": tt.file})
		require.Nil(t, failed)
		assert.Equal(t, tools.Result{Parts: []llm.Part{llm.Blob{MIMEType: tt.mime, Data: []byte(get(t, dir, tt.file))}}, Display: tt.display}, res)
	}
}

func TestReadFileRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"a.txt": "a\n", "d/x": "", ".env": "SECRET=1", ".geminiignore": "*.key\n", "x.key": "k"})
	put(t, dir, map[string]string{"big.txt": ""})
	require.NoError(t, os.Truncate(filepath.Join(dir, "big.txt"), maxFileSize+1))
	tool := ReadFile(ws, workspace.Ignore{Gemini: true})
	missing := filepath.Join(dir, "missing.txt")
	for _, tt := range []struct {
		args      args
		errorType tools.ErrorType
		text      string
	}{
		{args{"file_path": " "}, tools.ErrInvalidParams, "The 'file_path' parameter must be non-empty."},
		{args{"file_path": "a.txt", "start_line": 3, "end_line": 2}, tools.ErrInvalidParams, "start_line cannot be greater than end_line"},
		{args{"file_path": "a.txt", "start_line": 9}, tools.ErrInvalidParams, "start_line 9 is beyond the end of the file, which has 2 lines"},
		{args{"file_path": "a.txt", "start_line": 0}, tools.ErrInvalidParams, "params/start_line must be >= 1"},
		{args{"file_path": "missing.txt"}, tools.ErrFileNotFound, "File not found: " + missing},
		{args{"file_path": "a.txt/x"}, tools.ErrReadContent, "not a directory"},
		{args{"file_path": "d"}, tools.ErrTargetIsDirectory, "Path is a directory, not a file: "},
		{args{"file_path": "big.txt"}, tools.ErrFileTooLarge, "File size exceeds the 20MB limit: "},
		{args{"file_path": "/etc/passwd"}, tools.ErrInvalidParams, "Path not in workspace: "},
		{args{"file_path": ".env"}, tools.ErrInvalidParams, "Path not in workspace: "},
		{args{"file_path": "x.key"}, tools.ErrInvalidParams, "ignored by configured ignore patterns"},
	} {
		_, failed := call(t, tool, tt.args)
		if assert.NotNil(t, failed, "%v", tt.args) {
			assert.Equal(t, tt.errorType, failed.Type, failed.Message)
			assert.Contains(t, failed.Message, tt.text)
		}
	}
	_, failed := call(t, tool, args{"file_path": "missing.txt"})
	failed.Err = nil
	assert.Equal(t, &tools.Error{Type: tools.ErrFileNotFound, Message: "File not found: " + missing, Display: "File not found.",
		Content: "Could not read file because no file was found at the specified path."}, failed)
}

// TestReadFileLeavesTheWorkspaceMeanwhile swaps the file between check and use.
func TestReadFileLeavesTheWorkspaceMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inv, err := ReadFile(project(t, dir, map[string]string{"a.txt": "a"}), noIgnore).Prepare(args{"file_path": "a.txt"})
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.txt")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "a.txt")))
	_, err = inv.Run(t.Context())
	var failed *tools.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, tools.ErrPathNotInWorkspace, failed.Type)
}

func TestReadFileLarge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, nil)
	writeLog(t, filepath.Join(dir, "log"), maxFileSize+1000)
	res, failed := call(t, ReadFile(ws, noIgnore), args{"file_path": "log", "start_line": 10001, "end_line": 10002})
	require.Nil(t, failed)
	_, content, _ := strings.Cut(text(res), "(truncated) ---\n")
	assert.Equal(t, logLine(10001)+logLine(10002)[:63], content)
	assert.Equal(t, "Read lines 10001-10002 of at least 10003 from log", res.Display)

	_, failed = call(t, ReadFile(ws, noIgnore), args{"file_path": "log", "start_line": 5000000})
	require.NotNil(t, failed)
	assert.Contains(t, failed.Message, "beyond the end")

	put(t, dir, map[string]string{"zero": ""})
	require.NoError(t, os.Truncate(filepath.Join(dir, "zero"), maxFileSize+1))
	res, failed = call(t, ReadFile(ws, noIgnore), args{"file_path": "zero", "end_line": 5})
	require.Nil(t, failed)
	assert.Equal(t, "Skipped binary file: zero", res.Display)
}

func logLine(n int) string { return fmt.Sprintf("%09d %s\n", n, strings.Repeat("x", 53)) }

// writeLog writes a file that begins with 1 MiB of numbered lines of 64 bytes. The rest
// is sparse.
func writeLog(t testing.TB, file string, size int64) {
	t.Helper()
	var b bytes.Buffer
	for i := 1; b.Len() < 1<<20; i++ {
		b.WriteString(logLine(i))
	}
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	require.NoError(t, os.Truncate(file, size))
}

func TestReadLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100_000)
	for _, tt := range []struct {
		name, in    string
		first, last int
		want        []string
		total       int
		ended       bool
	}{
		{"middle", "a\nb\nc\nd\n", 2, 3, []string{"b", "c"}, 4, false},
		{"to the end", "a\nb\nc", 2, 9, []string{"b", "c"}, 3, true},
		{"final newline", "a\nb\n", 2, 9, []string{"b", ""}, 3, true},
		{"beyond", "a\n", 5, 9, nil, 2, true},
		{"empty", "", 1, 5, []string{""}, 1, true},
		{"long line is skipped", long + "\nb\n", 2, 2, []string{"b"}, 3, false},
		{"long line is cut", long + "\nb\n", 1, 1, []string{strings.Repeat("é", maxLineRunes) + "... [truncated]"}, 2, false},
		{"UTF-16", "\xfe\xff\x00a\x00\n\x00b", 2, 2, []string{"b"}, 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x, err := readLines(t.Context(), strings.NewReader(tt.in), tt.first, tt.last)
			require.NoError(t, err)
			var got []string
			for _, l := range x.lines {
				got = append(got, string(l))
			}
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.total, x.total)
			assert.Equal(t, tt.ended, x.ended)
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestReadLinesStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := readLines(ctx, endless{}, 1, 5)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = readLines(t.Context(), broken{}, 1, 5)
	assert.ErrorContains(t, err, "disk on fire")
}

// BenchmarkReadRange reads lines 1-100 of a log of 1 GB.
func BenchmarkReadRange(b *testing.B) {
	dir := b.TempDir()
	ws := project(b, dir, nil)
	writeLog(b, filepath.Join(dir, "log"), 1<<30)
	tool := ReadFile(ws, noIgnore)
	for b.Loop() {
		_, failed := call(b, tool, args{"file_path": "log", "start_line": 1, "end_line": 100})
		require.Nil(b, failed)
	}
}
