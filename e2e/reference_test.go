package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
)

// The recordings in testdata/reference are what Gemini CLI 0.61.0 did with scripted
// answers, with its own prose replaced by placeholders. These tests run the same scripts
// here and compare the input of hooks and the session file. Intended differences are
// listed below, each with its reason. Nothing else may differ.

// A difference changes a recorded payload to the expected one. nil drops the event.
type difference struct {
	reason string
	apply  func(payload) payload
}

type payload = map[string]any

var acceptedInputs = []difference{
	{"PreCompress fires only when history is about to be compressed (docs/spec/contract.md 1)", func(p payload) payload {
		if p["hook_event_name"] == "PreCompress" {
			return nil
		}
		return p
	}},
	{"prompt_response is the final answer of this attempt alone, not all that was said since the prompt (docs/spec/contract.md 2)", func(p payload) payload {
		if r, ok := p["prompt_response"].(string); ok {
			if i := strings.LastIndex(r, "\n"); i >= 0 {
				r = r[i+1:]
			}
			p["prompt_response"] = strings.TrimSuffix(r, " done.")
		}
		return p
	}},
	{"BeforeAgent and AfterAgent read the prompt as the user wrote it, without what SessionStart added (docs/spec/faults.md 38)", func(p payload) payload {
		if s, ok := p["prompt"].(string); ok {
			p["prompt"] = regexp.MustCompile(`(?s)^<hook_context>.*?</hook_context>\n\n`).ReplaceAllString(s, "")
		}
		return p
	}},
}

// ourAdditions removes what minigem adds to the payloads (docs/spec/contract.md 2).
func ourAdditions(p payload) payload {
	delete(p, "permission_mode")
	delete(p, "tool_use_id")
	delete(p, "agent_id")
	delete(p, "agent_type")
	delete(p, "full_content")
	if req, ok := p["llm_request"].(map[string]any); ok {
		delete(req, "tools")
		var messages []any
		for _, m := range req["messages"].([]any) {
			m := m.(map[string]any)
			if parts, ok := m["content"].([]any); ok {
				m["content"] = textOf(parts)
			}
			if m["content"] != "" {
				messages = append(messages, m)
			}
		}
		req["messages"] = messages
	}
	if resp, ok := p["llm_response"].(map[string]any); ok {
		delete(resp, "functionCalls")
	}
	return p
}

func textOf(parts []any) string {
	var b strings.Builder
	for _, q := range parts {
		if s, ok := q.(map[string]any)["text"].(string); ok {
			b.WriteString(s)
		}
	}
	return b.String()
}

type referenceCase struct {
	Prompt string            `json:"prompt"`
	Args   []string          `json:"args"`
	Files  map[string]string `json:"files"`
	Hooks  map[string]string `json:"hooks"`
	Exit   int               `json:"exit"`
}

func TestReferenceRecordings(t *testing.T) {
	dirs, err := filepath.Glob("testdata/reference/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var c referenceCase
			data, err := os.ReadFile(filepath.Join(dir, "case.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &c))
			for _, command := range c.Hooks {
				needs(t, strings.Fields(command)[0])
			}
			replayReference(t, dir, c)
		})
	}
}

func replayReference(t *testing.T, dir string, c referenceCase) {
	h := newHome(t, c.Files)
	recorded := filepath.Join(h.dir, "hook-inputs")
	require.NoError(t, os.Mkdir(recorded, 0o755))
	settings, err := recorderSettings(recorded, c.Hooks)
	require.NoError(t, err)
	h.write(t, ".gemini/settings.json", string(settings))
	model, err := filepath.Abs(filepath.Join(dir, "model.responses"))
	require.NoError(t, err)
	o := h.run(t, run{Args: append([]string{"--skip-trust", "--fake-responses", model, "-p", c.Prompt}, c.Args...)})
	require.Equal(t, c.Exit, o.Code, o.Stderr)

	want := readJSONLines(t, filepath.Join(dir, "hook-inputs.jsonl"))
	for _, d := range acceptedInputs {
		want = applyAll(want, d.apply)
	}
	inputs, err := recordedIn(recorded)
	require.NoError(t, err)
	got := applyAll(parseJSONLines(t, h.scrub(strings.Join(inputs, "\n"))), ourAdditions)
	assert.Equal(t, pretty(t, sortWaves(dropPaths(want))), pretty(t, sortWaves(dropPaths(got))))
	compareTranscripts(t, filepath.Join(dir, "transcript.jsonl"), h)
	compareOutput(t, filepath.Join(dir, "stdout.txt"), h.scrub(o.Stdout))
}

// recorderSettings returns settings with the hooks in own and a hook on each event that
// writes its input to a separate file in dir.
func recorderSettings(dir string, own map[string]string) ([]byte, error) {
	type hook map[string]any
	all := map[string]any{}
	for _, e := range protocol.Events {
		if e.IsAdded() {
			continue
		}
		hs := []hook{{"type": "command", "name": "recorder", "command": "cat > '" + dir + "'/$$.json"}}
		if command, ok := own[string(e)]; ok {
			hs = append(hs, hook{"type": "command", "name": "own", "command": command})
		}
		all[string(e)] = []hook{{"hooks": hs}}
	}
	return json.Marshal(map[string]any{"hooks": all})
}

var timestamp = regexp.MustCompile(`"timestamp":"([^"]*)"`)

// recordedIn reads the payloads that recorders wrote to dir, oldest first. Concurrent
// hooks run at the same time, so each payload has a separate file.
func recordedIn(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		out = append(out, string(data))
	}
	slices.SortStableFunc(out, func(a, b string) int {
		return strings.Compare(timestamp.FindString(a), timestamp.FindString(b))
	})
	return out, nil
}

// scrub replaces our paths by the recordings' paths.
func (h home) scrub(line string) string {
	line = strings.ReplaceAll(line, h.workspace, "/home/user/project")
	return strings.ReplaceAll(line, h.dir, "/home/user")
}

var sessionContext = regexp.MustCompile(`(?s)<session_context>.*?</session_context>`)
var pgid = regexp.MustCompile(`Process Group PGID: \d+`)

func readJSONLines(t *testing.T, file string) []payload {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return parseJSONLines(t, string(data))
}

func parseJSONLines(t *testing.T, text string) []payload {
	t.Helper()
	var out []payload
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var p payload
		require.NoError(t, json.Unmarshal([]byte(line), &p), line)
		out = append(out, normal(p).(payload))
	}
	return out
}

// normal replaces what differs from run to run in every string.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = normal(x)
		}
	case []any:
		for i, x := range v {
			v[i] = normal(x)
		}
	case string:
		v = sessionContext.ReplaceAllString(v, "<session_context>...</session_context>")
		return pgid.ReplaceAllString(v, "Process Group PGID: 1")
	}
	return v
}

func applyAll(ps []payload, f func(payload) payload) []payload {
	var out []payload
	for _, p := range ps {
		if p = f(p); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// dropPaths removes the fields that differ in every run.
func dropPaths(ps []payload) []payload {
	for _, p := range ps {
		for _, k := range []string{"session_id", "transcript_path", "timestamp"} {
			delete(p, k)
		}
	}
	return ps
}

// sortWaves sorts the tool events between two requests, because calls run concurrently.
// The events of one call keep their order.
func sortWaves(ps []payload) []payload {
	isTool := func(p payload) bool { return p["tool_name"] != nil }
	for i := 0; i < len(ps); {
		j := i
		for j < len(ps) && isTool(ps[j]) {
			j++
		}
		slices.SortStableFunc(ps[i:j], func(a, b payload) int {
			return strings.Compare(waveKey(a), waveKey(b))
		})
		i = max(j, i+1)
	}
	return ps
}

func waveKey(p payload) string {
	name, _ := p["tool_name"].(string)
	if first, ok := p["original_request_name"].(string); ok {
		return first + "\x01" + name
	}
	return name
}

func pretty(t *testing.T, ps []payload) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	for _, p := range ps {
		require.NoError(t, e.Encode(p))
	}
	return b.String()
}
