package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/internal/exit"
)

func TestHooksView(t *testing.T) {
	t.Parallel()
	line, err := json.Marshal(hooks.Report{Seq: 1, Event: protocol.BeforeTool, Subject: "write_file"})
	require.NoError(t, err)
	w := newHookWorld(t, map[string]string{"trace.jsonl": string(line) + "\nrubbish\n", "empty.jsonl": ""})
	got := w.run("hooks view trace.jsonl")
	assert.Equal(t, 0, got.code)
	assert.Contains(t, got.out, "<title>Hook events in trace.jsonl</title>")
	assert.Equal(t, "[WARNING] trace.jsonl: 1 lines that are not hook events were left out\n", got.err)
	for args, want := range map[string]string{
		"hooks view":             "needs a trace",
		"hooks view none.jsonl":  "no such file",
		"hooks view empty.jsonl": "empty.jsonl: there is no hook event in it",
	} {
		bad := w.run(args)
		assert.Equal(t, exit.Input, bad.code, args)
		assert.Contains(t, bad.err, want, args)
		assert.Empty(t, bad.out, args)
	}
	sys, out, errOut := w.sys()
	sys.StdoutTTY = true
	assert.Equal(t, exit.Input, run([]string{"hooks", "view", "trace.jsonl"}, sys))
	assert.Empty(t, out.String())
	assert.Contains(t, errOut.String(), "minigem hooks view trace.jsonl > page.html")
}

// A run writes the page itself if the trace's name ends with .html.
func TestHookTracePage(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t)
	answer := `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"write_file","args":{"file_path":".x","content":"</script>"}}}]},"finishReason":"STOP"}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"finishReason":"STOP"}]}]}
`
	require.NoError(t, os.WriteFile(w.path("model.responses"), []byte(answer), 0o600))
	got := w.run("-p write --yolo --fake-responses " + w.path("model.responses") + " --hook-trace " + w.path("out.html"))
	require.Equal(t, 0, got.code, got.err)
	page := w.read("out.html")
	assert.Contains(t, page, `"event":"BeforeTool"`)
	assert.Contains(t, page, `dot files are mine`)
	assert.Contains(t, page, "</html>")
}
