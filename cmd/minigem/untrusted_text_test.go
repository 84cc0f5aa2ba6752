package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/text"
)

// hostile is text that anyone may put into a name or a command: bidirectional,
// zero-width, tag and control characters, and a selector that hides a message.
const hostile = "\u202e\u2066\u202a\u200b\u200d\U000e0041\ufe01\x1b]52;c;aGk=\x07\x1b[2J\r\u009b31m\x7f\u2028"

// Without a terminal, the output of a model, a hook with a message and a hook that fails
// cannot control a terminal that shows it later.
func TestOneShotTextIsInert(t *testing.T) {
	t.Parallel()
	said, err := json.Marshal("evil" + hostile + "\x1b]0;title\x07 end")
	require.NoError(t, err)
	answers := fmt.Sprintf(`{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":%[1]s,"args":{}}}]},"finishReason":"STOP"}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":%[1]s}]},"finishReason":"STOP"}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":%[1]s}]},"finishReason":"STOP"}]}]}
`, said)
	command := func(v string) string {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return string(data)
	}
	answer := "cat <<'EOF'\n{\"decision\":\"deny\",\"reason\":" + string(said) + ",\"systemMessage\":" + string(said) + "}\nEOF"
	files := map[string]string{
		"answers.jsonl": answers,
		"~/.gemini/settings.json": fmt.Sprintf(`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": %[1]s}]}], "AfterAgent": [{"hooks": [{"type": "command", "command": %[1]s}]}],
			"BeforeAgent": [{"hooks": [{"type": "command", "name": %[3]s, "command": %[2]s}]}]}}`, command(answer), command("printf 'oops \\033[2J\\302\\2332J\\342\\200\\256' >&2; exit 1"), said),
	}
	for _, format := range []string{"text", "json", "stream-json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t, files)
			got := w.run("-p hi --fake-responses "+w.path("answers.jsonl")+" --output-format "+format, "GEMINI_API_KEY=k")
			assert.Contains(t, got.out+got.err, "evil")
			assert.Contains(t, got.err, "oops <U+001B>[2J<U+009B>2J<U+202E>")
			for _, r := range strings.NewReplacer("\n", "", "\t", "").Replace(got.out + got.err) {
				require.False(t, text.Hides(r), "U+%04X is in %q and %q", r, got.out, got.err)
			}
		})
	}
}

// The content of an untrusted folder is shown before the user decides about it. It
// cannot control the terminal, and hidden characters are shown.
func TestUntrustedTextIsShown(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal("evil" + hostile)
	require.NoError(t, err)
	name := string(quoted)
	files := map[string]string{
		".gemini/settings.json": fmt.Sprintf(`{"theme": %[1]s, %[1]s: 1, "mcpServers": {%[1]s: {"command": %[1]s}}, "hooks": {"BeforeTool": [{"matcher": %[1]s, "hooks": [
			{"type": "command", "name": %[1]s, "command": %[1]s, "description": %[1]s, "env": {%[1]s: "1"}, %[1]s: 1},
			{"type": "command", "command": %[1]s}]}], %[1]s: []}}`, name),
		".gemini/commands/evil\u202e\u200b\x1b[2J.toml": "prompt = \"x\"",
	}
	for _, c := range []struct {
		args string
		env  string
		show []string // texts that must be visible
	}{
		{"hooks explain", untrusted, []string{"<U+202E>", "<U+2066>", "<U+202A>", "<U+200B>", "<U+E0041>", "<U+001B>"}},
		{"hooks list", untrusted, []string{"<U+202E>", "<U+2066>", "<U+200B>", "<U+200D>", "<U+E0041>", "<U+001B>", "<U+000D>"}},
		{"hooks why BeforeTool write_file", untrusted, nil},
		{"hooks lint", untrusted, []string{"<U+202E>", "<U+200B>"}},
		{"hooks list --json", untrusted, []string{`\u202e`, `\udb40\udc41`}},
		{"hooks explain --json", untrusted, []string{`\u202e`}},
		{"hooks lint --format json", untrusted, nil},
		{"hooks lint --format sarif", untrusted, nil},
		{"hooks lint --format github", untrusted, nil},
		{"settings list", "", nil},
		{"trust", "", []string{"<U+202E>", "<U+200B>", "<U+E0041>"}},
		{"hooks test nothing" + "\u202e", "", []string{"<U+202E>"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			got := newHookWorld(t, files).run(c.args, c.env)
			all := got.out + got.err
			require.NotEmpty(t, all)
			for _, r := range strings.NewReplacer("\n", "", "\t", "").Replace(all) {
				require.False(t, text.Hides(r), "U+%04X is in %q", r, all)
			}
			for _, want := range c.show {
				assert.Contains(t, all, want)
			}
		})
	}
}
