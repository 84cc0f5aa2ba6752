package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/nettest"
)

// dyingGuard serves http hooks. The path says how it dies.
func dyingGuard(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then, it is not noticed that the client left
		rc := http.NewResponseController(w)
		switch r.URL.Path {
		case "/stalls":
			<-r.Context().Done()
			return
		case "/breaks":
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, "{")
			_ = rc.Flush() // the client reads it or does not
		}
		if c, _, err := rc.Hijack(); err == nil {
			c.Close()
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestDeathsOfGuards: a guard that dies, of whatever kind and at whatever step, is a failure
// that is reported. It blocks if onError says so, and otherwise lets the call run.
func TestDeathsOfGuards(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	url := dyingGuard(t)
	command := func(line string) string { return fmt.Sprintf(`"type": "command", "command": %q`, line) }
	const judge = `"type": "prompt", "prompt": "Fine?"`
	const streamed = `{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [` +
		`%s]}, "finishReason": "STOP"}]}]}` + "\n"
	const tool = `"type": "mcp_tool", "server": "rules", "tool": "judge"`
	type guard struct {
		kind, step, how string
		entry           string // of the hook, without onError
		says            string
		mcp             string // what its server does, in bash
		judge           string // the fault of its model
	}
	all := []guard{
		{kind: "command", step: "at once", how: "exit 1", entry: command("exit 1"), says: "exit status 1"},
		{kind: "command", step: "at once", how: "kill -9", entry: command("kill -9 $$"), says: "killed by signal killed"},
		{kind: "command", step: "at once", how: "is not there", entry: command("./guard"), says: "exit status 127"},
		{kind: "command", step: "after its input", how: "kill -9", entry: command("cat >/dev/null; kill -9 $$"), says: "killed by signal killed"},
		{kind: "command", step: "after its input", how: "closes its stdout", entry: command("cat >/dev/null; exec >&-; exit 1"),
			says: "exit status 1"},
		{kind: "command", step: "in its answer", how: "exit 1", entry: command("printf '{'; exit 1"), says: "exit status 1"},
		{kind: "command", step: "in its answer", how: "kill -9", entry: command("printf '{'; kill -9 $$"), says: "killed by signal killed"},
		{kind: "command", step: "in its answer", how: "stalls", entry: command("printf '{'; exec sleep 3600") + `, "timeout": 1000`,
			says: "timed out"},
		{kind: "http", step: "before the connection", how: "is not there",
			entry: `"type": "http", "url": "http://` + nettest.Refusing(t) + `"`, says: "connection refused"},
		{kind: "http", step: "before the status", how: "closes the connection", entry: `"type": "http", "url": "` + url + `/closes"`,
			says: "EOF"},
		{kind: "http", step: "before the status", how: "stalls", entry: `"type": "http", "url": "` + url + `/stalls", "timeout": 1000`,
			says: "timed out"},
		{kind: "http", step: "in its answer", how: "closes the connection", entry: `"type": "http", "url": "` + url + `/breaks"`,
			says: "its answer broke off"},
		{kind: "prompt", step: "before the header", how: "closes the connection", entry: judge, judge: `{"cut": true}`,
			says: "cannot be reached"},
		{kind: "prompt", step: "before the header", how: "sends something else", entry: judge, judge: `{"garbage": true}`, says: "cannot be read"},
		{kind: "prompt", step: "before the header", how: "stalls", entry: judge + `, "timeout": 1000`, judge: `{"silent": true}`, says: "timed out"},
	}
	for _, step := range []string{"initialize", "tools/list", "tools/call"} {
		for _, d := range mcpDeaths {
			g := guard{kind: "mcp_tool", step: step, how: d.how, entry: tool, says: "could not be called",
				mcp: `case $line in *'"method":"` + step + `"'*) ` + d.line + ` ;; esac`}
			switch {
			case step != "tools/call":
				g.says = "connecting to the MCP server rules"
			case d.how == "stalls":
				g.says = "did not answer"
			}
			all = append(all, g)
		}
	}
	var rows []string
	for _, g := range all {
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | `%s` |", g.kind, g.step, g.how, g.says))
		for _, onError := range []string{"allow", "block"} {
			t.Run(g.kind+"/"+g.step+"/"+g.how+"/"+onError, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && g.mcp != "" && g.how == "stalls" {
					t.Skip("a server has 30 s to start")
				}
				h := newHome(t, map[string]string{"server.sh": mortalServer(g.mcp), ".gemini/settings.json": `{
					"general": {"maxAttempts": 1},
					"mcpServers": {"rules": {"command": "bash", "args": ["server.sh"], "timeout": 2000}},
					"hooks": {"BeforeTool": [{"matcher": "^run_shell_command$", "hooks": [{` + g.entry + `, "onError": "` + onError + `"}]}]}}`})
				if g.mcp == "" {
					h.write(t, ".gemini/settings.json", `{"general": {"maxAttempts": 1}, "hooks": {"BeforeTool": [{"hooks": [{`+
						g.entry+`, "onError": "`+onError+`"}]}]}}`)
				}
				answers := fmt.Sprintf(streamed, `{"functionCall": {"name": "run_shell_command", "args": {"command": "touch ran"}}}`)
				if g.judge != "" {
					answers += `{"method": "generateContent", "fault": ` + g.judge + "}\n"
				}
				entries, err := parseAnswers("answers", answers+fmt.Sprintf(streamed, `{"text": "Done."}`))
				require.NoError(t, err)
				server := startFakeAPI(t, entries)
				o := h.run(t, run{Args: trusted([]string{"-m", "gemini-2.5-flash", "--yolo", "-p", "go"}), Env: server.env()})
				assert.Zero(t, o.Code, o.Stderr)
				assert.Equal(t, "Done.\n", o.Stdout)
				assert.Contains(t, o.Stderr, g.says)
				_, err = os.Stat(filepath.Join(h.workspace, "ran"))
				assert.Equal(t, onError == "allow", err == nil, o.Stderr)
				h.assertTidy(t, o)
			})
		}
	}
	deathTable(t, "A guard", rows...)
}
