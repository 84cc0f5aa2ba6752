package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/internal/exit"
	"minigem/llm"
	"minigem/llm/script"
)

// runWith runs one prompt with a model that answers chunks, one per request.
func runWith(t *testing.T, w hookWorld, format string, chunks ...llm.Chunk) said {
	t.Helper()
	var entries []script.Entry
	for _, c := range chunks {
		entries = append(entries, script.Streamed(c))
	}
	url, stop, err := fakemodel.New(fakemodel.Options{Entries: entries}).Start("127.0.0.1:0")
	require.NoError(t, err)
	defer stop()
	sys, out, errOut := w.sys("GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL="+url)
	code := run([]string{"-p", "go", "-o", format}, sys)
	return said{out.String(), errOut.String(), code}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func glob(pattern string) llm.Chunk {
	call := llm.ToolCall{Name: "glob", Args: map[string]any{"pattern": pattern}}
	return llm.Chunk{Parts: []llm.Part{call}, FinishReason: "STOP"}
}

// TestARunThatIsCutOffIsNeverGreen checks that a limit ends the run with 53 and a
// message.
func TestARunThatIsCutOffIsNeverGreen(t *testing.T) {
	t.Parallel()
	var different, same []llm.Chunk
	for i := range 120 {
		different = append(different, glob(fmt.Sprintf("*%d", i)))
	}
	for range 20 {
		same = append(same, glob("*"))
	}
	done := llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Done."}}, FinishReason: "STOP"}
	for _, c := range []struct {
		name, settings string
		chunks         []llm.Chunk
		code           int
		says           string
	}{
		{"no limit", "{}", append(different, done), exit.OK, ""},
		{"a limit of the settings", `{"model": {"maxSessionTurns": 100}}`, append(different, done), exit.TurnLimit, "model.maxSessionTurns"},
		{"the same calls", "{}", same, exit.TurnLimit, "the model repeated itself"},
		{"the same calls, allowed", `{"model": {"disableLoopDetection": true}}`, append(same, done), exit.OK, ""},
	} {
		for _, format := range []string{"text", "json", "stream-json"} {
			t.Run(c.name+"/"+format, func(t *testing.T) {
				t.Parallel()
				w := newHookWorld(t, map[string]string{"~/.gemini/settings.json": c.settings})
				got := runWith(t, w, format, c.chunks...)
				assert.Equal(t, c.code, got.code, got.err)
				assert.Contains(t, got.err, c.says)
				if c.code == exit.OK {
					assert.Contains(t, got.out, "Done.")
				}
				switch {
				case format == "json" && c.code != exit.OK:
					assert.Empty(t, got.out)
					assert.Contains(t, got.err, `"type": "FatalTurnLimitedError"`)
				case format == "stream-json":
					status := map[bool]string{true: `"status":"success"`, false: `"status":"error"`}[c.code == exit.OK]
					assert.Contains(t, lastLine(got.out), status)
				}
			})
		}
	}
}

// TestIncompleteAnswerIsReported checks that an incomplete answer gets a warning, and
// a field in JSON.
func TestIncompleteAnswerIsReported(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"} {
		for _, format := range []string{"text", "json", "stream-json"} {
			t.Run(reason+"/"+format, func(t *testing.T) {
				t.Parallel()
				got := runWith(t, newHookWorld(t, nil), format, llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Half"}}, FinishReason: reason})
				assert.Equal(t, exit.OK, got.code, got.err)
				var d struct {
					Finish   string   `json:"finish_reason"`
					Warnings []string `json:"warnings"`
				}
				want, warning := reason, "The answer is incomplete ("+reason+"): "
				if reason == "STOP" {
					want = ""
				}
				switch format {
				case "text":
					assert.Equal(t, "Half\n", got.out)
					assert.Equal(t, want != "", strings.Contains(got.err, "[WARNING] "+warning), got.err)
				case "json":
					require.NoError(t, json.Unmarshal([]byte(got.out), &d))
					assert.Equal(t, want, d.Finish)
					assert.Equal(t, want != "", strings.Contains(strings.Join(d.Warnings, "\n"), warning))
					assert.Equal(t, want != "", strings.Contains(got.err, warning), "on standard error too")
				case "stream-json":
					require.NoError(t, json.Unmarshal([]byte(lastLine(got.out)), &d))
					assert.Equal(t, want, d.Finish)
					assert.Equal(t, want != "", strings.Contains(got.out, warning))
					assert.Equal(t, want != "", strings.Contains(got.err, warning), "on standard error too")
				}
			})
		}
	}
}
