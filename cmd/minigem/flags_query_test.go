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

// run runs minigem with args and reports whether the model was asked.
func (m watchedModel) run(w hookWorld, args []string) (asked bool, got said) {
	before := len(m.Log())
	sys, out, errOut := w.sys("GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL="+m.url)
	code := run(args, sys)
	return len(m.Log()) > before, said{out.String(), errOut.String(), code}
}

// TestManagementWordsAreNoPrompts: a command of another agent, or a misspelled
// one of ours, with anything before and behind it, is never sent to a model.
func TestManagementWordsAreNoPrompts(t *testing.T) {
	t.Parallel()
	w, model := newHookWorld(t, nil), newWatchedModel(t)
	words := []string{"hoks", "sesions", "setings", "polices", "trsut", "mpc", "extention", "skils", "lint", "explain", "replay", "show"}
	ours := len(words)
	for _, c := range management.Commands {
		words = append(words, c.Words...)
	}
	type form struct{ before, behind []string }
	alone := []form{
		{}, {nil, []string{"-y"}}, {nil, []string{"--approval-mode", "yolo"}}, {nil, []string{"--"}}, {nil, []string{"--help"}},
		{[]string{"-y"}, nil}, {[]string{"--approval-mode", "yolo", "--skip-trust"}, nil}, {[]string{"--"}, nil},
		{[]string{"-y"}, []string{"--"}}, {[]string{"--"}, []string{"-y"}},
	}
	followed := []form{
		{nil, []string{"list"}}, {nil, []string{"add", "github", "npx", "-y", "@scope/pkg"}}, {nil, []string{"install", "https://host/x", "--yolo"}},
		{[]string{"-y"}, []string{"list"}}, {[]string{"--"}, []string{"add", "github", "npx", "-y"}},
	}
	for i, word := range words {
		forms := alone
		if i >= ours {
			forms = slices.Concat(alone, followed)
		}
		for _, f := range forms {
			args := slices.Concat(f.before, []string{word}, f.behind)
			asked, got := model.run(w, args)
			line := strings.Join(args, " ")
			assert.False(t, asked, line)
			assert.Equal(t, exit.Input, got.code, line)
			if !strings.Contains(got.err, "follows the words of a prompt") {
				assert.Contains(t, got.err, `If it is meant as a prompt: minigem -p "`+word, line)
			}
		}
	}
	assert.NoFileExists(t, w.path("pwned"))
}

// TestWhatAPromptMayLookLike: what is a prompt stays one, and flags count where
// they can be no other program's.
func TestWhatAPromptMayLookLike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args  []string
		wrote bool   // the model's call ran
		says  string // why it is refused; "": the model is asked
	}{
		{[]string{"hi"}, false, ""},
		{[]string{"fix", "the", "tests"}, false, ""},
		{[]string{"fix the tests"}, false, ""},
		{[]string{"-p", "mcp"}, false, ""},
		{[]string{"-p", "mcp add github npx -y @scope/pkg"}, false, ""},
		{[]string{"mcp add github npx -y @scope/pkg"}, false, ""},
		{[]string{"fix", "it", "--", "-y"}, false, ""},
		{[]string{"--", "-y", "is", "yolo"}, false, ""},
		{[]string{"-y", "-p", "mcp list"}, true, ""},
		{[]string{"-y", "fix", "the", "tests"}, true, ""},
		{[]string{"fix the tests", "--yolo"}, true, ""},
		{[]string{"fix the tests", "--approval-mode", "yolo", "-o", "json"}, true, ""},

		{[]string{"fix", "the", "tests", "-y"}, false, "-y follows the words of a prompt"},
		{[]string{"fix", "--yolo"}, false, "--yolo follows the words of a prompt"},
		{[]string{"npx", "-y", "pkg"}, false, "-y follows the words of a prompt"},
		{[]string{"fix it", "npx", "-y"}, false, "-y follows the words of a prompt"},
		{[]string{"fix it", "-y", "npx"}, false, `"npx" follows the prompt and its flags`},
		{[]string{"fix it", "--help"}, false, "--help follows a prompt"},
		{[]string{"fix it", "--yollo"}, false, "after the prompt: unknown flag: --yollo"},
	} {
		w := newHookWorld(t, nil)
		asked, got := newWatchedModel(t).run(w, c.args)
		line := strings.Join(c.args, " ")
		assert.Equal(t, c.says == "", asked, "%s: %s", line, got.err)
		assert.Equal(t, map[bool]int{true: exit.OK, false: exit.Input}[asked], got.code, line)
		assert.Contains(t, got.err, c.says, line)
		if c.wrote {
			assert.FileExists(t, w.path("pwned"), line)
		} else {
			assert.NoFileExists(t, w.path("pwned"), line)
		}
	}
}
