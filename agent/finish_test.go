package agent

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/llm"
)

// finishReasons are the reasons in the source of the Gemini API's client, which the
// agent must not import.
func finishReasons(t *testing.T) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "google.golang.org/genai").Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "types.go"), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); ok && id.Name == "FinishReason" && len(v.Values) == 1 {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, s)
		}
		return true
	})
	require.Greater(t, len(out), 15)
	return out
}

// TestEveryFinishReasonIsDecided checks that an answer with text that did not end with
// STOP is refused or reported as incomplete.
func TestEveryFinishReasonIsDecided(t *testing.T) {
	t.Parallel()
	known := append(finishReasons(t), "", "SOMETHING_NEW")
	for reason := range finishes {
		assert.Contains(t, known, reason)
	}
	for _, reason := range known {
		switch reason {
		case "FINISH_REASON_UNSPECIFIED": // llm/gemini treats it as no reason
			continue
		case "STOP", "", "SOMETHING_NEW":
		default:
			assert.Contains(t, finishes, reason, "decide what this means")
		}
		var answers []llm.FakeAnswer
		for range maxStreamAttempts {
			answers = append(answers, llm.FakeAnswer{Chunks: []llm.Chunk{{Parts: []llm.Part{llm.Text{Text: "Half"}}, FinishReason: reason}}})
		}
		b := newBench(answers...)
		res := b.run(t, "go")
		notices := eventsOf[event.Notice](b)
		warned := slices.ContainsFunc(notices, func(n event.Notice) bool { return n.Severity == "warning" })
		switch {
		case reason == "STOP":
			assert.Equal(t, Answered, res.Ending)
			assert.Empty(t, res.Unfinished)
			assert.False(t, warned)
		case reason == "" || finishes[reason].never:
			assert.Equal(t, InvalidStream, res.Ending, reason)
		default:
			assert.Equal(t, Answered, res.Ending, reason)
			assert.Equal(t, reason, res.Unfinished)
			assert.True(t, warned, reason)
			assert.Contains(t, notices[0].Text, "The answer is incomplete ("+reason+"): ")
		}
	}
}

// TestBrokenStreamAfterToolsIsReported checks that, after tool results, a stream without
// an end counts as an answer, and its text is reported as incomplete.
func TestBrokenStreamAfterToolsIsReported(t *testing.T) {
	t.Parallel()
	b := newBench(llm.FakeCalls(llm.ToolCall{Name: "look"}), llm.FakeAnswer{Chunks: []llm.Chunk{{Parts: []llm.Part{llm.Text{Text: "Half"}}}}})
	res := b.run(t, "go")
	assert.Equal(t, Answered, res.Ending)
	assert.Equal(t, string(NoFinishReason), res.Unfinished)
	assert.Equal(t, "The answer is incomplete: it broke off without an end.", eventsOf[event.Notice](b)[0].Text)
}
