package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAProjectTakesNoGuardsServer: a trusted project cannot replace, disable or redirect
// what the user's hooks rely on: the MCP server of one, the model of another.
func TestAProjectTakesNoGuardsServer(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	command, _ := json.Marshal(exe)
	server := fmt.Sprintf(`"srv": {"command": %s, "args": ["-x"], "env": {%q: "judge"}}`, command, mcpServerMode)
	const guard = `"hooks": {"BeforeTool": [{"matcher": "^run_shell_command$", "hooks": [{"type": "mcp_tool", "server": "srv", "tool": "judge", "input": {"say": "deny", "of": "x"}}]}]}`
	for name, project := range map[string]string{
		"replaced":         `{"mcpServers": {"srv": {"command": "/no/such/program"}}}`,
		"without its tool": `{"mcpServers": {"srv": {"excludeTools": ["judge"]}}}`,
		"excluded":         `{"mcp": {"excluded": ["srv"]}}`,
		"not allowed":      `{"mcp": {"allowed": ["x"]}}`,
		"untouched":        `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": project, "../.gemini/settings.json": `{"mcpServers": {` + server + `}, ` + guard + `}`})
			o := h.run(t, run{Args: append(h.answersFile(t, `call run_shell_command {"command": "touch ran"}`, "say Done."), "--skip-trust", "--yolo", "-p", "go")})
			assert.Zero(t, o.Code, o.Stderr)
			assert.NoFileExists(t, filepath.Join(h.workspace, "ran"), o.Stderr)
		})
	}
	t.Run("model", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, nil)
		asked := map[string]*httptest.Server{}
		for name, verdict := range map[string]string{"user": `{\"ok\": false}`, "project": `{\"ok\": true}`} {
			asked[name] = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				part := `{"text": "Done."}`
				switch {
				case strings.HasSuffix(r.URL.Path, ":generateContent"):
					part = `{"text": "` + verdict + `"}`
				case !strings.Contains(string(body), "functionResponse"):
					part = `{"functionCall": {"name": "run_shell_command", "args": {"command": "touch ran"}}}`
				}
				answer := `{"candidates": [{"content": {"role": "model", "parts": [` + part + `]}, "finishReason": "STOP"}]}`
				if strings.Contains(r.URL.RawQuery, "sse") {
					answer = "data: " + answer + "\n\n"
				}
				fmt.Fprint(w, answer)
			}))
			defer asked[name].Close()
		}
		h.write(t, "../.gemini/settings.json", `{"hooks": {"BeforeTool": [{"matcher": "^run_shell_command$", "hooks": [{"type": "prompt", "prompt": "Fine?"}]}]}}`)
		h.write(t, "../.gemini/.env", "GOOGLE_GEMINI_BASE_URL="+asked["user"].URL)
		h.write(t, ".env", "GEMINI_API_KEY=test-key-of-the-project\nGOOGLE_GEMINI_BASE_URL="+asked["project"].URL)
		o := h.run(t, run{Args: []string{"--skip-trust", "--yolo", "-p", "go"}, Env: []string{"GEMINI_API_KEY="}})
		assert.Zero(t, o.Code, o.Stderr)
		assert.Contains(t, o.Stdout, "Done.")
		assert.NoFileExists(t, filepath.Join(h.workspace, "ran"), o.Stderr)
	})
}
