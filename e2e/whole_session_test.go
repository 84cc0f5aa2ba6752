package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTraceOfAWholeSession: the trace of a session with a skill, an MCP tool, an agent
// that the session's guard refuses a tool, and a plan is complete: it has each event and
// each call in order, with its agent, as lines and as a page, with hooks in either
// dialect.
func TestTraceOfAWholeSession(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the MCP server is a script of bash, which is not here")
	}
	for name, more := range map[string][]string{"whole_session": {"BeforeModel", "BeforeToolSelection", "AfterModel"}, "whole_session_claude": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, answers := sessionOf(t, "testdata/cases/"+name+".txtar")
			o := h.run(t, run{Args: append(answers, "--skip-trust", "--yolo", "--hook-trace", "trace.jsonl", "-p", "Do all of it")})
			require.Equal(t, 0, o.Code, o.Stderr)
			assert.Contains(t, o.Stdout, "Planned.")
			assert.NoFileExists(t, filepath.Join(h.workspace, "notes.txt"))
			trace := h.read(t, "trace.jsonl")
			var seen, events []string
			for line := range strings.Lines(trace) {
				var rep struct {
					Event, Subject string
					AgentType      string `json:"agent_type"`
					Verdict        struct{ Decision string }
				}
				require.NoError(t, json.Unmarshal([]byte(line), &rep))
				events = append(events, rep.Event)
				if rep.Event == "BeforeTool" {
					seen = append(seen, strings.TrimSpace(rep.AgentType+" "+rep.Subject+" "+rep.Verdict.Decision))
				}
			}
			assert.Equal(t, []string{
				"activate_skill proceed", "mcp_rules_judge proceed", "invoke_agent proceed", "writer write_file deny", "writer complete_task proceed",
				"enter_plan_mode proceed", "write_file proceed", "exit_plan_mode proceed",
			}, seen)
			for _, ev := range append(more, "SessionStart", "BeforeAgent", "SubagentStart", "SubagentStop", "AfterTool", "AfterAgent", "SessionEnd") {
				assert.Contains(t, events, ev)
			}
			o = h.run(t, run{Args: []string{"hooks", "view", "trace.jsonl"}})
			require.Equal(t, 0, o.Code, o.Stderr)
			page := o.Stdout
			for _, part := range []string{"activate_skill", "mcp_rules_judge", "exit_plan_mode", "SubagentStop", "notes are written by people", "writer"} {
				assert.Contains(t, page, part)
			}
		})
	}
}

// sessionOf makes a home from the files of a case and returns the flags that name its
// answers. An agent's answers follow the answer with its call.
func sessionOf(t *testing.T, path string) (home, []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	files := map[string]string{}
	var main, agent []string
	for _, f := range txtar.Parse(data).Files {
		switch text := string(f.Data); {
		case f.Name == "model":
			main = strings.Split(strings.TrimSpace(text), "\n\n")
		case strings.HasPrefix(f.Name, "model agent="):
			agent = strings.Split(strings.TrimSpace(text), "\n\n")
		case f.Name == "settings.json":
			files[".gemini/settings.json"] = text
		case strings.HasPrefix(f.Name, "home/"):
			files["../"+strings.TrimPrefix(f.Name, "home/")] = text
		default:
			files[f.Name] = text
		}
	}
	h := newHome(t, files)
	var all []string
	for _, a := range main {
		all = append(all, strings.Replace(a, "text ", "say ", 1))
		if strings.HasPrefix(a, "call invoke_agent") {
			all = append(all, agent...)
		}
	}
	h.agree(t)
	return h, h.answersFile(t, all...)
}

// agree trusts the folder and approves its agents as they are.
func (h home) agree(t *testing.T) {
	t.Helper()
	o := h.run(t, run{Args: []string{"trust"}})
	require.Equal(t, 0, o.Code, o.Stderr)
}
