package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExitCodes: the exit codes of a run, and how each format reports errors
// (cli/utils/errors.ts). 54, 130 and 143 are tested together with disks and signals.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	const (
		glob = `call glob {"pattern": "*"}`
		key  = "GEMINI_API_KEY=key"
	)
	hooked := map[string]string{".gemini/settings.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}}`}
	for _, c := range []struct {
		name     string
		files    map[string]string // of the project
		settings string            // the user's
		args     []string
		answers  string // empty: use the real API
		code     int
		kind     string // the error's; empty without an error
		says     string
	}{
		// 0
		{"an answer", nil, "", []string{"-p", "hi"}, "say Hi.", 0, "", ""},
		{"a tool that fails", nil, "", []string{"-p", "hi"}, `call read_file {"file_path": "none"}` + "\n\nsay Hi.", 0, "", ""},
		{"a tool that there is not", nil, "", []string{"-p", "hi"}, "call fly {}\n\nsay Hi.", 0, "", ""},
		// 1
		{"no answer that can be used", nil, "", []string{"-p", "hi"}, "think hm\n\nthink hm\n\nthink hm\n\nthink hm", 1, "THINKING_ONLY_RESPONSE", "gave no answer"},
		{"no more scripted answers", nil, "", []string{"-p", "hi"}, glob, 1, "script", "no answer"},
		// 41
		{"no key", nil, "", []string{"-p", "hi"}, "", 41, "auth", "GEMINI_API_KEY"},
		{"a sign-in other than the enforced one", nil, `{"security": {"auth": {"enforcedType": "vertex-ai"}}}`, []string{"-p", "hi"}, "", 41, "Error",
			"The enforced authentication type is 'vertex-ai', but the current type is 'gemini-api-key'"},
		// 42
		{"no prompt", nil, "", []string{"-p", ""}, "say Hi.", 42, "FatalInputError", "there is no prompt"},
		{"a command of the chat", nil, "", []string{"-p", "/help"}, "say Hi.", 42, "FatalInputError", "/help"},
		{"no such session", nil, "", []string{"-r", "nope", "-p", "hi"}, "say Hi.", 42, "FatalInputError", `"nope"`},
		// 52
		{"settings that cannot be read", nil, "{", []string{"-p", "hi"}, "say Hi.", 52, "FatalConfigError", "settings.json:1:"},
		{"yolo where it is turned off", nil, `{"security": {"disableYoloMode": true}}`, []string{"--yolo", "-p", "hi"}, "say Hi.", 52, "FatalConfigError", "disableYoloMode"},
		{"a sandbox that there is not", nil, `{"tools": {"sandbox": "docker"}}`, []string{"-p", "hi"}, "say Hi.", 52, "FatalConfigError", "sandbox"},
		// 53
		{"no turn is left for the prompt", nil, `{"model": {"maxSessionTurns": 0}}`, []string{"-p", "hi"}, "say Hi.", 53, "FatalTurnLimitedError", "maxSessionTurns"},
		{"no turn is left for the results", nil, `{"model": {"maxSessionTurns": 1}}`, []string{"-p", "hi"}, glob, 53, "FatalTurnLimitedError", "maxSessionTurns"},
		// 55
		{"hooks of a folder that is not trusted", hooked, "", []string{"-p", "hi"}, "say Hi.", 55, "FatalUntrustedWorkspaceError", "minigem trust"},
	} {
		for _, format := range []string{"text", "json", "stream-json"} {
			t.Run(c.name+"/"+format, func(t *testing.T) {
				t.Parallel()
				h := newHome(t, c.files)
				if c.settings != "" {
					h.write(t, "../.gemini/settings.json", c.settings)
				}
				r := run{Args: append([]string{"-o", format}, c.args...)}
				switch {
				case c.answers != "":
					r.Args = append(r.Args, h.answersFile(t, c.answers)...)
				case c.name != "no key":
					r.Env = []string{key}
				}
				o := h.run(t, r)
				assert.Equal(t, c.code, o.Code, o.Stderr)
				if format == "text" {
					assert.Equal(t, c.kind != "", strings.Contains(o.Stderr, "minigem: "), o.Stderr)
					assert.Contains(t, o.Stderr, c.says)
				} else {
					kind, says := failureIn(t, format, o)
					assert.Equal(t, c.kind, kind, o.Stderr)
					assert.Contains(t, says, c.says)
				}
				h.assertTidy(t, o)
			})
		}
	}
}

// failureIn returns the error that a run reported, and checks that programs find nothing
// else in the output.
func failureIn(t *testing.T, format string, o outcome) (kind, says string) {
	t.Helper()
	type document struct {
		Type, Status string
		SessionID    string `json:"session_id"`
		Response     *string
		Error        *struct {
			Type, Message string
			Code          int
		}
	}
	var d document
	switch format {
	case "json":
		text := o.Stdout
		if o.Code != 0 {
			assert.Empty(t, o.Stdout)
			_, text, _ = strings.Cut("\n"+o.Stderr, "\n{")
			text = "{" + text
		}
		require.NoError(t, json.Unmarshal([]byte(text), &d), o.Stderr)
		assert.Equal(t, o.Code == 0, d.Response != nil)
		assert.NotEmpty(t, d.SessionID)
	case "stream-json":
		lines := strings.Split(strings.TrimSpace(o.Stdout), "\n")
		for _, line := range lines {
			d = document{}
			require.NoError(t, json.Unmarshal([]byte(line), &d), line)
		}
		assert.Equal(t, "result", d.Type)
		assert.Equal(t, map[bool]string{true: "success", false: "error"}[o.Code == 0], d.Status)
	}
	if d.Error == nil {
		return "", ""
	}
	assert.Equal(t, o.Code, d.Error.Code)
	return d.Error.Type, d.Error.Message
}

// TestClosedStdoutIsNotAFailure: it is not a failure if the reader closes the pipe early, as
// head does (cli/nonInteractiveCli.ts). The session ends as usual.
func TestClosedStdoutIsNotAFailure(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json", "stream-json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, nil)
			h.write(t, "../.gemini/settings.json", `{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "cat > ended"}]}]}}`)
			r, w, err := os.Pipe()
			require.NoError(t, err)
			require.NoError(t, r.Close())
			defer w.Close()
			cmd, _, stderr := h.command(t, run{Args: append(h.answersFile(t, "say One,\nsay two."), "-p", "hi", "-o", format)})
			cmd.Stdout = w
			require.NoError(t, cmd.Run(), stderr.String())
			assert.Contains(t, h.read(t, "ended"), `"reason":"exit"`)
			h.assertTidy(t, outcome{Stderr: stderr.String()})
		})
	}
}
