package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestIncludes: "@path" in a prompt brings the file along, and hooks are shown
// the prompt as it was written.
func TestIncludes(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"notes.txt": "the password is tulip\n", "docs/a.md": "about a\n", ".geminiignore": "secret.txt\n", "secret.txt": "rose\n",
		".gemini/settings.json": `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "cat >before.json"}]}]}}`,
	})
	server := startFakeAPI(t, textAnswers(t, "Read.", 1))
	o := h.run(t, run{
		Args: []string{"--skip-trust", "-m", "gemini-2.5-flash", "-p", "What is in @notes.txt, @docs/, @secret.txt, @/etc/hostname and me@example.org?"},
		Env:  server.env(),
	})
	assert.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, "Read.\n", o.Stdout)
	body := string(server.Log()[0].Body)
	assert.Contains(t, body, "the password is tulip")
	assert.Contains(t, body, "about a")
	assert.NotContains(t, body, "rose")
	assert.Contains(t, h.read(t, "before.json"), `"prompt":"What is in @notes.txt, @docs/, @secret.txt, @/etc/hostname and me@example.org?"`)
	assert.Empty(t, server.problems())
}
