package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/internal/exit"
	"minigem/internal/management"
	"minigem/llm"
	"minigem/llm/script"
)

// A watched model counts its requests and answers the first of each run with a
// call that writes a file.
type watchedModel struct {
	*fakemodel.Server
	url string
}

func newWatchedModel(t *testing.T) watchedModel {
	t.Helper()
	call := llm.ToolCall{Name: "write_file", Args: map[string]any{"file_path": "pwned", "content": "x"}}
	s := fakemodel.New(fakemodel.Options{Entries: []script.Entry{
		script.Streamed(llm.Chunk{Parts: []llm.Part{call}, FinishReason: "STOP"}),
		script.Streamed(llm.Chunk{Parts: []llm.Part{llm.Text{Text: "Done."}}, FinishReason: "STOP"}),
	}})
	url, stop, err := s.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(stop)
	return watchedModel{s, url}
}

// run runs minigem with args and reports whether the model got a request.
func (m watchedModel) run(w hookWorld, args []string) (asked bool, got said) {
	before := len(m.Log())
	sys, out, errOut := w.sys("GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL="+m.url)
	code := run(args, sys)
	return len(m.Log()) > before, said{out.String(), errOut.String(), code}
}

// TestManagementWordsAreNotPrompts checks that a command of another agent, or a misspelled
// one of ours, is never sent to a model: not alone, with flags or with a subcommand.
func TestManagementWordsAreNotPrompts(t *testing.T) {
	t.Parallel()
	w, model := newHookWorld(t, nil), newWatchedModel(t)
	words := []string{"hoks", "sesions", "setings", "polices", "trsut", "mpc", "extention", "skils", "lint", "explain", "replay", "show"}
	subs := map[string][]string{}
	for _, c := range management.Commands {
		for _, word := range c.Words {
			words = append(words, word)
			subs[word] = c.Subs
		}
	}
	type form struct{ before, behind []string }
	alone := []form{
		{}, {nil, []string{"-y"}}, {nil, []string{"--approval-mode", "yolo"}}, {nil, []string{"--"}}, {nil, []string{"--help"}},
		{nil, []string{"--base", "main"}}, {[]string{"-y"}, nil}, {[]string{"--approval-mode", "yolo", "--skip-trust"}, nil}, {[]string{"--"}, nil},
		{[]string{"-y"}, []string{"--"}}, {[]string{"--"}, []string{"-y"}},
	}
	for _, word := range words {
		forms := alone
		for _, sub := range subs[word] {
			forms = append(slices.Clip(forms), form{nil, []string{sub}}, form{nil, []string{sub, "github", "npx", "-y", "@scope/pkg"}},
				form{[]string{"-y"}, []string{sub}}, form{[]string{"--"}, []string{sub, "-y"}})
		}
		for _, f := range forms {
			args := slices.Concat(f.before, []string{word}, f.behind)
			asked, got := model.run(w, args)
			line := strings.Join(args, " ")
			assert.False(t, asked, line)
			assert.Equal(t, exit.Input, got.code, line)
			assert.Contains(t, got.err, `If it is meant as a prompt: minigem -p "`+word, line)
		}
	}
	assert.NoFileExists(t, w.path("pwned"))
}

// TestPromptInteractiveOfAPipe checks that piped input is refused, because there is no
// terminal to stay in.
func TestPromptInteractiveOfAPipe(t *testing.T) {
	t.Parallel()
	sys, out, complaints := newHookWorld(t, nil).sys()
	sys.Stdin = strings.NewReader("x")
	assert.Equal(t, 42, run([]string{"-i", "hi"}, sys))
	assert.Contains(t, complaints.String(), "The --prompt-interactive flag cannot be used when input is piped from stdin")
	assert.Empty(t, out.String())
}
