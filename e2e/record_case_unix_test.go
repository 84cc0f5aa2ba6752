//go:build unix

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm/script"
)

// TestRecordCaseOfASignal: what happened before the signal becomes a case.
func TestRecordCaseOfASignal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{".gemini/settings.json": `{"hooks": {"BeforeModel": [{"hooks": [{"type": "command", "name": "before",
				"command": "if [ -e once ]; then touch twice; else touch once; fi"}]}]}}`})
			entries, err := parseAnswers("answers", "call list_directory {\"dir_path\": \".\"}\n\nsay Never.\nfault {\"silent\": true}")
			require.NoError(t, err)
			server := startFakeAPI(t, append([]script.Entry{}, entries...))
			cmd, _, stderr := h.command(t, run{
				Args: []string{"-m", "gemini-2.5-flash", "--skip-trust", "--record-case", "c.txtar", "-p", "Look"}, Env: server.env(),
			})
			require.NoError(t, cmd.Start())
			waitFor(t, h.workspace+"/twice")
			require.NoError(t, cmd.Process.Signal(c.signal))
			var exit *exec.ExitError
			require.True(t, errors.As(cmd.Wait(), &exit))
			assert.Equal(t, c.code, exit.ExitCode(), stderr)
			text := h.recorded(t, "c.txtar")
			assert.Contains(t, text, "The run was interrupted")
			assert.Contains(t, text, "tool-ran list_directory times=1..\n")
			assert.NotContains(t, text, "Never.")
		})
	}
}

// TestRecordCaseFollowsNoNewLink: what is written is decided before anything runs.
func TestRecordCaseFollowsNoNewLink(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"the file": "ln -s ../outside/c.txtar out/c.txtar", "its folder": "mv out away; ln -s ../outside out"} {
		h := newHome(t, map[string]string{"out/x": "", ".gemini/settings.json": `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`})
		outside := filepath.Join(filepath.Dir(h.workspace), "outside")
		require.NoError(t, os.Mkdir(outside, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(outside, "c.txtar"), []byte("mine"), 0o644))
		h.run(t, run{Args: append(trusted(h.answersFile(t, "say Done.")), "--record-case", "out/c.txtar", "-p", "Look")})
		text, err := os.ReadFile(filepath.Join(outside, "c.txtar"))
		require.NoError(t, err)
		assert.Equal(t, "mine", string(text), name)
	}
}

// TestRecordCaseOfAChat: several prompts, answers to permission prompts, /clear.
func TestRecordCaseOfAChat(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"notes.txt": "hello\n", ".gemini/settings.json": `{"hooks": {
		"BeforeTool": [{"hooks": [{"type": "command", "name": "careful", "command": "echo '{\"decision\": \"ask\", \"reason\": \"look twice\"}'"}]}],
		"SessionEnd": [{"hooks": [{"type": "command", "name": "bye", "command": "true"}]}]}}`})
	c := h.startChat(t, nil, append(trusted(h.answersFile(t, editNotes, "say Changed.",
		`call run_shell_command {"command": "touch one"}`, "say Fine.")), "--record-case", "c.txtar")...)
	c.say("Change it")
	c.waitFor("look twice", "Allow", "[1]")
	c.keys("1" + keyEnter)
	c.waitFor("Changed.")
	c.say("!echo by hand")
	c.waitFor("by hand")
	c.say("/about")
	c.say("/clear")
	c.waitFor("A new session")
	c.say("Touch one")
	c.waitFor("touch one", "Allow", "[1]")
	c.keys("n not so fast" + keyEnter)
	c.waitFor("Cancelled")
	c.quit()
	text := h.recorded(t, "c.txtar")
	assert.Contains(t, text, "interactive\nanswer once\nprompt Change it\nclear\nanswer no not so fast\nprompt Touch one\n")
	for _, want := range []string{
		"fired BeforeTool careful decision=ask reason='look twice' times=2\n", "fired SessionEnd bye decision=proceed times=2\n",
		"tool-ran replace times=1\n", "! tool-ran run_shell_command\n", "tool-result run_shell_command status=cancelled times=1\n",
		"cmp notes.txt want/notes.txt\n", "-- notes.txt --\nhello\n", "-- want/notes.txt --\ngoodbye\n", "Commands that the user ran with !",
	} {
		assert.Contains(t, text, want)
	}
}
