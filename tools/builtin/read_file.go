package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/workspace"
)

// Limits of reading (core/utils/constants.ts). Lines and characters apply to text,
// bytes to files.
const (
	maxReadLines = 2000
	maxLineRunes = 2000
	maxFileSize  = 20 << 20
	maxSVGSize   = 1 << 20
)

// readFileSchema has the arguments of Gemini CLI's read_file.
const readFileSchema = `{
  "type": "object",
  "properties": {
    "file_path": {"type": "string", "description": "Path of the file, absolute or relative to the project's root."},
    "start_line": {"type": "integer", "minimum": 1, "description": "First line to read, counted from 1."},
    "end_line": {"type": "integer", "minimum": 1, "description": "Last line to read, counted from 1; it is read too."}
  },
  "required": ["file_path"]
}`

// ReadFile returns the tool read_file (core/tools/read-file.ts). Files that ignore
// hides cannot be read. It returns at most 2,000 lines unless the call names an
// end_line, cut after 2,000 characters each, with a notice where more follows; images,
// PDF, audio and video as an [llm.Blob]; of a binary file only that it is one. Of a
// file of more than 20 MB only ranges of text can be read, up to 2,000 lines at a time;
// it is streamed then and its lines are not counted. Errors: [tools.ErrReadContent],
// [tools.ErrFileTooLarge].
func ReadFile(ws *workspace.Workspace, ignore workspace.Ignore) tools.Tool {
	return tool("read_file", readFileSchema,
		tools.Info{DisplayName: "ReadFile", Kind: tools.KindRead, Markdown: true},
		readFileCall{files: files{ws, ignore}})
}

// readFileCall reads one file. rel is how the texts name it: relative to the root.
// StartLine and EndLine are 0 if the call does not name them.
type readFileCall struct {
	files
	abs string
	rel string

	FilePath  string `json:"file_path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
}

// Complete implements tools.Completer. It refuses a path outside the workspace, an ignored
// file and a range that ends before it begins. It does not open the file.
func (c *readFileCall) Complete(map[string]any) error {
	if err := required("file_path", c.FilePath); err != nil {
		return err
	}
	if c.EndLine > 0 && c.StartLine > c.EndLine {
		return invalid("start_line cannot be greater than end_line")
	}
	var err error
	if c.abs, err = resolve(c.ws, c.FilePath); err != nil {
		return err
	}
	c.rel = c.ws.Rel(c.abs)
	if ignored, err := c.ws.Ignored(c.abs, false, c.ignore); err == nil && ignored {
		return invalid("File path '%s' is ignored by configured ignore patterns.", c.abs)
	}
	return nil
}

// Intent implements tools.Invocation. People read the path relative to the root,
// shortened to 35 characters.
func (c *readFileCall) Intent() tools.Intent {
	return tools.Intent{Description: shortPath(c.rel), Paths: []string{c.abs}}
}

// Run implements tools.Invocation. What an editor shows counts for a file of up to 20 MB,
// see workspace.Buffers.
func (c *readFileCall) Run(ctx context.Context) (tools.Result, error) {
	f, err := c.ws.Open(c.abs)
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	if info.IsDir() {
		return tools.Result{}, c.failed(&fs.PathError{Op: "read", Path: c.abs, Err: workspace.ErrIsDirectory})
	}
	if info.Size() > maxFileSize {
		return c.large(ctx, f, info.Size())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	data, _ = c.ws.Shown(c.abs, data)
	return c.whole(data)
}

// failed returns the error for a file that cannot be read. Hooks read Gemini CLI's text
// for a missing file.
func (c *readFileCall) failed(err error) error {
	e := fileError("Error reading file", c.abs, err, tools.ErrReadContent)
	if e.Type == tools.ErrFileNotFound {
		e.Content = "Could not read file because no file was found at the specified path."
	}
	return e
}

// whole returns a file that is in memory. What kind of file it is, is decided by its
// extension first and by its first bytes then. An SVG image is text.
func (c *readFileCall) whole(data []byte) (tools.Result, error) {
	name := filepath.Base(c.abs)
	if strings.EqualFold(filepath.Ext(name), ".svg") {
		if len(data) > maxSVGSize {
			return tools.TextResult("Cannot display content of SVG file larger than 1MB: "+c.rel,
				"Skipped large SVG file (>1MB): "+c.rel), nil
		}
		text, _ := decodeText(data)
		return tools.TextResult(text, "Read SVG as text: "+c.rel), nil
	}
	if mime, kind := mediaType(name); mime != "" {
		return tools.Result{Parts: []llm.Part{llm.Blob{MIMEType: mime, Data: data}},
			Display: fmt.Sprintf("Read %s file: %s", kind, c.rel)}, nil
	}
	if isBinary(data) {
		return c.binary(), nil
	}
	text, _ := decodeText(data)
	return c.lines(text)
}

// binary is the result for a file that is not text. It is a result and no error.
func (c *readFileCall) binary() tools.Result {
	return tools.TextResult("Cannot display content of binary file: "+c.rel, "Skipped binary file: "+c.rel)
}

// lines returns the lines of text that the call asked for. The empty string
// after a final newline counts as a line, as in Gemini CLI.
func (c *readFileCall) lines(text string) (tools.Result, error) {
	total := strings.Count(text, "\n") + 1
	first := max(c.StartLine, 1)
	if first > total {
		return tools.Result{},
			invalid("start_line %d is beyond the end of the file, which has %d lines", first, total)
	}
	last := min(total, first+maxReadLines-1)
	if c.EndLine > 0 {
		last = min(c.EndLine, total) // an explicit range may be longer
	}
	var shown []string
	shortened := false
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n++; n < first {
			continue
		}
		if n > last {
			break
		}
		line, cut := shortenLine(line, maxLineRunes)
		shortened = shortened || cut
		shown = append(shown, line)
	}
	if first == 1 && last == total && !shortened {
		return tools.TextResult(text, ""), nil
	}
	return c.part(strings.Join(shown, "\n"), span{first, last, total, true}, shortened), nil
}

// span says which lines of how many the result contains.
type span struct {
	first, last, total int
	exact              bool // total is exact; else it is a lower bound
}

// part returns a result with less than the whole file.
func (c *readFileCall) part(content string, s span, shortened bool) tools.Result {
	of := fmt.Sprint(s.total)
	if !s.exact {
		of = "at least " + of
	}
	next := "This is the end of the file."
	if s.last < s.total || !s.exact {
		next = fmt.Sprintf("To read on, call read_file with start_line: %d.", s.last+1)
	}
	if shortened {
		next += fmt.Sprintf(" Lines over %d characters were cut.", maxLineRunes)
	}
	notice := fmt.Sprintf(
		"\nIMPORTANT: This is not the whole content of the file.\nStatus: Showing lines %d-%d of %s total lines.\n"+
			"Action: %s\n\n--- FILE CONTENT (truncated) ---\n", s.first, s.last, of, next)
	display := fmt.Sprintf("Read lines %d-%d of %s from %s", s.first, s.last, of, c.rel)
	if s.first == 1 && s.last == s.total && s.exact {
		display = fmt.Sprintf("Read all %d lines from %s (some lines were shortened)", s.total, c.rel)
	}
	return tools.TextResult(notice+content, display)
}

// large returns a range of a file that is too large for memory.
func (c *readFileCall) large(ctx context.Context, f *os.File, size int64) (tools.Result, error) {
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	if mime, _ := mediaType(c.abs); mime != "" || c.StartLine == 0 && c.EndLine == 0 {
		return tools.Result{}, &tools.Error{Type: tools.ErrFileTooLarge, Display: "File size exceeds the 20MB limit.",
			Message: fmt.Sprintf(
				"File size exceeds the 20MB limit: %s (%.2fMB). Text can be read in ranges with start_line and end_line.", c.abs,
				float64(size)/(1<<20))}
	}
	if charsetOf(head).enc == nil && isBinary(head[:n]) {
		return c.binary(), nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return tools.Result{}, c.failed(err)
	}
	first := max(c.StartLine, 1)
	last := first + maxReadLines - 1
	if c.EndLine > 0 {
		last = min(c.EndLine, last)
	}
	got, err := readLines(ctx, f, first, last)
	if err != nil {
		return tools.Result{}, c.failed(err)
	}
	if len(got.lines) == 0 {
		return tools.Result{},
			invalid("start_line %d is beyond the end of the file, which has %d lines", first,
				got.total)
	}
	s := span{first, first + len(got.lines) - 1, got.total, got.ended}
	return c.part(string(bytes.Join(got.lines, []byte("\n"))), s, got.shortened), nil
}
