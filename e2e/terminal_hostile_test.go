//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"minigem/internal/text"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile is what an attacker may put into a text: bidirectional and invisible characters,
// a title, a cursor jump in both forms, and a delete.
const hostile = "evil\u202e\u2066\u200b\U000e0041\u2028\x7f\x1b]0;owned\x07\x1b[13;37H\u009b13;37H end"

func quoted(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	require.NoError(t, err)
	return string(data)
}

// hostileHome returns a home with hostile text everywhere that the chat shows text from.
func hostileHome(t *testing.T) home {
	exe, err := os.Executable()
	require.NoError(t, err)
	name := quoted(t, hostile)
	speak := quoted(t, "cat <<'EOF'\n{\"systemMessage\":"+name+"}\nEOF\nprintf 'evil \\033]0;owned\\007\\342\\200\\256' >&2")
	h := newHome(t, map[string]string{
		"GEMINI.md": "Be brief. " + hostile + "\n@" + hostile + ".md\n",
		".gemini/settings.json": fmt.Sprintf(`{"ui": {"theme": %[1]s}, %[1]s: 1, "hooks": {"AfterAgent": [{"hooks": [{"type": "command", "name": "guard", "command": %[2]s, "description": %[1]s}]}],
			"BeforeTool": [{"matcher": %[1]s, "hooks": [{"type": "command", "name": %[1]s, "command": %[1]s}]}]}}`, name, speak),
		".gemini/commands/evil.toml":                               "description = " + tomlString(hostile) + "\nprompt = " + tomlString(hostile+" {{args}}") + "\n",
		".gemini/commands/" + "a\u202e\x1b]0;owned\x07b" + ".toml": "prompt = \"x\"\n",
		"evil\u202e\x1b[13;37H.txt":                                "evil\n",
	})
	h.write(t, "../.gemini/settings.json", fmt.Sprintf(`{"general": {"checkpointing": {"enabled": true}}, "mcpServers": {"srv": {"command": %s, "args": ["-x"], "description": %s, "env": {%q: "1", "GIVEN": %[2]s}}}}`,
		quoted(t, exe), name, mcpServerMode))
	h.write(t, "../.gemini/policies/p.toml", "[[rule]]\ntoolName = "+tomlString(hostile)+"\ndecision = \"deny\"\npriority = 1\ndenyMessage = "+tomlString(hostile)+"\n")
	h.write(t, "../.gemini/extensions/x/gemini-extension.json", fmt.Sprintf(`{"name": "x", "version": %[1]s, "excludeTools": [%[1]s]}`, name))
	return h
}

func tomlString(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\U%08X`, r)
	}
	return `"` + b.String() + `"`
}

// assertInert fails if hostile text reached the terminal unescaped.
func (c *chat) assertInert() {
	c.t.Helper()
	c.mu.Lock()
	raw := c.raw.String()
	c.mu.Unlock()
	for i, r := range raw {
		if text.Hides(r) && !strings.ContainsRune("\n\r\t\a\b\x1b", r) {
			c.t.Fatalf("U+%04X goes to the terminal: %q", r, raw[max(0, i-200):min(len(raw), i+50)])
		}
	}
	for _, acts := range []string{"\x1b]0;owned", "\x1b[13;37H"} {
		if i := strings.Index(raw, acts); i >= 0 {
			c.t.Fatalf("%q goes to the terminal: %q", acts, raw[max(0, i-200):i+50])
		}
	}
}

// glance types a line and declines what it asks.
func (c *chat) glance(line string) {
	c.t.Helper()
	c.waitReady()
	c.wipe()
	c.keys(line)
	c.waitFor(line)
	c.keys(keyEnter)
	asks := func(text string) bool { return strings.HasSuffix(text, "]") }
	if text := c.waitUntil(line+" done", func(text string) bool { return asks(text) || strings.HasSuffix(prompt(text), ready) }); asks(text) {
		c.keys(keyEscape)
	}
}

// TestHostileTextInTheChat: text from a project, a server, a model or a hook has no effect
// on the terminal, whichever command shows it. The commands are those of
// TestSlashCommands, which covers all of them.
func TestHostileTextInTheChat(t *testing.T) {
	t.Parallel()
	t.Run("trust", func(t *testing.T) {
		t.Parallel()
		h := hostileHome(t)
		c := h.startChat(t, nil, h.answersFile(t)...)
		assert.Contains(t, c.waitFor("Trust it? [1]"), "<U+202E>", "what hides is shown to who decides")
		c.assertInert()
	})
	t.Run("looking", func(t *testing.T) {
		t.Parallel()
		h := hostileHome(t)
		c := h.startChat(t, nil, trusted(h.answersFile(t))...)
		for _, s := range slices.Concat(looking, wrong) {
			c.glance(s.line)
		}
		c.waitReady()
		c.keys("/\x1b[A") // the last item of the menu
		c.waitFor("evil")
		c.assertInert()
	})
	t.Run("talking", func(t *testing.T) {
		t.Parallel()
		h := hostileHome(t)
		call := `call write_file {"file_path": ` + quoted(t, "a"+hostile+".txt") + `, "content": ` + quoted(t, hostile+"\n") + "}"
		c := h.startChat(t, nil, trusted(h.answersFile(t,
			`call mcp_srv_lookup {"name": "GIVEN"}`, "call "+strings.ReplaceAll(hostile, " ", "_")+" {}", `call run_shell_command {"command": `+quoted(t, "echo "+hostile)+`, "description": `+quoted(t, hostile)+`}`,
			call, `call ask_user {}`, "say "+hostile, "say "+hostile))...)
		c.say("Hi")
		for _, question := range []string{"Allow execution of MCP tool", "Allow execution?", "Allow this change"} {
			c.waitUntil(question, func(text string) bool {
				return strings.HasSuffix(text, "]") && strings.HasPrefix(text[strings.LastIndex(text, "Allow"):], question)
			})
			c.keys("1")
		}
		c.waitReady()
		for _, s := range talking {
			c.glance(s.line)
		}
		c.waitReady()
		c.assertInert()
	})
}

// TestHostileTextWatched: the output of a round of watched cases is as inert as that of a
// single run.
func TestHostileTextWatched(t *testing.T) {
	t.Parallel()
	speak := "echo " + strings.ReplaceAll(quoted(t, `{"decision":"deny","reason":`+quoted(t, hostile)+`}`), "$", "\\$")
	h := newHome(t, map[string]string{"cases/evil.txtar": "# " + hostile + "\nprompt x" + hostile + "\nfired BeforeAgent * decision=proceed\n-- settings.json --\n" +
		`{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": ` + quoted(t, hostile) + `, "command": ` + quoted(t, speak) + "}]}]}}\n-- model --\ntext " + hostile + "\n"})
	cmd, _, stderr := h.command(t, run{Args: []string{"hooks", "test", "--watch", "-v", "cases"}})
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), "waiting for changes") {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		}
	}
	_ = cmd.Wait() // its output is checked
	all := said.String() + stderr.String()
	assert.Contains(t, all, "waiting for changes")
	assert.Contains(t, all, "FAIL    cases/evil")
	assert.Contains(t, all, "deny (", "the report quotes the hook")
	for _, r := range strings.ReplaceAll(all, "\n", "") {
		require.False(t, text.Hides(r), "U+%04X is in %q", r, all)
	}
}
