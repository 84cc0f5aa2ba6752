package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestIncludes: "@path" in a prompt includes the file, and hooks see the prompt as it was
// typed.
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

// TestIncludesByName: which file a name after "@" matches, and the message if it is not
// the exact path.
func TestIncludesByName(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"src/config.go": "IN-CONFIG", "src/deep/config_test.go": "IN-TEST", "a file.txt": "IN-BLANK", "w[1].txt": "IN-GLOB",
		"docs/a.md": "IN-A", "docs/sub/b.md": "IN-B", "docs/hidden.log": "IN-LOG",
		".git/HEAD": "", ".gitignore": "*.log\nbuild/\n", ".geminiignore": "secret.txt\n", "own.ignore": "third.txt\n",
		"secret.txt": "IN-SECRET", "x.log": "IN-LOG", "third.txt": "IN-THIRD", "build/out.txt": "IN-BUILD", ".env": "IN-ENV", "uniquelog.log": "IN-LOG",
		".gemini/settings.json": `{"context": {"fileFiltering": {"customIgnoreFilePaths": ["own.ignore"]}}}`,
	}
	for _, c := range []struct {
		prompt string
		want   []string // parts of what the model reads
		told   string   // part of stderr; empty: no message
	}{
		{"@src/config.go", []string{"Content from @src/config.go", "IN-CONFIG"}, ""},
		{`@a\ file.txt`, []string{"Content from @a file.txt", "IN-BLANK"}, ""},
		{"@docs", []string{"IN-A", "IN-B"}, ""},
		{"@docs/", []string{"IN-A", "IN-B"}, ""},
		// By part of the name.
		{"@config", []string{"Content from @src/config.go", "IN-CONFIG"}, "@config is read as src/config.go (1 file more match)"},
		{"@deep/config", []string{"Content from @src/deep/config_test.go", "IN-TEST"}, "@deep/config is read as src/deep/config_test.go\n"},
		{"@file.txt", []string{"Content from @a file.txt"}, "@file.txt is read as a file.txt\n"},
		{`@\[1\]`, []string{"Content from @w[1].txt"}, "@[1] is read as w[1].txt\n"},
		{"@nowhere", nil, ""},
		{"@*", nil, ""},
		{"@uniquelog", nil, ""},
		// Files that must not be read.
		{"@x.log", nil, "@x.log is not included: .gitignore ignores it"},
		{"@build", nil, "@build is not included: .gitignore ignores it"},
		{"@secret.txt", nil, "@secret.txt is not included: .geminiignore ignores it"},
		{"@third.txt", nil, "@third.txt is not included: own.ignore ignores it"},
		{"@.env", nil, "@.env is not included: .env is never read"},
		{"@/etc/passwd", nil, "@/etc/passwd is not included: it is outside the workspace"},
		{"@/nowhere/at/all", nil, "@/nowhere/at/all is not included: there is no such file"},
	} {
		t.Run(c.prompt, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, files)
			server := startFakeAPI(t, textAnswers(t, "Read.", 1))
			o := h.run(t, run{Args: []string{"--skip-trust", "-m", "gemini-2.5-flash", "-p", c.prompt}, Env: server.env()})
			assert.Equal(t, "Read.\n", o.Stdout, o.Stderr)
			body := string(server.Log()[0].Body)
			for _, want := range c.want {
				assert.True(t, strings.Contains(body, want), want)
			}
			if c.want == nil {
				assert.NotContains(t, body, "IN-")
				assert.NotContains(t, body, "root:")
			}
			assert.NotContains(t, body, "IN-LOG")
			if c.told == "" {
				assert.Empty(t, o.Stderr)
			} else {
				assert.Contains(t, o.Stderr, c.told)
			}
			assert.Empty(t, server.problems())
		})
	}
}
