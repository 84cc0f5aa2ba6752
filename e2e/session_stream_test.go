package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streamed returns a stream-json output in short form, one event a line. It checks that
// every line is an object with a type and an instant.
func streamed(t *testing.T, stdout string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(stdout) {
		require.True(t, strings.HasSuffix(line, "\n"), "the last line is whole: %s", line)
		var e struct {
			Type, Timestamp, Role, Content, Status, Severity, Message, Effect, Subject string
			ToolName                                                                   string `json:"tool_name"`
			Hook                                                                       string `json:"hook_event_name"`
			Hooks                                                                      []string
			Error                                                                      *struct {
				Type, Message string
				Code          int
			}
			Stats *struct {
				Total int `json:"total_tokens"`
				Calls int `json:"tool_calls"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		assert.Regexp(t, regexp.MustCompile(`^`+instants.String()+`$`), e.Timestamp)
		b.WriteString(e.Type)
		for _, word := range []string{e.Role, e.Content, e.ToolName, e.Status, e.Severity, e.Message, e.Hook, e.Subject, e.Effect, strings.Join(e.Hooks, ",")} {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		if e.Error != nil {
			fmt.Fprintf(&b, " (%s: %s; %d)", e.Error.Type, e.Error.Message, e.Error.Code)
		}
		if e.Stats != nil {
			fmt.Fprintf(&b, " %d tokens, %d calls", e.Stats.Total, e.Stats.Calls)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// oneHookSettings returns settings with a single hook, which prints a JSON object.
func oneHookSettings(event, says string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "name": "h", "command": "cat >/dev/null; echo '` + strings.ReplaceAll(says, `"`, `\"`) + `'"}]}]}}`
}

// TestStreamEndsWithResult: however a run ends, the last line is the result.
func TestStreamEndsWithResult(t *testing.T) {
	t.Parallel()
	const begun = "init\nmessage user go\n"
	const listing = `call list_directory {"dir_path": "."}`
	for _, c := range []struct {
		name     string
		settings string
		answers  string
		args     string
		code     int
		want     string
	}{
		// success
		{"an answer", "", "say Hello\nsay  there.", "", 0, begun + "message assistant Hello\nmessage assistant  there.\nresult success 110 tokens, 0 calls\n"},
		{"a call", "", listing + "\n\nsay Done.", "", 0, begun + "tool_use list_directory\ntool_result success\nmessage assistant Done.\nresult success 220 tokens, 1 calls\n"},
		{"a call that fails", "", `call read_file {"file_path": "none"}` + "\n\nsay Done.", "", 0, begun + "tool_use read_file\ntool_result error (file_not_found: File not found: {project}/none; 0)\nmessage assistant Done.\nresult success 220 tokens, 1 calls\n"},
		// API errors
		{"the API fails", `{"general": {"maxAttempts": 1}}`, `fault {"status": 503, "message": "Busy"}`, "", 1, begun + "result error (overloaded: the server of gemini-2.5-flash has trouble (503: Busy): try again later, or choose another model with --model; 1) 0 tokens, 0 calls\n"},
		{"the key is refused", "", `fault {"status": 401, "message": "Who?"}`, "", 41, begun + "result error (auth: the credentials were refused: Who?: check the key; for Vertex AI run: gcloud auth application-default login; 41) 0 tokens, 0 calls\n"},
		{"the answer is asked for again", "", "say One\nsay  two.\nfault {\"after\": 1, \"cut\": true}\n\nsay One two.", "", 0, begun + "message assistant One\nerror warning the answer broke off; asking again\nmessage assistant One two.\nresult success 110 tokens, 0 calls\n"},
		// limits
		{"the turn limit", `{"model": {"maxSessionTurns": 1}}`, listing + "\n\nsay Never.", "", 53, begun + "tool_use list_directory\ntool_result success\nresult error (FatalTurnLimitedError: the limit of turns for this session is reached: raise model.maxSessionTurns in the settings; 53) 110 tokens, 1 calls\n"},
		// hooks
		{"BeforeAgent stops", oneHookSettings("BeforeAgent", `{"continue": false, "stopReason": "enough"}`), "say Never.", "", 0, begun + "error warning Agent execution stopped: enough\nresult success 0 tokens, 0 calls\n"},
		{"BeforeAgent denies", oneHookSettings("BeforeAgent", `{"decision": "deny", "reason": "no"}`), "say Never.", "", 0, begun + "error warning Agent execution blocked: no\nresult success 0 tokens, 0 calls\n"},
		{"BeforeModel denies", oneHookSettings("BeforeModel", `{"decision": "deny", "reason": "no"}`), "say Never.", "", 0, begun + "error warning Agent execution blocked: no\nresult success 0 tokens, 0 calls\n"},
		{"AfterModel stops", oneHookSettings("AfterModel", `{"continue": false, "stopReason": "enough"}`), "say Never.", "", 0, begun + "error warning Agent execution stopped: enough\nresult success 110 tokens, 0 calls\n"},
		{"AfterTool stops", oneHookSettings("AfterTool", `{"continue": false, "stopReason": "enough"}`), listing + "\n\nsay Never.", "", 0, begun + "tool_use list_directory\ntool_result error (stop_execution: Agent execution stopped by hook: enough; 0)\nerror warning Agent execution stopped: enough\nresult success 110 tokens, 1 calls\n"},
		{"BeforeTool denies", oneHookSettings("BeforeTool", `{"decision": "deny", "reason": "no"}`), listing + "\n\nsay Could not.", "", 0, begun + "tool_use list_directory\ntool_result error (policy_violation: Tool execution blocked: no; 0)\nmessage assistant Could not.\nresult success 220 tokens, 1 calls\n"},
		// hook events, if requested
		{"hook events", oneHookSettings("BeforeTool", `{"decision": "deny", "reason": "no"}`), listing + "\n\nsay Could not.", "--include-hook-events", 0, begun + "tool_use list_directory\nhook BeforeTool list_directory deny h\ntool_result error (policy_violation: Tool execution blocked: no; 0)\nmessage assistant Could not.\nresult success 220 tokens, 1 calls\n"},
		{"no hook ran", "", "say Hello.", "--include-hook-events", 0, begun + "message assistant Hello.\nresult success 110 tokens, 0 calls\n"},
		// before the run begins
		{"broken settings", `{`, "say Never.", "", 52, "result error (FatalConfigError: reading settings: {project}/.gemini/settings.json:1:2: parsing value: unexpected EOF: correct the file, or move it away; 52) 0 tokens, 0 calls\n"},
		{"no such session", "", "say Never.", "-r 7", 42, "result error (FatalInputError: opening the session: session index 7 is out of range: this project has no saved sessions; minigem --list-sessions shows those of this folder; 42) 0 tokens, 0 calls\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			entries, err := parseAnswers("answers", c.answers)
			require.NoError(t, err)
			h := newHome(t, nil)
			if c.settings != "" {
				h.write(t, ".gemini/settings.json", c.settings)
			}
			server := startFakeAPI(t, entries)
			args := append([]string{"-m", "gemini-2.5-flash", "-o", "stream-json", "-p", "go"}, strings.Fields(c.args)...)
			o := h.run(t, run{Args: args, Env: append(server.env(), "GEMINI_CLI_TRUST_WORKSPACE=true")})
			assert.Equal(t, c.code, o.Code, o.Stderr)
			assert.Equal(t, strings.ReplaceAll(c.want, "{project}", h.workspace), streamed(t, o.Stdout))
			h.assertTidy(t, o)
		})
	}
}

// TestStreamEndsWithResultAfterSignal: a signal also ends the stream with a result.
func TestStreamEndsWithResultAfterSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals to send to a process")
	}
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		code   int
		want   string
	}{
		{"interrupt", syscall.SIGINT, 130, "result error (FatalCancellationError: interrupted; 130) 110 tokens, 1 calls\n"},
		{"terminate", syscall.SIGTERM, 143, "result error (unknown: terminated; 143) 110 tokens, 1 calls\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			args := append(h.answersFile(t, `call run_shell_command {"command": "touch started; sleep 3600"}`), "--yolo", "-o", "stream-json", "-p", "go")
			cmd, stdout, stderr := h.command(t, run{Args: args})
			require.NoError(t, cmd.Start())
			waittest.Until(t, func() bool { _, err := os.Stat(filepath.Join(h.workspace, "started")); return err == nil })
			require.NoError(t, cmd.Process.Signal(c.signal))
			_ = cmd.Wait() // the exit code is checked below
			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), stderr.String())
			got := streamed(t, stdout.String())
			assert.Regexp(t, `^init\nmessage user go\ntool_use run_shell_command\ntool_result error \(cancelled: .*; 0\)\n`, got)
			assert.True(t, strings.HasSuffix(got, "\n"+c.want), got)
			h.assertTidy(t, outcome{Stderr: stderr.String()})
		})
	}
}
