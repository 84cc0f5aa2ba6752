//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var callID = regexp.MustCompile(`"id": "[^"]+"`)

// TestChatShares: /chat share and /export write the same complete conversation, as
// Markdown and as JSON.
func TestChatShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, file, golden string }{
		{"/chat share out.md", "out.md", "conversation.md"},
		{"/export out.md", "out.md", "conversation.md"},
		{"/export-session ~/out.md", "../out.md", "conversation.md"},
		{"/chat share out.json", "out.json", "conversation.json"},
		{"/export out.json", "out.json", "conversation.json"},
		{"/resume share out.json", "out.json", "conversation.json"},
		{"/chat share", "gemini-conversation-*.json", "conversation.json"},
		{"/export", "gemini-conversation-*.json", "conversation.json"},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"notes.txt": "hello\n", ".gemini/settings.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command",
				"command": "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"rules\"}}'"}]}]}}`})
			chat := h.startChat(t, []string{"MY_API_KEY=tulip-rose-1234"}, append(trusted(h.answersFile(t,
				`say "Let me see.\n"`+"\n"+`call read_file {"file_path": "notes.txt"}`, editNotes,
				`call run_shell_command {"command": "printf '%s\\n' '`+"```"+` <b>' $MY_API_KEY"}`,
				"say \"It says:\\n\\n```\\ngoodbye\\n```\\n\"")), "--yolo")...)
			chat.say("Change @notes.txt, please")
			chat.waitFor("It says:")
			chat.saySees(c.line, "Written: ")
			chat.quit()
			files, err := filepath.Glob(filepath.Join(h.workspace, c.file))
			require.NoError(t, err)
			require.Len(t, files, 1)
			data, err := os.ReadFile(files[0])
			require.NoError(t, err)
			got := regexp.MustCompile(`Process Group PGID: \d+`).ReplaceAllString(callID.ReplaceAllString(string(data), `"id": "ID"`), "Process Group PGID: PGID")
			got = regexp.MustCompile(regexp.QuoteMeta(h.workspace)).ReplaceAllString(got, "PROJECT")
			path := filepath.Join("testdata", "share", c.golden)
			if *updateScreens {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
				return
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			info, err := os.Stat(files[0])
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	}
}
