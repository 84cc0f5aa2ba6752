package portable_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/agents"
	"minigem/hooks/portable"
	"minigem/hooks/protocol"
)

// recorded is a payload that a released agent sent to a hook.
type recorded struct {
	Agent string          `json:"agent"`
	Event string          `json:"event"` // EVENT, or EVENT.TOOL
	Stdin json.RawMessage `json:"stdin"`
}

func payloads(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open("testdata/payloads.jsonl")
	require.NoError(t, err)
	defer f.Close()
	var all []recorded
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		all = append(all, r)
	}
	require.Greater(t, len(all), 50)
	return all
}

// TestRecognize checks that every agent is recognized by its payload, whatever shell it
// was started in.
func TestRecognize(t *testing.T) {
	t.Parallel()
	inherited := func(name string) string {
		if name == "CLAUDECODE" || name == "CLAUDE_PROJECT_DIR" || name == "GEMINI_PROJECT_DIR" {
			return "/home/you/project"
		}
		return ""
	}
	seen := map[string]bool{}
	for _, r := range payloads(t) {
		name, _, _ := strings.Cut(r.Event, ".")
		for _, env := range []func(string) string{nil, inherited} {
			c, err := portable.Read(r.Stdin, portable.Options{Env: env})
			require.NoError(t, err, "%s %s", r.Agent, r.Event)
			if r.Event == "notification" && r.Agent == "copilot" { // it names the event in PascalCase in a camelCase payload
				name = "notification"
			}
			assert.Equal(t, r.Agent, c.Agent.ID, r.Event)
			assert.Equal(t, name, c.Native, r.Agent)
		}
		seen[r.Agent] = true
	}
	assert.Len(t, seen, 8)
	opencode, err := portable.Read([]byte(`{"hook_event_name":"tool.execute.before","cwd":"/w","tool_name":"bash","tool_input":{"command":"ls"}}`), portable.Options{})
	require.NoError(t, err)
	assert.Equal(t, "opencode", opencode.Agent.ID)
	assert.Equal(t, protocol.BeforeTool, opencode.Event)
}

// TestPayloads checks that a hook in Gemini CLI's dialect reads the same from each
// agent.
func TestPayloads(t *testing.T) {
	t.Parallel()
	args := map[string]string{"run_shell_command": "command", "write_file": "file_path", "replace": "file_path", "read_file": "file_path"}
	for _, r := range payloads(t) {
		c, err := portable.Read(r.Stdin, portable.Options{})
		require.NoError(t, err)
		if c.Event == "" {
			assert.Equal(t, [][]byte{c.Raw}, c.Payloads(protocol.Gemini()), "what has no counterpart is passed on")
			continue
		}
		for _, payload := range c.Payloads(protocol.Gemini()) {
			var in struct {
				protocol.BeforeToolInput
				Response struct {
					LLMContent string `json:"llmContent"`
					Error      *protocol.ToolError
				} `json:"tool_response"`
				Prompt string `json:"prompt"`
				Source string `json:"source"`
			}
			require.NoError(t, json.Unmarshal(payload, &in), "%s %s: %s", r.Agent, r.Event, payload)
			assert.Equal(t, c.Event, in.HookEventName)
			if c.Agent.ID != "gemini" { // Gemini CLI's own payload stays as it is
				assert.Regexp(t, `^\{"session_id":".*","transcript_path":.*"hook_event_name":.*"agent":\{"event":`, string(payload), "scripts that look for text rely on the order")
				assert.NotRegexp(t, `"tool_input".*"tool_name":.*"agent":`, string(payload))
			}
			switch c.Event {
			case protocol.BeforeTool, protocol.AfterTool:
				key := args[in.ToolName]
				require.NotEmpty(t, key, "%s %s: %s", r.Agent, r.Event, in.ToolName)
				assert.IsType(t, "", in.ToolInput[key], "%s %s: %v", r.Agent, r.Event, in.ToolInput)
				if c.Event == protocol.AfterTool && in.ToolName == "run_shell_command" && r.Agent != "copilotc" && !strings.Contains(r.Event, "Failure") {
					assert.Contains(t, in.Response.LLMContent, "hi", r.Agent)
				}
				if strings.Contains(r.Event, "Failure") {
					assert.NotNil(t, in.Response.Error, r.Agent)
				}
			case protocol.BeforeAgent:
				assert.NotEmpty(t, in.Prompt, r.Agent)
			case protocol.SessionStart:
				assert.Equal(t, "startup", in.Source, r.Agent)
			}
		}
	}
}

// TestAnswers checks that, for each recorded payload, its agent reads each answer as it
// was meant.
func TestAnswers(t *testing.T) {
	t.Parallel()
	answers := map[string]protocol.Output{
		"nothing": {}, "deny": protocol.DenyBecause("not yours"), "stop": protocol.StopBecause("enough"), "ask": {Decision: protocol.Ask, Reason: "sure?"},
		"context": {AdditionalContext: "know this"}, "rewrite": {ToolInput: map[string]any{"command": "true"}}, "allow": {Decision: protocol.Allow},
	}
	read := 0
	for _, r := range payloads(t) {
		c, err := portable.Read(r.Stdin, portable.Options{})
		require.NoError(t, err)
		point := c.Agent.PointOf(c.Native)
		if !c.Agent.Reads(point) {
			continue
		}
		for name, o := range answers {
			outs := make([]protocol.Output, len(c.Payloads(protocol.Gemini())))
			outs[len(outs)-1] = o
			s := c.Answer(outs...)
			got := c.Agent.Read(agents.Answer{Point: point, Exit: s.Exit, Stdout: s.Stdout, Stderr: s.Stderr})
			read++
			where := r.Agent + " " + r.Event + " " + name
			switch {
			case name == "nothing" || name == "allow":
				assert.Equal(t, agents.Allowed, got.Kind, where)
			case point == agents.BeforeTool && name != "context":
				prevents := got.Prevents() || name == "rewrite" && got.Kind == agents.Rewritten && len(s.Lost) == 0
				assert.True(t, prevents, "%s: %+v, read as %+v", where, s, got)
			case name == "deny" && (point == agents.BeforePrompt || point == agents.AgentStop) && len(s.Lost) == 0:
				assert.True(t, got.Prevents(), where)
			}
		}
	}
	assert.Greater(t, read, 250)
}

// TestRewritten checks that arguments return under the agent's names, and that
// arguments that the hook does not know stay.
func TestRewritten(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"claude": `"updatedInput":{"command":"true","description":"run it"}`, "codex": `"updatedInput":{"command":"true"}`,
		"copilot": `"modifiedArgs":{"command":"true","description":"run it","initial_wait":10,"mode":"sync"}`,
		"cline":   `"overrideInput":{"commands":["true"]}`, "gemini": `"tool_input":{"command":"true"}`,
	} {
		for _, r := range payloads(t) {
			event := strings.ToLower(r.Event)
			if r.Agent != agent || !strings.HasPrefix(event, "pretooluse.bash") && !strings.Contains(event, "pretooluse.run_commands") && event != "beforetool.run_shell_command" {
				continue
			}
			c, err := portable.Read(r.Stdin, portable.Options{})
			require.NoError(t, err)
			s := c.Answer(protocol.Output{ToolInput: map[string]any{"command": "true"}})
			assert.Contains(t, s.Stdout, want, agent)
			assert.Empty(t, s.Lost)
		}
	}
}

// TestSeveral checks that each file of a patch and each command of a list is judged
// separately, and that one refusal refuses the call.
func TestSeveral(t *testing.T) {
	t.Parallel()
	patch := "*** Begin Patch\n*** Add File: ok.txt\n+one\n*** Update File: b.txt\n*** Move to: .env\n@@\n-old\n+new\n*** Delete File: c.txt\n*** End Patch\n"
	data, err := json.Marshal(map[string]any{"session_id": "s", "turn_id": "t", "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": map[string]any{"command": patch}})
	require.NoError(t, err)
	var seen []string
	guard := func(in protocol.BeforeToolInput) protocol.Output {
		path, _ := in.ToolInput["file_path"].(string)
		seen = append(seen, in.ToolName+" "+path)
		if path == ".env" {
			return protocol.DenyBecause("not that file")
		}
		return protocol.Output{}
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 2, portable.Run(bytes.NewReader(data), &stdout, &stderr, nil, guard))
	assert.Contains(t, stderr.String(), "not that file")
	assert.Equal(t, []string{"write_file ok.txt", "replace b.txt", "write_file .env", "write_file c.txt"}, seen)

	cline := `{"clineVersion":"","taskId":"x","tool_call":{"name":"run_commands","input":{"commands":["ls","rm -rf /"]}},"preToolUse":{}}`
	stdout.Reset()
	rm := func(in protocol.BeforeToolInput) protocol.Output {
		if in.ToolInput["command"] == "rm -rf /" {
			return protocol.DenyBecause("no")
		}
		return protocol.Output{}
	}
	assert.Equal(t, 0, portable.Run(strings.NewReader(cline), &stdout, &stderr, nil, rm))
	assert.Contains(t, stdout.String(), `"cancel":true`)

	stdout.Reset()
	change := func(in protocol.BeforeToolInput) protocol.Output {
		if in.ToolInput["command"] == "ls" {
			return protocol.Output{ToolInput: map[string]any{"command": "ls -l"}}
		}
		return protocol.Output{}
	}
	portable.Run(strings.NewReader(cline), &stdout, &stderr, nil, change)
	assert.Contains(t, stdout.String(), `"cancel":true`, "a change to one of several cannot be said")
}

// TestRunRefusesWhatItCannotRead checks that a guard that does not work lets nothing
// pass.
func TestRunRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	hook := func(protocol.BeforeToolInput) protocol.Output { return protocol.Output{} }
	broken := func(protocol.BeforeToolInput) protocol.Output { panic("oh") }
	for name, c := range map[string]struct {
		stdin string
		hook  func(protocol.BeforeToolInput) protocol.Output
		says  string
		code  int
	}{
		"nothing":       {"", hook, "not a JSON object", 2},
		"no agent":      {`{"a":1}`, hook, "no known agent", 2},
		"another event": {`{"session_id":"s","hook_event_name":"Stop","permission_mode":"default"}`, hook, "this is a hook for BeforeTool", 1},
		"a panic":       {`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, broken, "oh", 2},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, c.code, portable.Run(strings.NewReader(c.stdin), &stdout, &stderr, nil, c.hook), name)
		assert.Contains(t, stderr.String(), c.says, name)
	}
}
