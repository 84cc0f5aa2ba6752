package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/exit"
	"minigem/internal/trials"
)

const guarded = `{
  // who guards
  "hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [
    {"type": "command", "name": "guard", "command": "./guard.sh"}
  ]}]}
}`

// guardScript denies files that begin with a dot.
const guardScript = `#!/bin/sh
if grep -q '"file_path":"\.'; then
  echo "dot files are mine" >&2
  exit 2
fi
`

func guardedWorld(t *testing.T) hookWorld {
	return newHookWorld(t, map[string]string{".gemini/settings.json": guarded, "guard.sh": guardScript})
}

func TestHooksExplain(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t)
	got := w.run("hooks explain")
	assert.Equal(t, 0, got.code, got.err)
	assert.Equal(t, `BeforeTool: 1 of 1 hook would run
  1  guard  .gemini/settings.json:4  project  runs for write_file (matcher "write_file")
       not yet trusted: this project's hooks were never trusted
  note: these hooks run before the policy: they also see calls that a policy then refuses

loaded 1 hook from 1 file
  1 hook from .gemini/settings.json (project)
  not there: ~/.gemini/settings.json (user)
  not there: SYS/system-defaults.json (system-defaults)
  not there: SYS/settings.json (system)
  not there: ~/.gemini/extensions (extension)
`, got.out)
	untrusted := w.run("hooks explain BeforeTool", "GEMINI_CLI_TRUST_WORKSPACE=false")
	assert.Contains(t, untrusted.out, "does not run: not trusted: this folder is not trusted")
	assert.Contains(t, untrusted.out, "loaded 0 hooks from 0 files\n  not read: .gemini/settings.json (project): ")
	empty := newHookWorld(t, nil).run("hooks explain BeforeTool", "GEMINI_CLI_TRUST_WORKSPACE=false")
	assert.Contains(t, empty.out, "  not there: .gemini/settings.json (project)\n", "a file that does not exist is not distrusted")
	assert.Contains(t, w.run("hooks explain AfterTool").out, "AfterTool: no hook is configured for it\n")
	assert.Contains(t, w.run("hooks explain --tool glob").out, `does not run: matcher "write_file" does not match "glob"`)
	assert.Contains(t, w.run("hooks why guard").out, "runs for write_file")
}

func TestHooksExplainJSON(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t)
	sys, out, _ := w.sys()
	sys.Stdin = strings.NewReader(`{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{}}`)
	require.Equal(t, 0, run(strings.Fields("hooks explain --input - --json"), sys))
	var x struct {
		Loaded int
		Events []struct {
			Event, Subject string
			Hooks          []struct {
				Order   int
				ID      string
				RunsFor []string `json:"runs_for"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &x))
	require.Len(t, x.Events, 1)
	assert.Equal(t, 1, x.Loaded)
	assert.Equal(t, "BeforeTool write_file", x.Events[0].Event+" "+x.Events[0].Subject)
	assert.Equal(t, []string{"write_file"}, x.Events[0].Hooks[0].RunsFor)
}

func TestHooksPayloadAndFire(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t)
	payload := w.run("hooks payload BeforeTool --set tool_input.file_path=.env")
	require.Equal(t, 0, payload.code, payload.err)
	assert.Contains(t, payload.out, `"tool_name":"write_file","tool_input":{"content":"hello\n","file_path":".env"}}`+"\n")

	passed := w.run("hooks fire BeforeTool")
	assert.Equal(t, 0, passed.code, passed.err)
	assert.Contains(t, passed.out, "BeforeTool write_file: goes on\n")
	denied := w.run("hooks fire BeforeTool --set tool_input.file_path=.env")
	assert.Equal(t, trials.ExitDenied, denied.code)
	assert.Contains(t, denied.out, "denied by guard: dot files are mine\n")
	assert.Contains(t, denied.out, "  stderr   dot files are mine\n")
	asJSON := w.run("hooks fire BeforeTool --json --set tool_input.file_path=.env")
	assert.Equal(t, trials.ExitDenied, asJSON.code)
	assert.Contains(t, asJSON.out, `"decision": "deny"`)

	// the printed input is read again
	sys, out, _ := w.sys()
	sys.Stdin = strings.NewReader(payload.out)
	assert.Equal(t, trials.ExitDenied, run(strings.Fields("hooks fire BeforeTool --input -"), sys))
	assert.Contains(t, out.String(), "denied by guard")

	// a folder that is not trusted runs nothing, unless told to
	held := w.run("hooks fire BeforeTool --set tool_input.file_path=.env", "GEMINI_CLI_TRUST_WORKSPACE=false")
	assert.Equal(t, 0, held.code)
	assert.Contains(t, held.out, "did not run: not trusted")
	assert.Equal(t, trials.ExitDenied, w.run("hooks fire BeforeTool --skip-trust --set tool_input.file_path=.env", "GEMINI_CLI_TRUST_WORKSPACE=false").code)
}

func TestHooksFireFailures(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"slow.sh": "#!/bin/sh\nexec sleep 3600\n",
		".gemini/settings.json": `{"hooks": {
			"BeforeAgent": [{"hooks": [{"type": "command", "command": "./slow.sh"}]}],
			"AfterAgent": [{"hooks": [{"type": "command", "command": "./none.sh"}]}]}}`,
	})
	slow := w.run("hooks fire BeforeAgent --timeout 50ms")
	assert.Equal(t, exit.Failed, slow.code)
	assert.Contains(t, slow.out, "timed out after 50ms")
	none := w.run("hooks fire AfterAgent")
	assert.Equal(t, exit.Failed, none.code)
	assert.Contains(t, none.out, "exit 127")
}

func TestHooksPayloadFromTranscript(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"claude.jsonl": `{"type":"user","sessionId":"c1","message":{"content":"please look"}}
{"type":"assistant","sessionId":"c1","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","sessionId":"c1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}}
{"type":"assistant","sessionId":"c1","message":{"content":[{"type":"text","text":"one file"}]}}
`,
	})
	for event, want := range map[string]string{
		"BeforeAgent": `"prompt":"please look"}`,
		"BeforeTool":  `"tool_name":"run_shell_command","tool_input":{"command":"ls"}}`,
		"AfterTool":   `"tool_response":{"llmContent":"a.txt","returnDisplay":"a.txt"}}`,
		"AfterAgent":  `"prompt_response":"one file","stop_hook_active":false}`,
		"BeforeModel": `{"role":"user","content":[{"type":"function_response","name":"run_shell_command","response":{"output":"a.txt"},"id":"t1"}]},{"role":"model","content":"one file"}]`,
	} {
		got := w.run("hooks payload " + event + " --from-transcript claude.jsonl")
		assert.Equal(t, 0, got.code, got.err)
		assert.Contains(t, got.out, want, event)
		assert.Contains(t, got.out, `{"session_id":"c1","transcript_path":"PROJECT/claude.jsonl"`, event)
	}
	assert.Contains(t, w.run("hooks payload BeforeTool --tool glob --from-transcript claude.jsonl").err, "holds no call of glob")
}

func TestHooksInspectUsage(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".gemini/settings.json": guarded, "bad.json": "{", "other.json": `{"hook_event_name":"AfterTool"}`, "none.jsonl": "hello\n"})
	for args, want := range map[string]string{
		"hooks explain a b":                                  `takes one event, or none for all; it got "a" "b"`,
		"hooks explain BeforeTol":                            `did you mean "BeforeTool"?`,
		"hooks explain BeforeAgent --tool x":                 "--tool has no meaning for BeforeAgent",
		"hooks explain --input none.json":                    "no such file",
		"hooks explain --input bad.json":                     "bad.json: ",
		"hooks explain --json=maybe":                         `--json is "maybe": expected true or false`,
		"hooks why":                                          "needs the name of a hook",
		"hooks why gaurd":                                    "there is no hook gaurd: none has this name or command; did you mean guard?",
		"hooks payload":                                      "needs an event: SessionStart, ",
		"hooks payload Foo":                                  `there is no event "Foo"`,
		"hooks payload BeforeTool --set x":                   "write path=value",
		"hooks payload SessionStart --tool begin":            "SessionStart never has \"begin\", only startup, resume, clear",
		"hooks payload BeforeTool --nope":                    "unknown flag: --nope",
		"hooks payload AfterAgent --set promt=x":             `AfterAgent has no field "promt"; did you mean "prompt"?`,
		"hooks payload BeforeAgent --tool x":                 "--tool has no meaning for BeforeAgent",
		"hooks fire":                                         "needs an event",
		"hooks fire BeforeTool --timeout=-1s":                "--timeout must not be negative",
		"hooks fire BeforeTool --input other.json":           "other.json is a payload of AfterTool, not of BeforeTool",
		"hooks fire BeforeTool --from-transcript none.jsonl": "is not a session",
	} {
		got := w.run(args)
		assert.Equal(t, exit.Input, got.code, args)
		assert.Contains(t, got.err, want, args)
		assert.Empty(t, got.out, args)
	}
	require.NoError(t, os.WriteFile(w.path(".gemini/settings.json"), []byte("{"), 0o600))
	for _, args := range []string{"hooks explain", "hooks why x", "hooks fire BeforeTool", "hooks payload BeforeTool"} {
		assert.Equal(t, exit.Config, w.run(args).code, args)
	}
}

func BenchmarkHooksExplain(b *testing.B) {
	w := guardedBenchWorld(b)
	for b.Loop() {
		sys, _, _ := w.sys()
		if run([]string{"hooks", "explain"}, sys) != 0 {
			b.Fatal("explain failed")
		}
	}
}

func guardedBenchWorld(b *testing.B) hookWorld {
	top := b.TempDir()
	w := hookWorld{nil, top + "/home", top + "/home/project", top + "/sys"}
	require.NoError(b, os.MkdirAll(w.path(".gemini"), 0o755))
	require.NoError(b, os.WriteFile(w.path(".gemini/settings.json"), []byte(guarded), 0o600))
	require.NoError(b, os.WriteFile(w.path("guard.sh"), []byte(guardScript), 0o700))
	return w
}
