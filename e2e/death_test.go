package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
)

// TestDeathsOfServers: a model's server or an MCP server that dies, at whatever step,
// never leads to an empty success. Either the run fails and says why, or the model is
// informed.
func TestDeathsOfServers(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	const once = `{"general": {"maxAttempts": 1}}`
	call := `call read_file {"file_path": "a.txt"}`
	const jsonCall = `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", ` +
		`"parts": [{"functionCall": {"name": "read_file", "args": {"file_path": "a.txt"}}}]}, "finishReason": "STOP"}]}]}` +
		"\n"
	const jsonEmpty = `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", ` +
		`"parts": []}}]}]}` + "\n"
	for _, c := range []struct {
		name, answers string
		faults        []fakemodel.Fault
		code          int
		stderr        string
	}{
		{"before the first header", "say Done.", []fakemodel.Fault{{Cut: true}}, 1, "cannot be reached"},
		{"in the first answer", "say One,\nsay two.", []fakemodel.Fault{{After: 1, Cut: true}}, 1, "broke off"},
		{"garbage", "say Done.", []fakemodel.Fault{{Garbage: true}}, 1, "cannot be read"},
		{"after a tool, before the header", call + "\n\nsay Done.", []fakemodel.Fault{{Request: 2, Cut: true}}, 1,
			"cannot be reached"},
		{"after a tool, an empty answer without an end", jsonCall + strings.Repeat(jsonEmpty, 4), nil, 1,
			"broke off without an end"},
	} {
		t.Run("api/"+c.name, func(t *testing.T) {
			t.Parallel()
			entries, err := parseAnswers("answers", c.answers)
			require.NoError(t, err)
			server := startFakeAPI(t, entries, c.faults...)
			h := newHome(t, map[string]string{"a.txt": "hello"})
			h.write(t, "../.gemini/settings.json", once)
			o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "hello"}, Env: server.env()})
			assert.Equal(t, c.code, o.Code, o.Stderr)
			assert.Contains(t, o.Stderr, c.stderr)
			h.assertTidy(t, o)
		})
	}
	for _, step := range []string{"initialize", "tools/list", "tools/call"} {
		t.Run("mcp/"+step, func(t *testing.T) {
			t.Parallel()
			h := newHome(
				t, map[string]string{"server.sh": mortalServer(`case $line in *'"method":"` + step + `"'*) kill -9 $$ ;; esac`),
					".gemini/settings.json": `{"mcpServers": {"rules": {"command": "bash", "args": ["server.sh"]}}}`})
			o := h.run(t,
				run{Args: trusted(append(h.answersFile(t, `call mcp_rules_judge {}`, "say Done."), "--yolo", "-p", "judge"))})
			assert.Regexp(t, `"status": ?"error"`, h.lastTranscript(t), "the model was told")
			if step != "tools/call" {
				assert.Contains(t, o.Stderr, "rules")
			}
		})
	}
}

// mortalServer returns an MCP server with a tool that denies. It runs do for each line
// that it reads.
func mortalServer(do string) string {
	return `while IFS= read -r line; do
  ` + do + `
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "rules", "version": "1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools": [{"name": "judge", "inputSchema": {"type": "object"}}]}' ;;
    *'"method":"tools/call"'*) result='{"content": [{"type": "text", "text": "{\"decision\": \"deny\", \"reason\": \"judged\"}"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc": "2.0", "id": %s, "result": %s}\n' "$id" "$result"
done
`
}

// TestGuardsOfServersThatDie: a guard whose server is gone follows its onError, at
// whatever step the server died. If the server can be restarted, or prints text between
// its messages, the guard keeps working and the user is informed.
func TestGuardsOfServersThatDie(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	at := func(step string) string { return `case $line in *'"method":"` + step + `"'*) kill -9 $$ ;; esac` }
	for _, c := range []struct {
		name, do, onError string
		ran               bool
		says              []string
	}{
		{"at initialize, block", at("initialize"), "block", false, []string{"connecting to the MCP server rules"}},
		{"at initialize, allow", at("initialize"), "allow", true, []string{"connecting to the MCP server rules"}},
		{"at tools/list, block", at("tools/list"), "block", false, []string{"connecting to the MCP server rules"}},
		{"at tools/list, allow", at("tools/list"), "allow", true, []string{"connecting to the MCP server rules"}},
		{"in the call, block", at("tools/call"), "block", false,
			[]string{"could not be called", "ended, and was restarted"}},
		{"in the call, allow", at("tools/call"), "allow", true,
			[]string{"could not be called", "ended, and was restarted"}},
		{"before the call, once", `case $line in *'notifications/initialized'*) ;; *'"method":"tools/call"'*) test -e ` +
			`died || { touch died; kill -9 $$; } ;; esac`,
			"block", false, []string{"could not be called", "ended, and was restarted", "judged"}},
		{"text between messages", `echo "[debug] $line" | cut -c1-40`, "allow", false,
			[]string{"wrote text to its stdout", "judged"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"server.sh": mortalServer(c.do), ".gemini/settings.json": `{
				"mcpServers": {"rules": {"command": "bash", "args": ["server.sh"]}},
				"hooks": {"BeforeTool": [{"matcher": "^run_shell_command$", "hooks": [
					{"type": "mcp_tool", "server": "rules", "tool": "judge", "onError": "` + c.onError + `"}]}]}}`})
			o := h.run(t, run{Args: trusted(append(h.answersFile(t, `call run_shell_command {"command": "touch ran"}`,
				`call run_shell_command {"command": "touch ran"}`, "say Done."), "--yolo", "-p", "go"))})
			assert.Zero(t, o.Code, o.Stderr)
			_, err := os.Stat(filepath.Join(h.workspace, "ran"))
			assert.Equal(t, c.ran, err == nil, o.Stderr)
			for _, want := range c.says {
				assert.Contains(t, o.Stderr+h.lastTranscript(t), want)
			}
			h.assertTidy(t, o)
		})
	}
}

// TestResultsOnAFullDisk: results that could not be written do not count as a success.
func TestResultsOnAFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	h := newHome(t, map[string]string{"a.txtar": "prompt x\nfired BeforeAgent guard\n-- settings.json --\n" +
		`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "guard", "command": "true"}]}]}}` +
		"\n-- model --\ntext Done.\n"})
	h.write(t, "../.gemini/settings.json", `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	require.NoError(t, os.Symlink("/dev/full", filepath.Join(h.workspace, "full.html")))
	for name, args := range map[string][]string{
		"junit":     {"hooks", "test", "a.txtar", "--junit", "/dev/full"},
		"html":      {"hooks", "test", "a.txtar", "--html", "/dev/full"},
		"recording": append(h.answersFile(t, "say Done."), "--record-responses", "/dev/full", "-p", "hi"),
		"trace":     append(h.answersFile(t, "say Done."), "--hook-trace", "/dev/full", "-p", "hi"),
		"page":      append(h.answersFile(t, "say Done."), "--hook-trace", "full.html", "-p", "hi"),
	} {
		o := h.run(t, run{Args: args})
		assert.Equal(t, 1, o.Code, name+": "+o.Stderr)
		assert.Contains(t, o.Stderr, "no space left on device", name)
	}
	info, err := os.Stat("/dev/full")
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeDevice, "it was not replaced")
}
