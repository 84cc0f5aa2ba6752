package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/llm/script"
)

func TestCleaner(t *testing.T) {
	t.Parallel()
	c := newCleaner(Options{
		Dir: "/home/carolina/project/sub", Project: "/home/carolina/project", Home: "/home/carolina", User: "carolina",
		Mask: func(text string) string { return strings.ReplaceAll(text, "canary", "[REDACTED]") },
	})
	for _, tt := range []struct{ in, code, text string }{
		{"nothing", "nothing", "nothing"},
		{"sh /home/carolina/project/guard.sh", "sh $GEMINI_PROJECT_DIR/guard.sh", "sh guard.sh"},
		{"cd /home/carolina/project", "cd $GEMINI_PROJECT_DIR", "cd ."},
		{"/home/carolina/project/sub/a.txt", "$GEMINI_PROJECT_DIR/a.txt", "a.txt"},
		{"/home/carolina/other", "$HOME/other", "$HOME/other"},
		{"by carolina, not by carolinas", "by $USER, not by carolinas", "by $USER, not by carolinas"},
		{"the canary sings", "the [REDACTED] sings", "the [REDACTED] sings"},
		{"key AKIA0123456789ABCDEF.", "key [REDACTED].", "key [REDACTED]."},
	} {
		assert.Equal(t, tt.code, c.code(tt.in), tt.in)
		assert.Equal(t, tt.text, c.text(tt.in), tt.in)
	}
	assert.Equal(t, "AWS key (2), the environment (2)", c.summary())
	assert.Equal(t, map[string]any{"a": []any{"x", 1.0, true, nil}}, c.value(map[string]any{"a": []any{"/home/carolina/project/x", 1.0, true, nil}}))

	common := newCleaner(Options{Dir: "/root/x", Project: "/root/x", Home: "/", User: "root"})
	assert.Equal(t, "the root of / is root's", common.code("the root of / is root's"), "a word of every text is not a name, and / no home")
}

func TestShort(t *testing.T) {
	t.Parallel()
	part := func(p llm.Part) llm.Chunk { return llm.Chunk{Parts: []llm.Part{p}} }
	stop := func(c llm.Chunk) llm.Chunk { c.FinishReason = "STOP"; return c }
	hi := part(llm.Text{Text: "Hi."})
	large := stop(hi)
	large.Usage = &llm.Usage{Prompt: 20_000, Candidates: 5}
	cut := hi
	cut.FinishReason = "MAX_TOKENS"
	grounded := stop(hi)
	grounded.Grounding = []byte(`{}`)
	for _, tt := range []struct {
		entry script.Entry
		want  string // empty: the short form cannot express it
	}{
		// content
		{script.Streamed(stop(hi)), "text Hi.\n"},
		{script.Streamed(part(llm.Thought{Text: "**Plan**"}), hi, stop(part(llm.Text{Text: " a\n\"b\""}))), "thought **Plan**\ntext Hi.\ntext \" a\\n\\\"b\\\"\"\n"},
		{script.Streamed(stop(part(llm.Text{}))), "text \"\"\n"},
		{script.Streamed(stop(part(llm.ToolCall{Name: "ls", Args: map[string]any{"a": "<b>"}}))), "call ls {\"a\":\"<b>\"}\n"},
		{script.Streamed(stop(part(llm.ToolCall{Name: "ls"}))), "call ls {}\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoShell, Command: "ls -l 'a b'"}.Call()))), "shell ls -l 'a b'\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoShell, Command: "a\nb"}.Call()))), `shell "a\nb"` + "\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoWrite, Path: "a b", Text: "<<END"}.Call()))), `write "a b" "<<END"` + "\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoEdit, Path: "a", Old: `\`, New: "x y"}.Call()))), `edit a \ "x y"` + "\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoEdit, Path: "a", Old: "b"}.Call()))), `call replace {"file_path":"a","instruction":"Replace the text","new_string":"","old_string":"b"}` + "\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoSearch, Pattern: "x"}.Call()))), "search x\n"},
		{script.Streamed(stop(part(script.Action{Kind: script.DoSearch, Pattern: "x", Path: "src"}.Call()))), "search x src\n"},
		{script.Answered(stop(hi)), "generate\ntext Hi.\n"},
		// the end
		{script.Streamed(hi), "text Hi.\nfinish none\n"},
		{script.Streamed(cut), "text Hi.\nfinish MAX_TOKENS\n"},
		{script.Streamed(large), "text Hi.\nusage 20000 5\n"},
		{script.Streamed(llm.Chunk{BlockReason: "SAFETY"}), "block SAFETY\n"},
		{script.Streamed(llm.Chunk{FinishReason: "STOP"}), "finish STOP\n"},
		// not expressible in the short form
		{script.Streamed(stop(hi), hi), ""},
		{script.Streamed(grounded), ""},
		{script.Streamed(hi, llm.Chunk{FinishReason: "STOP"}), ""},
		{script.Streamed(), ""},
		{script.Counted(7), ""},
		{script.Streamed(stop(part(llm.Blob{MIMEType: "image/png"}))), ""},
		{script.Streamed(stop(part(llm.ToolCall{Name: "two words"}))), ""},
	} {
		got, ok := short(tt.entry)
		assert.Equal(t, tt.want != "", ok, "%+v", tt.entry)
		if ok {
			assert.Equal(t, tt.want, got)
		}
	}
}

func TestJoined(t *testing.T) {
	t.Parallel()
	text := func(s string) llm.Chunk { return llm.Chunk{Parts: []llm.Part{llm.Text{Text: s}}} }
	call := llm.ToolCall{Name: "ls"}
	usage := &llm.Usage{Prompt: 1}
	got := joined([]llm.Chunk{
		{}, text("a"), text("b"), {Parts: []llm.Part{llm.Text{Text: "c"}, call}}, {FinishReason: "STOP", Usage: usage},
	})
	assert.Equal(t, []llm.Chunk{text("abc"), {Parts: []llm.Part{call}, FinishReason: "STOP", Usage: usage}}, got)
	assert.Nil(t, joined(nil))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("a.txt", "a\n")
	write("sub/b.txt", "b\n")
	write("large", strings.Repeat("x", maxFile+1))
	write("binary", "\xff")
	write(".gemini/settings.json", "{}")
	write("found.go", "package x\n")
	require.NoError(t, os.Chtimes(filepath.Join(dir, "found.go"), time.Time{}, time.Now().Add(-time.Hour)))
	f := newFiles(dir)
	f.named(map[string]any{"file_path": filepath.Join(dir, "a.txt"), "content": "binary", "command": "cat large binary ../out > 'new file' && rm -rf sub"})
	f.named(map[string]any{"paths": []any{".gemini/settings.json", "*.go", "/etc/passwd"}})
	f.included("What is in @missing.txt?")
	f.found(event.ToolRecord{Call: llm.ToolCall{Name: "grep_search"}, Started: time.Now(),
		Result: llm.ToolResult{Response: map[string]any{"output": "found.go:1: package x"}}})
	f.found(event.ToolRecord{Call: llm.ToolCall{Name: "read_file"}, Started: time.Now(),
		Result: llm.ToolResult{Response: map[string]any{"output": "see unrelated.go"}}})
	assert.Equal(t, state{there: true, data: []byte("a\n")}, f.before["a.txt"])
	assert.Equal(t, state{there: true, data: []byte("b\n")}, f.before["sub/b.txt"], "one file of a folder, so that it is there")
	assert.Equal(t, "is larger than 64 KiB", f.before["large"].left)
	assert.Equal(t, "is binary", f.before["binary"].left)
	assert.Equal(t, state{}, f.before["missing.txt"])
	assert.Equal(t, state{there: true, data: []byte("package x\n")}, f.before["found.go"])
	for _, name := range []string{".gemini/settings.json", "/etc/passwd", "../out", "unrelated.go", "*.go"} {
		assert.NotContains(t, f.before, name)
	}

	write("a.txt", "changed\n")
	write("missing.txt", "there\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "sub", "b.txt")))
	assert.Equal(t, map[string]state{
		"a.txt": {there: true, data: []byte("changed\n")}, "missing.txt": {there: true, data: []byte("there\n")}, "sub/b.txt": {},
	}, f.changed())
}

func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFiles(dir)
	for i := range maxFiles/maxFile + 1 {
		name := filepath.Join(dir, string(rune('a'+i)))
		require.NoError(t, os.WriteFile(name, []byte(strings.Repeat("x", maxFile)), 0o644))
		f.note(name)
	}
	left := 0
	for _, s := range f.before {
		if s.left != "" {
			left++
			assert.Equal(t, "would make the case larger than 512 KiB", s.left)
		}
	}
	assert.Equal(t, 1, left)
}

func TestWordOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain": "plain", "": "''", "a b": "'a b'", "a=b": "'a=b'", "it's": `"it's"`, `it's "it"`: `"it's \"it\""`, "a\nb": `"a\nb"`, "~x": "'~x'",
	} {
		assert.Equal(t, want, wordOf(in), in)
	}
}
