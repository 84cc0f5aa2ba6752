package compat

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/dialect"
)

// TestClaims: what three projects say of these agents, beside the tables.
func TestClaims(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../examples/compat/claims.json")
	require.NoError(t, err)
	claims, err := ReadClaims(data)
	require.NoError(t, err)
	count := map[string]int{}
	for _, v := range Judge(claims) {
		count[v.Verdict]++
	}
	assert.Equal(t, map[string]int{Contradicts: 27, Partly: 6, Agrees: 9, Unmeasured: 2}, count)
	assert.Contains(t, WriteVerdicts(Judge(claims)), "claude 2.1.330, timeout.unit: claimed ms, measured s\n")
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		check Check
		want  string
	}{
		{Check{Agent: "codex", Answer: "pre/exit2-silent", Expect: "refused"}, Contradicts},
		{Check{Agent: "codex", Answer: "pre/exit2-silent", Expect: "refused", Holds: "a reason on stderr refuses"}, Partly},
		{Check{Agent: "codex", Answer: "pre/exit2-silent", Expect: "allowed", Holds: "so it is"}, Agrees},
		{Check{Agent: "codex", Answer: "pre/exit2-silent", Expect: "allowed"}, Agrees},
		{Check{Agent: "codex", Version: "0.1.0", Answer: "pre/exit2-silent", Expect: "refused"}, Stale},
		{Check{Agent: "codex", Version: "0.169.0", Answer: "pre/exit2-silent", Expect: "observe"}, Agrees},
		{Check{Agent: "claude", Answer: "pre/continue-false", Expect: "prevent"}, Contradicts},
		{Check{Agent: "gemini", Answer: "pre/continue-false", Expect: "prevent"}, Agrees},
		{Check{Agent: "opencode", Answer: "pre/exit2", Expect: "prevent"}, Unmeasured},
		{Check{Agent: "copilot", Matcher: "Bash", Tool: "shell", Expect: "fired"}, Contradicts},
		{Check{Agent: "kiro", Matcher: "shell", Tool: "shell", Expect: "fired"}, Unmeasured},
		{Check{Agent: "claude", Fact: "entry_keys.async", Expect: "yes"}, Agrees},
		{Check{Agent: "claude", Fact: "no.such", Expect: "yes"}, Unmeasured},
	} {
		assert.Equal(t, tt.want, judge(tt.check).Verdict, "%+v", tt.check)
	}
}

func TestClaimsThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	for claims, says := range map[string]string{
		`{`:         "reading claims",
		`[{"x":1}]`: `unknown field "x"`,
		`[{"id":"a","checks":[{"agent":"cluade","fact":"x","expect":"y"}]}]`:                      `there is no agent "cluade"`,
		`[{"id":"a","checks":[{"agent":"claude","answer":"pre/x","expect":"y"}]}]`:                `no answer is called "pre/x"`,
		`[{"id":"a","checks":[{"agent":"claude","answer":"pre/exit2"}]}]`:                         "a check has expect",
		`[{"id":"a","checks":[{"agent":"claude","answer":"pre/exit2","fact":"x","expect":"y"}]}]`: "one of answer, matcher and fact",
	} {
		_, err := ReadClaims([]byte(claims))
		require.ErrorContains(t, err, says)
	}
}

// TestDocument: each cell has its evidence, and what is unknown is not there.
func TestDocument(t *testing.T) {
	t.Parallel()
	d, err := New()
	require.NoError(t, err)
	data, err := json.Marshal(d)
	require.NoError(t, err)
	var back Document
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, "minigem.dev/compat/1", back.Schema)
	assert.Len(t, back.Agents, len(dialect.IDs()))
	measured := 0
	for _, e := range back.Effects {
		assert.NotEmpty(t, e.Evidence, e)
		assert.NotEqual(t, "unknown", e.Effect)
		assert.Contains(t, back.Answers, e.Answer)
		assert.NotEqual(t, "opencode", e.Agent)
		if e.Evidence == dialect.Measured {
			measured++
		}
	}
	total := 0
	for _, o := range dialect.Observed() {
		total += len(o)
	}
	assert.Equal(t, total, measured)
}

func TestPointOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]dialect.Point{
		"BeforeTool": dialect.BeforeTool, "PreToolUse": dialect.BeforeTool, "pre": dialect.BeforeTool, "agentStop": dialect.AgentStop,
		"before_prompt": dialect.BeforePrompt, "chat.message": dialect.BeforePrompt,
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
	agents, err := Agents("claude, codex,opencode")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, WriteEvent(&b, dialect.BeforeTool, agents))
	assert.Regexp(t, `(?m)^pre/exit2-silent +refused +no effect +\?$`, b.String())
	b.Reset()
	require.NoError(t, Write(&b, agents))
	assert.Regexp(t, `(?m)^session_end +SessionEnd +SessionEnd +\?$`, b.String())
	_, err = Agents("claude,x")
	require.Error(t, err)
}

// TestPage: it holds every answer and every agent, and asks for nothing.
func TestPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, WritePage(&b))
	page := b.String()
	for _, name := range dialect.Names() {
		assert.Contains(t, page, `data-find="`+strings.ToLower(name))
	}
	for _, a := range dialect.All() {
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
	claims := []byte(`[{"id":"a","checks":[{"agent":"claude","fact":"timeout.unit","expect":"ms"}]}]`)
	for _, tt := range []struct {
		options Options
		wrong   bool
		prints  string
		fails   string
	}{
		{options: Options{}, prints: "answers tried"},
		{options: Options{Args: []string{"Stop"}, Agents: "codex"}, prints: "retry, no end"},
		{options: Options{JSON: true}, prints: `"minigem.dev/compat/1"`},
		{options: Options{HTML: true}, prints: "<!doctype html>"},
		{options: Options{Claims: claims}, wrong: true, prints: "1 contradict, 0 are right in part, 0 agree"},
		{options: Options{Claims: claims, JSON: true}, wrong: true, prints: `"verdict": "contradicts"`},
		{options: Options{Claims: []byte("x")}, fails: "reading claims"},
		{options: Options{Args: []string{"BeforeModel"}}, fails: `nobody has measured answers at "BeforeModel"`},
		{options: Options{JSON: true, HTML: true}, fails: "exclude each other"},
		{options: Options{Agents: "x"}, fails: "there is no agent"},
	} {
		var b strings.Builder
		wrong, err := Run(&b, &b, false, tt.options)
		if tt.fails != "" {
			require.ErrorContains(t, err, tt.fails)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tt.wrong, wrong)
		assert.Contains(t, b.String(), tt.prints)
	}
}

func FuzzReadClaims(f *testing.F) {
	f.Add([]byte(`[{"id":"a","checks":[{"agent":"claude","answer":"pre/exit2","expect":"y"},{"agent":"claude","matcher":"(","tool":"shell","expect":"fired"}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		claims, err := ReadClaims(data)
		if err != nil {
			return
		}
		for _, v := range Judge(claims) {
			assert.Contains(t, strength, v.Verdict)
		}
	})
}
