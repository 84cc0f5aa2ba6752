package telemetry

import (
	"fmt"
	"mime"
	"path/filepath"
	"strings"

	"minigem/agent/event"
)

// file describes a file that a call read or wrote as a whole.
type file struct {
	operation string // "create", "read" or "update", or empty
	attrs     []any  // as for attributesOf
	body      string
}

// fileOf derives it from the record of a call. Like Gemini CLI, it only handles
// read_file and write_file. Edits are counted by line.
func fileOf(r event.ToolRecord) file {
	path, _ := r.Args["file_path"].(string)
	ext := strings.ToLower(filepath.Ext(path))
	var f file
	var content, kind string
	counted := false
	switch r.Call.Name {
	case "read_file":
		f.operation, kind = "read", mimeOf(ext)
		if shown, text := r.Display.(string); text && shown == "" { // the whole file was read
			content, counted = r.Result.Response["output"].(string)
		}
	case "write_file":
		f.operation = "update"
		if diffOf(r).New {
			f.operation = "create"
		}
		content, counted = r.Args["content"].(string)
	default:
		return f
	}
	f.attrs = []any{"operation", f.operation}
	f.body = fmt.Sprintf("File operation: %s.", f.operation)
	if counted {
		n := strings.Count(content, "\n") + 1
		f.attrs = append(f.attrs, "lines", n)
		f.body += fmt.Sprintf(" Lines: %d.", n)
	}
	f.attrs = append(f.attrs, optional("mimetype", kind), optional("extension", ext),
		optional("programming_language", languages[ext]))
	return f
}

// mimeOf returns the MIME type for a file extension, such as "text/plain".
func mimeOf(ext string) string {
	if ext == ".txt" || ext == ".md" { // not every machine knows these
		return map[string]string{".txt": "text/plain", ".md": "text/markdown"}[ext]
	}
	kind, _, _ := strings.Cut(mime.TypeByExtension(ext), ";")
	return kind
}

var languages = map[string]string{
	".go": "go", ".js": "javascript", ".mjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
	".tsx": "typescript", ".py": "python",
	".rb": "ruby", ".rs": "rust", ".java": "java", ".kt": "kotlin", ".c": "c", ".h": "c", ".cpp": "cpp", ".cc": "cpp",
	".hpp": "cpp",
	".cs":  "csharp", ".php": "php", ".swift": "swift", ".scala": "scala", ".sh": "shell", ".bash": "shell", ".sql": "sql",
	".html": "html", ".css": "css", ".lua": "lua", ".pl": "perl", ".r": "r", ".dart": "dart", ".hs": "haskell",
	".ex": "elixir",
}
