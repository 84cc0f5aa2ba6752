package testbed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
)

// TestLacks: a hook that lets a call pass because it reads a field that its payload lacks
// is distinguished from one that looked and found nothing.
func TestLacks(t *testing.T) {
	t.Parallel()
	const ours = `{"session_id":"1","tool_name":"run_shell_command","tool_input":{"command":"ls"}}`
	const copilots = `{"sessionId":"1","toolName":"bash","toolArgs":{"command":"ls"}}`
	for _, c := range []struct{ name, program, payload, says string }{
		{"x.sh", `jq -r .tool_input.comand`, ours, "x.sh:1 reads .tool_input.comand, which its input did not have; it had .tool_input.command"},
		{"x.sh", "# as measured\n\njq -r .tool_imput.command", ours, "x.sh:3 reads .tool_imput.command, which its input did not have; it had .session_id, .tool_name, .tool_input"},
		{"x.sh", `jq -r .tool_input.command`, copilots, "x.sh:1 reads .tool_input.command, which its input did not have; it had .sessionId, .toolName, .toolArgs"},
		{"x.sh", `jq -r '.tool_input.command // .toolArgs.command'`, copilots, ""},
		{"x.sh", `jq -r .tool_input.command`, ours, ""},
		{"x.sh", `jq -r .tool_input.command.first`, ours, ""}, // the text may be JSON
		{"x.sh", `git config --list | jq -r .remote.url`, ours, ""},
		{"x.sh", `jq -r .tool_input.command`, `[1]`, "x.sh:1 reads .tool_input.command, which its input did not have; it had JSON that is not an object"},
		{"x.py", `c = json.load(sys.stdin)["tool_input"]["comand"]`, ours, "x.py:1 reads .tool_input.comand, which its input did not have; it had .tool_input.command"},
		{"x.py", `c = data.get("tool_input", {}).get("comand", "")`, ours, "x.py:1 reads .tool_input.comand, which it"},
		{"x.py", `c = data["tool_input"].get("file_path") or data["tool_input"].get("command")`, ours, ""},
		{"x.py", `c = os.environ["HOME"]; out["reason"] = "no"`, ours, ""},
		{"x.js", `const c = input.tool_input.comand.trim()`, ours, "x.js:1 reads .tool_input.comand, which it"},
		{"x.js", `const c = input?.tool_input?.["comand"]`, ours, "x.js:1 reads .tool_input.comand, which it"},
		{"x.js", `const c = input.tool_input.file_path ?? input.tool_input.command`, ours, ""},
		{"x.js", `if (input.tool_input.command.length > 3) process.exit(2)`, ours, ""},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, c.name), []byte(c.program+"\n"), 0o600))
		run := hooks.Run{Hook: hooks.Hook{Command: "./" + c.name}, Stdin: hooks.Payload{[]byte(c.payload)}}
		r := &Record{Workspace: dir, Home: "/nowhere", Reports: []hooks.Report{{Event: "BeforeTool", Runs: []hooks.Run{run}}}}
		assert.Empty(t, r.lacking(), "the case passed: nobody asks")
		r.readPrograms()
		assert.Equal(t, c.says, firstOf(r.Lacks("BeforeTool", run), c.says), c.program)
		run.Decision = hooks.Deny
		assert.Empty(t, r.Lacks("BeforeTool", run), "it did not let pass")
	}
}

// firstOf cuts text to the length of its expected beginning.
func firstOf(text, expected string) string {
	if expected == "" {
		return text
	}
	return text[:min(len(text), len(expected))]
}
