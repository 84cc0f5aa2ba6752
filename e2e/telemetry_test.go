package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// telemetryIn reads a telemetry file: logs in the order of their events, and the names of
// the metrics in its last object.
func telemetryIn(t *testing.T, path string) (logs []payload, metrics []string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var o struct {
			Attributes payload
			Scopes     []struct {
				Metrics []struct{ Descriptor struct{ Name string } }
			} `json:"scopeMetrics"`
		}
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return logs, metrics
		}
		require.NoError(t, err)
		if o.Attributes != nil {
			logs = append(logs, o.Attributes)
		}
		for _, s := range o.Scopes {
			metrics = nil
			for _, m := range s.Metrics {
				metrics = append(metrics, m.Descriptor.Name)
			}
		}
	}
}

// telemetryKeys lists what Gemini CLI 0.61 reports of a run: the keys of each event,
// except those that all events share. It omits what minigem does not have: a router that
// classifies, and its threshold.
var telemetryKeys = map[string]string{
	"gemini_cli.config": "api_key_enabled approval_mode core_tools_enabled debug_mode embedding_model extension_ids extensions extensions_count file_filtering_respect_git_ignore " +
		"log_user_prompts_enabled mcp_servers mcp_servers_count model output_format sandbox_enabled vertex_ai_enabled worktree_active",
	"gemini_cli.model_routing":               "approval_mode decision_model decision_source failed reasoning routing_latency_ms",
	"gemini_cli.plan.approval_mode_duration": "duration_ms mode",
	"gemini_cli.user_prompt":                 "prompt prompt_id prompt_length",
	"gemini_cli.api_request":                 "model prompt_id request_text role",
	"gemini_cli.api_response": "cached_content_token_count duration_ms finish_reasons http.status_code input_token_count model output_token_count " +
		"prompt_id response_text role status_code thoughts_token_count tool_token_count total_token_count",
	"gemini_cli.tool_call": "content_length decision duration_ms function_args function_name prompt_id success tool_type",
	"gemini_cli.hook_call": "duration_ms exit_code hook_event_name hook_input hook_name hook_type stderr stdout success",
}

// TestTelemetry replays a recorded run of every common tool, with a hook, and compares the
// telemetry with Gemini CLI's.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"notes.txt": "hello world\nsecond line\n", "src/a.go": "package a\n\nfunc A() int { return 1 }\n",
		".gemini/settings.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "name": "record", "command": "cat >/dev/null"}]}]},
			"telemetry": {"enabled": true, "target": "local", "otlpEndpoint": "", "logPrompts": true, "outfile": "out/telemetry.log"}}`,
	})
	model, err := filepath.Abs("testdata/reference/tools/model.responses")
	require.NoError(t, err)
	o := h.run(t, run{
		Args: []string{"-m", "gemini-2.5-flash", "--yolo", "--fake-responses", model, "-p", "Change the greeting"},
		Env:  []string{"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_API_KEY=AIzaSyTestTestTestTestTestTestTestTest0"},
	})
	require.Equal(t, 0, o.Code, o.Stderr)
	logs, metrics := telemetryIn(t, filepath.Join(h.workspace, "out", "telemetry.log"))

	var order, calls []string
	for _, a := range logs {
		name := a["event.name"].(string)
		order = append(order, strings.TrimPrefix(name, "gemini_cli."))
		if name == "gemini_cli.tool_call" {
			decision, _ := a["decision"].(string)
			calls = append(calls, strings.TrimSpace(a["function_name"].(string)+" "+decision))
			assert.Equal(t, a["success"] == false, a["error_type"] != nil)
		}
		want, ok := telemetryKeys[name]
		if !ok {
			continue
		}
		common := strings.Fields("auth_type event.name event.timestamp installation.id interactive session.id")
		got := slices.DeleteFunc(slices.Sorted(maps.Keys(a)), func(k string) bool {
			return slices.Contains(common, k) || strings.HasPrefix(k, "error") || k == "metadata"
		})
		if a["function_name"] == "no_such_tool" {
			want = strings.Replace(want, "decision ", "", 1)
		}
		assert.Equal(t, want, strings.Join(got, " "), name)
		assert.Equal(t, "gemini-api-key", a["auth_type"])
		assert.Equal(t, logs[0]["session.id"], a["session.id"])
	}
	asked := "api_request gen_ai.client.inference.operation.details api_response gen_ai.client.inference.operation.details "
	assert.Equal(t, "config hook_call user_prompt model_routing "+asked+"file_operation tool_call "+asked+"tool_call tool_call "+
		asked+"file_operation tool_call tool_call tool_call tool_call tool_call tool_call "+asked+"plan.approval_mode_duration conversation_finished",
		strings.Join(order, " "))
	assert.Equal(t, []string{
		"read_file accept", "replace accept", "run_shell_command accept", "write_file accept", "glob accept", "grep_search accept",
		"list_directory accept", "read_file accept", "no_such_tool",
	}, calls)
	assert.Subset(t, metrics, []string{
		"gemini_cli.session.count", "gemini_cli.tool.call.count", "gemini_cli.api.request.count", "gemini_cli.token.usage",
		"gemini_cli.hook_call.count", "gemini_cli.lines.changed", "gemini_cli.tool.call.latency", "gen_ai.client.token.usage",
	})
	data, err := os.ReadFile(filepath.Join(h.workspace, "out", "telemetry.log"))
	require.NoError(t, err)
	assert.NotContains(t, string(data), "AIzaSyTest")
}

// TestTelemetrySettings: telemetry is off unless enabled. Invalid settings end the run,
// but an unwritable file does not.
func TestTelemetrySettings(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"file": ""})
	answers := h.answersFile(t, "say Hi.")
	for _, c := range []struct {
		env    []string
		code   int
		stderr string // part of it; empty: no message
	}{
		{nil, 0, ""},
		{[]string{"GEMINI_TELEMETRY_OUTFILE=never.log"}, 0, ""},
		{[]string{"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=mars"}, 52, `minigem: the target of telemetry is "mars": it must be local or gcp`},
		{[]string{"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=gcp", "GEMINI_TELEMETRY_OTLP_ENDPOINT=http://127.0.0.1:1"}, 0, "[WARNING] telemetry does not go to Google Cloud directly: it goes to the collector at http://127.0.0.1:1\n[WARNING] telemetry cannot be sent: "},
		{[]string{"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_OUTFILE=file/x.log"}, 0, "[WARNING] starting telemetry: mkdir "},
	} {
		o := h.run(t, run{Args: append(answers, "-p", "hello"), Env: c.env})
		assert.Equal(t, c.code, o.Code, o.Stderr)
		if c.stderr == "" {
			assert.Empty(t, o.Stderr)
		}
		assert.Contains(t, o.Stderr, c.stderr)
	}
	assert.NoFileExists(t, filepath.Join(h.workspace, "never.log"))
}
