package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
)

// deathTable checks that the table under a heading of docs/DEATHS.md has these rows.
func deathTable(t *testing.T, heading string, rows ...string) {
	t.Helper()
	page, err := os.ReadFile("../docs/DEATHS.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## "+heading+"\n")
	require.True(t, found, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	var table []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| ") {
			table = append(table, strings.TrimSpace(line))
		}
	}
	require.NotEmpty(t, table)
	assert.Equal(t, strings.Join(rows, "\n"), strings.Join(table[1:], "\n"), "docs/DEATHS.md: %s", heading)
}

// TestDeathsOfTheAPI: a model's server that dies, at whatever step, never leads to an empty
// success: the run fails and says why.
func TestDeathsOfTheAPI(t *testing.T) {
	t.Parallel()
	const (
		call     = `call read_file {"file_path": "a.txt"}` + "\n\n"
		jsonCall = `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", ` +
			`"parts": [{"functionCall": {"name": "read_file", "args": {"file_path": "a.txt"}}}]}, "finishReason": "STOP"}]}]}` +
			"\n"
		jsonEmpty = `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", ` +
			`"parts": []}}]}]}` + "\n"
	)
	lost, cut, garbage := "cannot be reached", "broke off", "cannot be read"
	var rows []string
	for _, c := range []struct {
		step, how string
		answers   string
		fault     fakemodel.Fault
		stderr    string
	}{
		{"before the first header", "closes the connection", "say Done.", fakemodel.Fault{Request: 1, Cut: true}, lost},
		{"before the first header", "sends something else", "say Done.", fakemodel.Fault{Request: 1, Garbage: true}, garbage},
		{"in the first answer", "closes the connection", "say One,\nsay two.", fakemodel.Fault{Request: 1, After: 1, Cut: true}, cut},
		{"in the first answer", "sends something else", "say One,\nsay two.", fakemodel.Fault{Request: 1, After: 1, Garbage: true}, garbage},
		{"in the first answer", "ends it without an end", strings.Repeat(jsonEmpty, 4), fakemodel.Fault{}, "broke off without an end"},
		{"after a tool, before the header", "closes the connection", call + "say Done.", fakemodel.Fault{Request: 2, Cut: true}, lost},
		{"after a tool, before the header", "sends something else", call + "say Done.", fakemodel.Fault{Request: 2, Garbage: true}, garbage},
		{"after a tool, in the answer", "closes the connection", call + "say One,\nsay two.",
			fakemodel.Fault{Request: 2, After: 1, Cut: true}, cut},
		{"after a tool, in the answer", "sends something else", call + "say One,\nsay two.",
			fakemodel.Fault{Request: 2, After: 1, Garbage: true}, garbage},
		{"after a tool, in the answer", "ends it without an end", jsonCall + strings.Repeat(jsonEmpty, 4), fakemodel.Fault{},
			"broke off without an end"},
	} {
		rows = append(rows, fmt.Sprintf("| %s | %s | 1 | `%s` |", c.step, c.how, c.stderr))
		t.Run(c.step+"/"+c.how, func(t *testing.T) {
			t.Parallel()
			entries, err := parseAnswers("answers", c.answers)
			require.NoError(t, err)
			var faults []fakemodel.Fault
			for range 4 { // an answer that broke off is asked for again
				if c.fault != (fakemodel.Fault{}) {
					faults = append(faults, c.fault)
				}
				c.fault.Request++
			}
			server := startFakeAPI(t, entries, faults...)
			h := newHome(t, map[string]string{"a.txt": "hello"})
			h.write(t, "../.gemini/settings.json", `{"general": {"maxAttempts": 1}}`)
			o := h.run(t, run{Args: []string{"-m", "gemini-2.5-flash", "-p", "hello"}, Env: server.env()})
			assert.Equal(t, 1, o.Code, o.Stderr)
			assert.Contains(t, o.Stderr, c.stderr)
			h.assertTidy(t, o)
		})
	}
	deathTable(t, "The model's server", rows...)
}

// mcpDeaths are the ways in which an MCP server dies, as commands of mortalServer.
var mcpDeaths = []struct{ how, line string }{
	{"exit 1", "exit 1"},
	{"kill -9", "kill -9 $$"},
	{"closes its stdout", "exec >&-; cat >/dev/null; exit"},
	{"stalls", "cat >/dev/null; exit"},
}

// TestDeathsOfServers: an MCP server that dies, at whatever step, never leads to an empty
// success: the model is informed, and the user of a server that did not start.
func TestDeathsOfServers(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	var rows []string
	for _, step := range []string{"initialize", "tools/list", "tools/call"} {
		for _, d := range mcpDeaths {
			model, user := "not found", "connecting to the MCP server rules"
			if step == "tools/call" {
				model, user = map[bool]string{true: "did not answer", false: "could not be called"}[d.how == "stalls"], ""
			}
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", step, d.how, model, cmp.Or(user, "nothing")))
			t.Run(step+"/"+d.how, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && d.how == "stalls" {
					t.Skip("a server has 30 s to start")
				}
				h := newHome(t, map[string]string{
					"server.sh":             mortalServer(`case $line in *'"method":"` + step + `"'*) ` + d.line + ` ;; esac`),
					".gemini/settings.json": `{"mcpServers": {"rules": {"command": "bash", "args": ["server.sh"], "timeout": 2000}}}`})
				o := h.run(t, run{Args: trusted(append(h.answersFile(t, `call mcp_rules_judge {}`, "say Done."), "--yolo", "-p", "judge"))})
				assert.Zero(t, o.Code, o.Stderr)
				assert.Equal(t, "Done.\n", o.Stdout)
				assert.Regexp(t, `"status": ?"error"`, h.lastTranscript(t), "the model was told")
				assert.Contains(t, h.lastTranscript(t), model)
				assert.Contains(t, o.Stderr, user)
				h.assertTidy(t, o)
			})
		}
	}
	deathTable(t, "An MCP server", rows...)
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
