package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tidwall/gjson"
)

// TestHTTPHooks: a hook of type http blocks as a command does, in Claude Code's dialect
// too, and the secret in its header is in no trace. If its server fails, it blocks if it
// is configured to.
func TestHTTPHooks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path] = r.Header.Get("Authorization") + " " + gjson.GetBytes(body, "tool_input.command").String() + " " + gjson.GetBytes(body, "tool_name").String()
		switch {
		case r.URL.Path == "/down":
			w.WriteHeader(503)
		case strings.Contains(string(body), "touch no"):
			fmt.Fprint(w, `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not that"}}`)
		}
	}))
	defer s.Close()
	const guard = `{"hooks": {"BeforeTool": [{"hooks": [{"type": "http", "url": "%s", "dialect": "claude", "onError": "%s",
		"headers": {"Authorization": "Bearer $GUARD_TOKEN"}, "allowedEnvVars": ["GUARD_TOKEN"]}]}]}}`
	for _, c := range []struct {
		path, onError string
		ran           []string
	}{
		{"/guard", "allow", []string{"yes"}},
		{"/down", "allow", []string{"no", "yes"}},
		{"/down", "block", nil},
	} {
		h := newHome(t, map[string]string{".gemini/settings.json": fmt.Sprintf(guard, s.URL+c.path, c.onError)})
		trace := filepath.Join(h.dir, "trace.jsonl")
		o := h.run(t, run{Env: []string{"GUARD_TOKEN=s3cr3t-of-mine"}, Args: append(h.answersFile(t,
			`call run_shell_command {"command": "touch no"}`, `call run_shell_command {"command": "touch yes"}`, "say Done."),
			"--skip-trust", "--yolo", "--hook-trace", trace, "-p", "go")})
		assert.Zero(t, o.Code, o.Stderr)
		for _, name := range []string{"no", "yes"} {
			path, want := filepath.Join(h.workspace, name), assert.NoFileExists
			if strings.Contains(fmt.Sprint(c.ran), name) {
				want = assert.FileExists
			}
			want(t, path, "%v %s", c, o.Stderr)
		}
		said := h.read(t, "../trace.jsonl")
		assert.Contains(t, said, `"url":"`+s.URL+c.path)
		assert.NotContains(t, said+o.Stdout+o.Stderr, "s3cr3t-of-mine")
	}
	assert.Equal(t, "Bearer s3cr3t-of-mine touch yes Bash", asked["/guard"])
}
