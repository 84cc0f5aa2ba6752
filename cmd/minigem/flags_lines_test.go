package main

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/shell"

	"minigem/e2e/fakemodel"
	"minigem/internal/exit"
	"minigem/llm"
)

//go:embed testdata/command_lines.txt
var commandLines string

// TestCommandLines runs each line of testdata/command_lines.txt, which explains
// the outcomes.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(commandLines) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		lines++
		typed, outcome, ok := strings.Cut(line, " => ")
		require.True(t, ok, line)
		outcome, before, changed := strings.Cut(outcome, " <= ")
		assert.False(t, changed && before == outcome, line)
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, outcome, outcomeOf(t, typed, strings.Split(outcome, "; ")))
		})
	}
	assert.GreaterOrEqual(t, lines, 150)
}

// outcomeOf runs a command line and returns its outcome in the words of
// testdata/command_lines.txt, limited to those in want.
func outcomeOf(t *testing.T, typed string, want []string) string {
	w := newHookWorld(t, map[string]string{"ext/gemini-extension.json": `{"name": "ext", "version": "1.0.0"}`})
	args, err := shell.Fields(typed, func(name string) string { return map[string]string{"DIR": w.project}[name] })
	require.NoError(t, err)
	model := newWatchedModel(t)
	asked, got := model.run(w, args[1:])
	var outcome []string
	add := func(format string, args ...any) { outcome = append(outcome, fmt.Sprintf(format, args...)) }
	if asked {
		add("ask %s", promptIn(model.Log()))
	}
	if wrote := w.exists("pwned"); wrote {
		add("wrote")
	}
	for _, word := range want {
		kind, rest, _ := strings.Cut(word, " ")
		switch {
		case kind == "model" && asked:
			path := model.Log()[0].Path
			_, path, _ = strings.Cut(path, "/models/")
			name, _, _ := strings.Cut(path, ":")
			add("model %s", name)
		case kind == "json" && strings.HasPrefix(got.out, "{\n"), kind == "stream" &&
			strings.HasPrefix(got.out, `{"type":"init"`):
			add("%s", kind)
		}
		if kind == "says" {
			if got.code != exit.OK {
				add("exit %d", got.code)
			}
			if !strings.Contains(got.out+got.err, rest) {
				rest = got.out + got.err
			}
			add("says %s", rest)
		}
	}
	if asked && got.code != exit.OK {
		add("exit %d: %s", got.code, got.err)
	}
	return strings.Join(outcome, "; ")
}

// promptIn returns the user's last text in the first request of a conversation.
func promptIn(log []fakemodel.Request) string {
	for _, r := range log {
		if r.Side {
			continue
		}
		parts := r.Parsed.Messages[len(r.Parsed.Messages)-1].Parts
		return parts[len(parts)-1].(llm.Text).Text
	}
	return ""
}
