package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answered returns a line of a file of answers: a call, or text if args is empty.
func answered(said, args string, prompt, candidates int) string {
	part, _ := json.Marshal(map[string]any{"text": said})
	if args != "" {
		part = []byte(`{"functionCall": {"name": "` + said + `", "args": ` + args + `}}`)
	}
	usage, _ := json.Marshal(map[string]int{"promptTokenCount": prompt, "candidatesTokenCount": candidates, "totalTokenCount": prompt + candidates})
	return `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [` + string(part) +
		`]}, "finishReason": "STOP"}], "usageMetadata": ` + string(usage) + `}]}` + "\n"
}

// agentAtWork returns a home with the answers for a run in which an agent reads a file.
func agentAtWork(t *testing.T) home {
	h := newHome(t, map[string]string{"notes.txt": "buy milk\n", "../.gemini/agents/scout.md": "---\nname: scout\ndescription: Looks around.\n---\nLook.\n"})
	h.write(t, "answers.jsonl", answered("invoke_agent", `{"agent_name": "scout", "prompt": "look"}`, 10, 1)+
		answered("read_file", `{"file_path": "notes.txt"}`, 100, 2)+
		answered("complete_task", `{"result": "buy milk"}`, 200, 3)+
		answered("Done.", "", 20, 4))
	return h
}

// TestAgentsAreCounted: an agent's requests, tokens and calls are in the numbers of the
// json format, under a separate role, and in telemetry. Its transcript is next to the
// session's.
func TestAgentsAreCounted(t *testing.T) {
	t.Parallel()
	h := agentAtWork(t)
	h.write(t, "../.gemini/settings.json", `{"telemetry": {"enabled": true, "target": "local", "otlpEndpoint": "", "outfile": "telemetry.log"}}`)
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-pro", "--yolo", "--fake-responses", "answers.jsonl", "-o", "json", "-p", "look"}})
	require.Equal(t, 0, o.Code, o.Stderr)
	var doc struct {
		Stats struct {
			Models map[string]struct {
				API   struct{ TotalRequests int }
				Roles map[string]struct {
					TotalRequests int
					Tokens        struct{ Prompt, Candidates int }
				}
			}
			Tools struct {
				TotalCalls int
				ByName     map[string]struct{ Count int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(o.Stdout), &doc))
	m := doc.Stats.Models["gemini-2.5-pro"]
	assert.Equal(t, 4, m.API.TotalRequests)
	assert.Equal(t, 2, m.Roles["subagent"].TotalRequests)
	assert.Equal(t, 300, m.Roles["subagent"].Tokens.Prompt)
	assert.Equal(t, 30, m.Roles["main"].Tokens.Prompt)
	assert.Equal(t, 3, doc.Stats.Tools.TotalCalls)
	for _, name := range []string{"invoke_agent", "read_file", "complete_task"} {
		assert.Equal(t, 1, doc.Stats.Tools.ByName[name].Count, name)
	}

	var told []string
	logs, _ := telemetryIn(t, filepath.Join(h.workspace, "telemetry.log"))
	var start, finish payload
	for _, a := range logs {
		switch a["event.name"] {
		case "gemini_cli.agent.start":
			start = a
			told = append(told, "start")
		case "gemini_cli.agent.finish":
			finish = a
			told = append(told, "finish")
		case "gemini_cli.api_request":
			told = append(told, a["role"].(string))
		case "gemini_cli.tool_call":
			told = append(told, a["function_name"].(string))
		}
	}
	assert.Equal(t, "main start subagent read_file subagent complete_task finish invoke_agent main", strings.Join(told, " "))
	assert.Equal(t, "scout", start["agent_name"])
	assert.Equal(t, start["agent_id"], finish["agent_id"])
	assert.Equal(t, "GOAL", finish["terminate_reason"])
	assert.EqualValues(t, 2, finish["turn_count"])

	chats, err := filepath.Glob(filepath.Join(h.dir, ".gemini/tmp/*/chats/*/*.jsonl"))
	require.NoError(t, err)
	require.Len(t, chats, 1)
	assert.Equal(t, start["agent_id"].(string)+".jsonl", filepath.Base(chats[0]))
	assert.Equal(t, start["session.id"], filepath.Base(filepath.Dir(chats[0])))
	kept, err := os.ReadFile(chats[0])
	require.NoError(t, err)
	for _, part := range []string{`"kind":"subagent"`, "read_file", `"summary":"buy milk"`} {
		assert.Contains(t, string(kept), part)
	}
}

// TestHooksOfAnAgentInOrder: the events of an agent's run fire between the events of the call
// that started it, in Gemini CLI's order and with the session's names, and contain the
// agent.
func TestHooksOfAnAgentInOrder(t *testing.T) {
	t.Parallel()
	h := agentAtWork(t)
	recorded := filepath.Join(h.dir, "recorded")
	require.NoError(t, os.Mkdir(recorded, 0o700))
	settings, err := recorderSettings(recorded, nil)
	require.NoError(t, err)
	h.write(t, "../.gemini/settings.json", string(settings))
	o := h.run(t, run{Args: []string{"-m", "gemini-2.5-pro", "--yolo", "--fake-responses", "answers.jsonl", "--hook-trace", "trace.jsonl", "-p", "look"}})
	require.Equal(t, 0, o.Code, o.Stderr)
	var order []string
	for line := range strings.Lines(h.read(t, "trace.jsonl")) {
		var rep struct {
			Event, Subject string
			AgentType      string `json:"agent_type"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &rep))
		order = append(order, strings.Join(strings.Fields(rep.AgentType+" "+rep.Event+" "+rep.Subject), " "))
	}
	assert.Equal(t, []string{
		"SessionStart startup", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel", "BeforeTool invoke_agent",
		"scout BeforeModel", "scout BeforeToolSelection", "scout AfterModel", "scout BeforeTool read_file", "scout AfterTool read_file",
		"scout BeforeModel", "scout BeforeToolSelection", "scout AfterModel", "scout BeforeTool complete_task", "scout AfterTool complete_task",
		"AfterTool invoke_agent", "BeforeModel", "BeforeToolSelection", "AfterModel", "AfterAgent", "SessionEnd exit",
	}, order)

	payloads, err := recordedIn(recorded)
	require.NoError(t, err)
	require.Len(t, payloads, len(order))
	var parent string
	for _, text := range payloads {
		var p struct {
			SessionID      string `json:"session_id"`
			TranscriptPath string `json:"transcript_path"`
			Cwd            string
		}
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		names := p.SessionID + " " + p.TranscriptPath + " " + p.Cwd
		if parent == "" {
			parent = names
		}
		assert.Equal(t, parent, names)
	}
}
