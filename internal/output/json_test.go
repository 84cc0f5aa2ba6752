package output

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
	"minigem/tools"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// session is a run with a failed round, a successful tool and a failed one.
func session() []event.Event {
	done := func(name string, status event.ToolStatus, display any) event.Event {
		return event.ToolFinished{Record: event.ToolRecord{
			Call: llm.ToolCall{ID: name + "__1", Name: name}, Status: status, Display: display, Decision: event.DecisionAccept,
			ErrorType: "file_not_found", ErrorMessage: "File not found: /a", Started: noon, Finished: noon.Add(5 * time.Millisecond),
		}}
	}
	return []event.Event{
		event.RoundFailed{Model: "m", Latency: time.Millisecond, Err: &llm.Error{Kind: llm.ErrOverloaded}},
		event.TextDelta{Text: "<reading>"},
		event.ToolRequested{Call: llm.ToolCall{ID: "replace__1", Name: "replace", Args: map[string]any{"file_path": "a"}}},
		event.RoundFinished{Model: "m", Latency: 2 * time.Millisecond, Usage: &llm.Usage{Prompt: 10, Cached: 4, Candidates: 3, Total: 13}},
		done("replace", event.ToolSuccess, tools.FileDiff{DiffStat: tools.DiffStat{ModelAddedLines: 3, ModelRemovedLines: 1}}),
		done("read_file", event.ToolError, "File not found."),
		done("glob", event.ToolCancelled, nil),
		event.Blocked{Reason: "no"},
	}
}

func TestJSON(t *testing.T) {
	var out, errOut strings.Builder
	j := &JSON{Out: &out, Err: &errOut, Stats: &Stats{}}
	for _, e := range session() {
		j.Emit(e)
	}
	require.NoError(t, j.Finish(Answer{Session: "S", Text: "<done>"}, nil))
	want := `{
  "session_id": "S",
  "response": "<done>",
  "stats": {
    "models": {
      "m": {
        "api": {"totalRequests": 2, "totalErrors": 1, "totalLatencyMs": 3, "errorsByType": {"overloaded": 1}},
        "tokens": {"input": 6, "prompt": 10, "candidates": 3, "total": 13, "cached": 4, "thoughts": 0, "tool": 0},
        "roles": {"main": {"totalRequests": 2, "totalErrors": 1, "totalLatencyMs": 3,
          "tokens": {"input": 6, "prompt": 10, "candidates": 3, "total": 13, "cached": 4, "thoughts": 0, "tool": 0}}}
      }
    },
    "tools": {
      "totalCalls": 3, "totalSuccess": 1, "totalFail": 2, "totalDurationMs": 15,
      "totalDecisions": {"accept": 3, "reject": 0, "modify": 0, "auto_accept": 0},
      "byName": {
        "replace": {"count": 1, "success": 1, "fail": 0, "durationMs": 5, "decisions": {"accept": 1, "reject": 0, "modify": 0, "auto_accept": 0}},
        "read_file": {"count": 1, "success": 0, "fail": 1, "durationMs": 5, "decisions": {"accept": 1, "reject": 0, "modify": 0, "auto_accept": 0}},
        "glob": {"count": 1, "success": 0, "fail": 1, "durationMs": 5, "decisions": {"accept": 1, "reject": 0, "modify": 0, "auto_accept": 0}}
      }
    },
    "files": {"totalLinesAdded": 3, "totalLinesRemoved": 1}
  },
  "warnings": ["Agent execution blocked: no"]
}`
	assert.JSONEq(t, want, out.String())
	assert.Contains(t, out.String(), `"response": "<done>"`)
	assert.False(t, strings.HasSuffix(out.String(), "\n"))
	assert.Empty(t, errOut.String())
}

func TestJSONFailure(t *testing.T) {
	var out, errOut strings.Builder
	j := &JSON{Out: &out, Err: &errOut, Stats: &Stats{}}
	require.NoError(t, j.Finish(Answer{Session: "S"}, FailureOf(&llm.Error{Kind: llm.ErrAuth, Message: "the key was refused"}, 41)))
	assert.Empty(t, out.String())
	assert.JSONEq(t, `{"session_id":"S","error":{"type":"auth","message":"the key was refused","code":41}}`, errOut.String())
}

func TestStreamJSON(t *testing.T) {
	var out strings.Builder
	s := &StreamJSON{Out: &out, Stats: &Stats{}, Now: func() time.Time { return noon }}
	s.Begin("S", "m", "hi")
	for _, e := range session() {
		s.Emit(e)
	}
	s.Hook(hooks.Report{Event: "BeforeTool", Subject: "replace", Effect: hooks.Effect{Kind: "deny"}, Runs: []hooks.Run{{Hook: hooks.Hook{Name: "guard"}}, {Hook: hooks.Hook{Name: "other"}, Skipped: "disabled"}}})
	s.Hook(hooks.Report{Event: "AfterTool", Runs: []hooks.Run{{Skipped: "did not match"}}})
	s.Finish("", nil)
	want := []string{
		`{"type":"init","timestamp":"2026-01-02T12:00:00.000Z","session_id":"S","model":"m"}`,
		`{"type":"message","timestamp":"2026-01-02T12:00:00.000Z","role":"user","content":"hi"}`,
		`{"type":"message","timestamp":"2026-01-02T12:00:00.000Z","role":"assistant","content":"<reading>","delta":true}`,
		`{"type":"tool_use","timestamp":"2026-01-02T12:00:00.000Z","tool_name":"replace","tool_id":"replace__1","parameters":{"file_path":"a"}}`,
		`{"type":"tool_result","timestamp":"2026-01-02T12:00:00.000Z","tool_id":"replace__1","status":"success"}`,
		`{"type":"tool_result","timestamp":"2026-01-02T12:00:00.000Z","tool_id":"read_file__1","status":"error","output":"File not found.","error":{"type":"file_not_found","message":"File not found: /a"}}`,
		`{"type":"tool_result","timestamp":"2026-01-02T12:00:00.000Z","tool_id":"glob__1","status":"error","error":{"type":"cancelled","message":"File not found: /a"}}`,
		`{"type":"error","timestamp":"2026-01-02T12:00:00.000Z","severity":"warning","message":"Agent execution blocked: no"}`,
		`{"type":"hook","timestamp":"2026-01-02T12:00:00.000Z","hook_event_name":"BeforeTool","subject":"replace","hooks":["guard"],"effect":"deny","duration_ms":0}`,
		`{"type":"result","timestamp":"2026-01-02T12:00:00.000Z","status":"success","stats":{"total_tokens":13,"input_tokens":10,"output_tokens":3,"cached":4,"input":6,"duration_ms":0,"tool_calls":3,"models":{"m":{"total_tokens":13,"input_tokens":10,"output_tokens":3,"cached":4,"input":6}}}}`,
	}
	assert.Equal(t, strings.Join(want, "\n")+"\n", out.String())
}

func TestStreamJSONEndsWithAResult(t *testing.T) {
	var out strings.Builder
	s := &StreamJSON{Out: &out, Stats: &Stats{}, Now: func() time.Time { return noon }}
	s.Finish("", FailureOf(errors.New("no key"), 41))
	var last map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &last))
	assert.Equal(t, map[string]any{"type": "Error", "message": "no key", "code": 41.0}, last["error"])
	assert.Equal(t, "error", last["status"])
}

func TestStreamJSONReportsAClosedPipeOnce(t *testing.T) {
	f, told := &failing{}, 0
	s := &StreamJSON{Out: f, Stats: &Stats{}, Broken: func(error) { told++ }}
	s.Begin("S", "m", "hi")
	assert.Equal(t, []int{1, 1}, []int{f.n, told})
}

// TestStatsSnapshot checks that a snapshot does not change afterwards.
func TestStatsSnapshot(t *testing.T) {
	s := &Stats{}
	for _, e := range session() {
		s.Emit(e)
	}
	before := s.Snapshot()
	one, err := json.Marshal(before)
	require.NoError(t, err)
	for _, e := range session() {
		s.Emit(e)
	}
	two, err := json.Marshal(before)
	require.NoError(t, err)
	assert.Equal(t, string(one), string(two))
}
