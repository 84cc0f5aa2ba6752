package portable_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/portable"
	"minigem/hooks/protocol"
)

// serveOfPage is the program in docs/HOOKS.md, "Hooks in Go", with Run instead of
// Serve.
func serveOfPage(stdin string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = portable.Run(strings.NewReader(stdin), &out, &errs, func(string) string { return "" },
		func(in protocol.BeforeToolInput) protocol.Output {
			if in.ToolInput["file_path"] == ".env" {
				return protocol.DenyBecause("secrets stay as they are")
			}
			return protocol.Output{}
		})
	return out.String(), errs.String(), code
}

func TestPageShowsAHookInGo(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/HOOKS.md")
	require.NoError(t, err)
	source, err := os.ReadFile("page_test.go")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, block)
	_, body, _ := strings.Cut(string(block[1]), "portable.Serve(")
	for line := range strings.Lines(body) {
		assert.Contains(t, string(source), strings.TrimSpace(line))
	}
	const call = `{"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "permission_mode": "default",
		"transcript_path": "/t.jsonl", "tool_name": "Write", "tool_input": {"file_path": "FILE", "content": "x"}}`
	stdout, stderr, _ := serveOfPage(strings.Replace(call, "FILE", ".env", 1))
	assert.Contains(t, stdout+stderr, "secrets stay as they are")
	assert.Contains(t, stdout, "deny")
	stdout, _, code := serveOfPage(strings.Replace(call, "FILE", "main.go", 1))
	assert.Equal(t, 0, code)
	assert.NotContains(t, stdout, "deny")
}
