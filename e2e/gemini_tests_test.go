package e2e

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// These tests check on our binary what Gemini CLI's own tests json-output, api-resilience,
// extensions-install and acp-telemetry check. docs/promises/18-tests-of-gemini-cli.txt
// lists every item.

func TestJSONOutput(t *testing.T) {
	t.Parallel()
	type document struct {
		SessionID string  `json:"session_id"`
		Response  *string `json:"response"`
		Stats     *struct {
			Tools struct{ TotalCalls, TotalFail, TotalSuccess int }
		}
		Error *struct {
			Type, Message string
			Code          int
		}
	}
	read := func(t *testing.T, text string) (d document) {
		t.Helper()
		require.NoError(t, json.Unmarshal([]byte(text), &d), text)
		assert.NotEmpty(t, d.SessionID)
		return d
	}
	answer := func(t *testing.T, prompt string, answers ...string) document {
		t.Helper()
		h := newHome(t, nil)
		o := h.run(t, run{Args: append([]string{prompt, "--output-format", "json"}, h.answersFile(t, answers...)...)})
		require.Equal(t, 0, o.Code, o.Stderr)
		assert.True(t, strings.HasPrefix(o.Stdout, "{\n  \"session_id\": "), "indented by two")
		assert.True(t, strings.HasSuffix(o.Stdout, "\n}"), "no line end after it")
		d := read(t, o.Stdout)
		require.NotNil(t, d.Response)
		require.NotNil(t, d.Stats)
		assert.Nil(t, d.Error)
		return d
	}
	t.Run("response and stats", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, "Paris.", *answer(t, "What is the capital of France?", "say Paris.").Response)
	})
	t.Run("session id", func(t *testing.T) {
		t.Parallel()
		answer(t, "Hello", "say Hi.")
	})
	t.Run("a tool error ends nothing", func(t *testing.T) {
		t.Parallel()
		d := answer(t, "Read none.txt.", "say Looking.\n"+`call read_file {"file_path": "path/to/none.txt"}`, "say File not found")
		assert.Equal(t, "File not found", *d.Response, "what the last round said")
		assert.Equal(t, struct{ TotalCalls, TotalFail, TotalSuccess int }{1, 1, 0}, d.Stats.Tools)
	})
	t.Run("a sign-in other than the enforced one", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{"../.gemini/settings.json": `{"security": {"auth": {"enforcedType": ` +
			`"gemini-api-key", "selectedType": ""}}}`})
		o := h.run(t, run{Args: []string{"Hello", "--output-format", "json"}, Env: []string{"GOOGLE_GENAI_USE_GCA=true"}})
		assert.Equal(t, 41, o.Code)
		assert.Empty(t, o.Stdout)
		at := strings.Index(o.Stderr, "{")
		require.GreaterOrEqual(t, at, 0, o.Stderr)
		d := read(t, o.Stderr[at:])
		require.NotNil(t, d.Error)
		assert.Equal(t, "Error", d.Error.Type)
		assert.Equal(t, 41, d.Error.Code)
		assert.Contains(t, d.Error.Message, "enforced authentication type is 'gemini-api-key'")
		assert.Contains(t, d.Error.Message, "current type is 'oauth-personal'")
	})
}

// TestMetadataOnlyChunks: chunks without text, including some without content or
// candidates, do not end the answer.
func TestMetadataOnlyChunks(t *testing.T) {
	t.Parallel()
	const chunks = `{"method": "generateContentStream", "response": [
{"candidates": [{"content": {"parts": [{"text": "Part 1. "}], "role": "model"}, "index": 0}]},
{"usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}},
{"candidates": [{"index": 0}]},
{"candidates": [{"content": {"role": "model"}, "index": 0}]},
{"candidates": [{"content": {"parts": [{"text": "Part 2."}], "role": "model"}, "finishReason": "STOP", "index": 0}],
 "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}}]}`
	h := newHome(t, map[string]string{"../fake.responses": strings.ReplaceAll(chunks, "\n", "") + "\n"})
	outfile := filepath.Join(h.dir, "telemetry.log")
	o := h.run(t, run{
		Args: []string{"hi", "--model", "gemini-3-pro-preview", "--fake-responses", filepath.Join(h.dir, "fake.responses")},
		Env: []string{"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=" +
			outfile},
	})
	assert.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "Part 1. Part 2.\n", o.Stdout)
	logs, _ := telemetryIn(t, outfile)
	assert.Equal(t, 1, countOf(logs, "gemini_cli.user_prompt"))
	assert.Equal(t, 1, countOf(logs, "gemini_cli.api_response"), "one attempt was enough")
}

func countOf(logs []payload, event string) (n int) {
	for _, l := range logs {
		if l["event.name"] == event {
			n++
		}
	}
	return n
}

// TestInstallUpdateUninstall tests an extension in a folder.
func TestInstallUpdateUninstall(t *testing.T) {
	t.Parallel()
	const name = "test-extension-install"
	manifest := func(version string) string { return `{"name": "` + name + `", "version": "` + version + `"}` }
	h := newHome(t, map[string]string{"gemini-extension.json": manifest("0.0.1")})
	extensions := func(stdin string, args ...string) string {
		o := h.run(t, run{Args: append([]string{"extensions"}, args...), Stdin: stdin})
		assert.Equal(t, 0, o.Code, o.Stdout+o.Stderr)
		return o.Stdout + o.Stderr
	}
	assert.Contains(t, extensions("y\n", "install", h.workspace), name)
	assert.Contains(t, extensions("", "list"), name)
	h.write(t, "gemini-extension.json", manifest("0.0.2"))
	assert.Contains(t, extensions("", "update", name), "0.0.2")
	assert.Contains(t, extensions("", "list"), "0.0.2")
	assert.Contains(t, extensions("", "uninstall", name), name)
	assert.NotContains(t, extensions("", "list"), name)

	o := h.run(t, run{Args: []string{"extensions", "install", h.workspace}, Stdin: "n\n"})
	assert.Equal(t, 1, o.Code, "the user says no")
	assert.NotContains(t, extensions("", "list"), name)
}

// TestACPTelemetry: the telemetry is complete when an editor closes the pipe.
func TestACPTelemetry(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	outfile := filepath.Join(h.dir, "telemetry.log")
	ctx := waittest.Context(t)
	cmd := exec.CommandContext(ctx, binary, append([]string{"--experimental-acp"}, h.answersFile(t, "say Hello!")...)...)
	cmd.Dir = h.workspace
	cmd.Env = []string{
		"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "GEMINI_API_KEY=fake-key", "GEMINI_TELEMETRY_ENABLED=true",
		"GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=" + outfile,
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := &heard{}
	conn := acp.NewClientSideConnection(said, in, out)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	_, err = conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	require.NoError(t, err)
	s, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: h.workspace, McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	_, err = conn.Prompt(
		ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("Say hello")}})
	require.NoError(t, err)
	waittest.Until(t, func() bool { return strings.Contains(said.text(), "Hello!") }, "the answer comes")
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())

	logs, metrics := telemetryIn(t, outfile)
	assert.NotEmpty(t, metrics)
	messages := ""
	for _, l := range logs {
		if text, ok := l["gen_ai.output.messages"].(string); ok {
			messages = text
		}
	}
	assert.JSONEq(t, `[{"role": "assistant", "parts": [{"type": "text", "content": "Hello!"}], "finish_reason": "stop"}]`,
		messages)
}

// heard is an editor that only records what it receives.
type heard struct {
	acp.Client
	mu  sync.Mutex
	all strings.Builder
}

func (h *heard) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := n.Update.AgentMessageChunk; c != nil {
		h.all.WriteString(c.Content.Text.Text)
	}
	return nil
}

func (h *heard) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.String()
}
