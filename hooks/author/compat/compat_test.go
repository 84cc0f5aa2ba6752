package compat

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/agents"
)

// TestDocument checks that each cell has its evidence, and that unknown cells are
// absent.
func TestDocument(t *testing.T) {
	t.Parallel()
	d, err := New()
	require.NoError(t, err)
	data, err := json.Marshal(d)
	require.NoError(t, err)
	var back Document
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, "minigem.dev/compat/1", back.Schema)
	assert.Len(t, back.Agents, len(agents.IDs()))
	measured := 0
	for _, e := range back.Effects {
		assert.NotEmpty(t, e.Evidence, e)
		assert.NotEqual(t, "unknown", e.Effect)
		assert.Contains(t, back.Answers, e.Answer)
		assert.NotEqual(t, "opencode", e.Agent)
		if e.Evidence == agents.Measured {
			measured++
		}
	}
	total := 0
	for _, o := range agents.Observed() {
		total += len(o)
	}
	assert.Equal(t, total, measured)
}

func TestPointOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]agents.Point{
		"BeforeTool": agents.BeforeTool, "PreToolUse": agents.BeforeTool, "pre": agents.BeforeTool, "agentStop": agents.AgentStop,
		"before_prompt": agents.BeforePrompt, "chat.message": agents.BeforePrompt,
	} {
		p, ok := PointOf(name)
		assert.True(t, ok, name)
		assert.Equal(t, want, p, name)
	}
	for _, name := range []string{"BeforeModel", "match", "", "x"} {
		_, ok := PointOf(name)
		assert.False(t, ok, name)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	others, err := Agents("claude, codex,opencode")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, WriteEvent(&b, agents.BeforeTool, others))
	assert.Regexp(t, `(?m)^exit 2\n    refused: claude; no effect: codex$`, b.String())
	b.Reset()
	require.NoError(t, Write(&b, others))
	assert.Regexp(t, `(?m)^session_end +SessionEnd +SessionEnd +\?$`, b.String())
	_, err = Agents("claude,x")
	require.Error(t, err)
}

// TestPage checks that the page has every answer and every agent, and requests nothing.
func TestPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, WritePage(&b))
	page := b.String()
	for _, name := range agents.Names() {
		assert.Contains(t, page, `data-find="`+strings.ToLower(name))
	}
	for _, a := range agents.All() {
		assert.Contains(t, page, `<input type="checkbox" checked value="`+a.ID+`">`)
	}
	assert.NotRegexp(t, regexp.MustCompile(`(?i)(src|href)="?(https?:)?//|@import|url\(`), page)
	assert.Contains(t, page, "default-src 'none'")
	for _, name := range []string{"policy", "style", "script", "agents", "nav", "tables"} {
		assert.NotContains(t, page, "{{"+name+"}}")
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options Options
		prints  string
		fails   string
	}{
		{options: Options{}, prints: "answers tried"},
		{options: Options{Args: []string{"Stop"}, Agents: "codex"}, prints: "retry, no end"},
		{options: Options{JSON: true}, prints: `"minigem.dev/compat/1"`},
		{options: Options{HTML: true}, prints: "<!doctype html>"},
		{options: Options{Args: []string{"BeforeModel"}}, fails: `answers at "BeforeModel" have not been measured`},
		{options: Options{JSON: true, HTML: true}, fails: "give only one of --json, --html and an event"},
		{options: Options{Agents: "x"}, fails: "there is no agent"},
	} {
		var b strings.Builder
		err := Run(&b, &b, false, tt.options)
		if tt.fails != "" {
			require.ErrorContains(t, err, tt.fails)
			continue
		}
		require.NoError(t, err)
		assert.Contains(t, b.String(), tt.prints)
	}
}
