package undo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/session"
	"minigem/transcript"
)

// FuzzCheckpoint checks that the files of checkpoints and tags yield a checkpoint or an
// error naming it, that what was read can be stored and read again unchanged, and that
// planning to go back to it touches no file.
func FuzzCheckpoint(f *testing.F) {
	for _, text := range []string{
		`{"history":[],"clientHistory":[{"role":"user","parts":[{"text":"a"}]}],"toolCall":{"name":"write_file","args":{"file_path":"/x"}},"commitHash":"abc","files":{"/etc/passwd":"YQ==","../x":null}}`,
		`[{"role":"model","parts":[null,{"functionCall":{"name":"x"}}]}]`, `null`, `{"clientHistory":[null],"toolCall":null,"files":[]}`, `{"commitHash":"--output=x"}`, ``, `[`, `{"history":[5]}`,
	} {
		f.Add([]byte(text))
	}
	temp := f.TempDir()
	s := Store{Project: session.Project{Root: "/p", Temp: temp, History: filepath.Join(temp, "history")}}
	require.NoError(f, os.Mkdir(s.Dir(), 0o700))
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(s.file("one"), data, 0o600))
		require.NoError(t, os.WriteFile(s.tagFile("one"), data, 0o600))
		c, err := s.Checkpoint("one")
		if err != nil {
			require.ErrorContains(t, err, "one")
		} else {
			require.Equal(t, "one", c.Name)
			require.NoError(t, s.save(c))
			again, err := s.Checkpoint("one")
			require.NoError(t, err)
			require.Equal(t, inJSON(t, c.Conversation), inJSON(t, again.Conversation))
			require.Equal(t, c.Commit, again.Commit)
			require.Len(t, again.Files, len(c.Files))
		}
		tagged, err := s.Tagged("one")
		if err != nil {
			require.ErrorContains(t, err, "one")
			return
		}
		require.NoError(t, s.SaveTag("one", tagged.Conversation, tagged.Auth))
		again, err := s.Tagged("one")
		require.NoError(t, err)
		require.Equal(t, inJSON(t, tagged.Conversation), inJSON(t, again.Conversation))
	})
}

func inJSON(t *testing.T, conversation []llm.Message) []string {
	var out []string
	for _, m := range conversation {
		data, err := m.MarshalJSON()
		require.NoError(t, err)
		out = append(out, string(data))
	}
	return out
}

// FuzzPrompts checks that, in any session's file, each edit belongs to a prompt and
// names a file.
func FuzzPrompts(f *testing.F) {
	for _, text := range []string{
		`{"sessionId":"s"}` + "\n" + `{"id":"a","type":"user","content":"do"}` + "\n" +
			`{"id":"b","type":"gemini","content":"","toolCalls":[{"id":"1","name":"replace","status":"success","resultDisplay":{"filePath":"/x","originalContent":null,"newContent":"n","diffStat":{"model_added_lines":-1}}}]}`,
		`{"sessionId":"s"}` + "\n" + `{"id":"b","type":"gemini","toolCalls":[null,{"status":"success","resultDisplay":5}]}`, `{"messages":[{"type":"user","content":[null]}]}`,
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		file, err := transcript.Read(path)
		if err != nil {
			return
		}
		prompts := Prompts(file)
		require.LessOrEqual(t, len(prompts), len(file.Messages))
		for _, p := range prompts {
			require.NotEmpty(t, p.Text)
			for _, e := range p.Edits {
				require.NotEmpty(t, e.Path)
			}
		}
	})
}
