package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// oracle returns the executable of Gemini CLI, if MINIGEM_ORACLE names it.
func oracle(t *testing.T) string {
	t.Helper()
	path := os.Getenv("MINIGEM_ORACLE")
	if path == "" {
		t.Skip("MINIGEM_ORACLE does not name a Gemini CLI to compare with")
	}
	needs(t, "node")
	return path
}

// runOracle runs it in h with scripted answers and returns the contents of the last
// request, from its telemetry.
func runOracle(t *testing.T, h home, answers []string, args ...string) (out string, sent []json.RawMessage) {
	t.Helper()
	log := filepath.Join(h.dir, "telemetry.log")
	settings := `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false},
		"privacy": {"usageStatisticsEnabled": false},
		"telemetry": {"enabled": true, "target": "local", "otlpEndpoint": "", "logPrompts": true, "outfile": "` + log + `"}}`
	require.NoError(t, os.MkdirAll(filepath.Join(h.dir, ".gemini"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, ".gemini", "settings.json"), []byte(settings), 0o600))
	cmd := exec.CommandContext(t.Context(), oracle(t), append(answers, args...)...)
	cmd.Dir = h.workspace
	cmd.Env = []string{
		"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "GEMINI_API_KEY=test-key",
		"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true",
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	require.NoError(t, cmd.Run(), stderr.String())
	return stdout.String(), lastRequest(t, log)
}

// lastRequest returns the contents of the last request in a telemetry file.
func lastRequest(t *testing.T, log string) (contents []json.RawMessage) {
	t.Helper()
	f, err := os.Open(log)
	require.NoError(t, err)
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var entry struct {
			Attributes struct {
				Event   string `json:"event.name"`
				Request string `json:"request_text"`
			}
		}
		err := d.Decode(&entry)
		if errors.Is(err, io.EOF) {
			return contents
		}
		require.NoError(t, err)
		if entry.Attributes.Event == "gemini_cli.api_request" {
			contents = nil
			require.NoError(t, json.Unmarshal([]byte(entry.Attributes.Request), &contents))
		}
	}
}

// TestSessionsAcrossPrograms: each program resumes what the other left.
func TestSessionsAcrossPrograms(t *testing.T) {
	t.Parallel()
	reading := []string{`call read_file {"file_path": "notes.txt"}`, "say It says hello."}

	t.Run("ours in Gemini CLI", func(t *testing.T) {
		t.Parallel()
		oracle(t)
		h := newHome(t, map[string]string{"notes.txt": "hello\n"})
		o := h.run(t, run{Args: append(h.answersFile(t, reading...), "-p", "read the notes", "--session-id", firstID)})
		require.Equal(t, 0, o.Code, o.Stderr)
		out, sent := runOracle(t, h, h.answersFile(t, "say Still hello."), "--resume", firstID, "-p", "and now?")
		assert.Equal(t, "Still hello.", strings.TrimSpace(out))
		all := string(bytes.Join(func() (b [][]byte) {
			for _, m := range sent {
				b = append(b, m)
			}
			return b
		}(), []byte("\n")))
		for _, want := range []string{"read the notes", `"functionCall"`, `"functionResponse"`, `"output":"hello`, "It says hello.", "and now?"} {
			assert.Contains(t, all, want)
		}
		for _, file := range transcriptsIn(h.dir) {
			assert.NoError(t, checkTranscript(file))
		}

		// And back again.
		server := startFakeAPI(t, textAnswers(t, "Here.", 1))
		o = h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-r", firstID, "-p", "go on"}, Env: server.env()})
		require.Equal(t, 0, o.Code, o.Stderr)
		assert.Empty(t, server.problems())
		assert.Equal(t, `user: read the notes
model: call read_file {"file_path":"notes.txt"}
user: result read_file {"output":"hello\n"}
model: It says hello.
user: and now?
model: Still hello.
user: go on
`, spoken(server))
	})

	t.Run("Gemini CLI's here", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{"notes.txt": "hello\n"})
		runOracle(t, h, h.answersFile(t, reading...), "-p", "read the notes")
		server := startFakeAPI(t, textAnswers(t, "Here.", 1))
		o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-r", "-p", "go on"}, Env: server.env()})
		require.Equal(t, 0, o.Code, o.Stderr)
		assert.Empty(t, server.problems())
		assert.Equal(t, `user: read the notes
model: call read_file {"file_path":"notes.txt"}
user: result read_file {"output":"hello\n"}
model: It says hello.
user: go on
`, spoken(server))
	})
}

// spoken returns the last request without the preamble.
func spoken(server api) string {
	log := server.Log()
	shown := sessionContext.ReplaceAllString(testbed.RenderMessages(log[len(log)-1].Parsed.Messages), "")
	return emptyText.ReplaceAllString(shown, "")
}
