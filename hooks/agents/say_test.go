package agents

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reasons are texts that some agent misreads.
var reasons = []string{
	"f.txt is not yours", "two\nlines", `say "no" & <b> \ '$HOME'`, `{"decision":"allow"}`, "null", "42", `"quoted"`, "[]", "{cut", "", "\ufeffé 漢字 \U0001f600",
	"No such file or directory", "-n", "%s%n",
}

// TestSay checks that each agent reads an answer as it was meant, or as something safer
// that Lost mentions.
func TestSay(t *testing.T) {
	t.Parallel()
	cells, exact := 0, 0
	for _, a := range All() {
		for p, kinds := range ladder {
			for kind := range kinds {
				for _, reason := range reasons {
					if !a.Reads(p) {
						continue
					}
					name := fmt.Sprintf("%s %s %s %q", a.ID, p, kind, reason)
					m := meantBy(kind, reason)
					said := a.Say(p, m)
					got := a.Read(Answer{Point: p, Exit: said.Exit, Stdout: said.Stdout, Stderr: said.Stderr})
					cells++
					if got.Kind == kind && !got.Ran {
						exact++
						continue
					}
					require.NotEmpty(t, said.Lost, "%s: %+v", name, said)
					safe := got.Kind
					assert.Contains(t, append(kinds[kind], Unknown, Allowed), safe, name)
					if p == BeforeTool && kind != Context {
						assert.True(t, got.Prevents(), "%s: the tool runs: %+v", name, said)
					}
				}
			}
		}
	}
	assert.Greater(t, cells, 1500)
	assert.Greater(t, exact, 1000)
}

func meantBy(kind Kind, reason string) Meant {
	m := Meant{Kind: kind}
	switch kind {
	case Rewritten:
		m.Input = map[string]any{"command": "echo " + reason}
	case Context, Appended:
		m.Context = firstOf(jsTrim(reason), "more")
	default:
		m.Reason = reason
	}
	return m
}

// TestSayBlocks checks that a block blocks on every agent, and that the model reads the
// reason if the agent can pass it on.
func TestSayBlocks(t *testing.T) {
	t.Parallel()
	passes := map[string][]Point{"cline": {BeforePrompt, AgentStop}}
	silent := map[string]bool{"cline": true}
	for _, a := range All() {
		for p, kind := range map[Point]Kind{BeforeTool: Refused, BeforePrompt: PromptBlocked, AgentStop: Retry} {
			if !a.Reads(p) {
				continue
			}
			for _, reason := range reasons {
				said := a.Say(p, Meant{Kind: kind, Reason: reason, Context: "more", ToUser: "for you"})
				got := a.Read(Answer{Point: p, Exit: said.Exit, Stdout: said.Stdout, Stderr: said.Stderr})
				name := fmt.Sprintf("%s %s %q: %+v", a.ID, p, reason, said)
				if assert.ObjectsAreEqual(true, contains(passes[a.ID], p)) {
					assert.NotEmpty(t, said.Lost, name)
					continue
				}
				assert.True(t, got.Prevents(), name)
				if p == BeforeTool && !silent[a.ID] {
					assert.Contains(t, got.Reason+got.Context, plain(reason), name)
				}
			}
		}
	}
}

func contains(points []Point, p Point) bool {
	for _, q := range points {
		if p == q {
			return true
		}
	}
	return false
}

// TestSayWhatCannotBeSaid pins each agent's safe fallback, in its own words.
func TestSayWhatCannotBeSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent string
		point Point
		meant Meant
		kind  Kind
		lost  string
	}{
		{"codex", BeforeTool, Meant{Kind: Asked, Reason: "sure?"}, Refused, "cannot ask: the call is refused"},
		{"kimi", BeforeTool, Meant{Kind: Asked, Reason: "sure?"}, Refused, "cannot ask: the call is refused"},
		{"cline", BeforeTool, Meant{Kind: Asked, Reason: "sure?"}, RunEnded, "cannot ask: the run ends"},
		{"qwen", BeforeTool, Meant{Kind: Rewritten, Input: map[string]any{"command": "ls"}}, Refused, "cannot change the arguments of this call: the call is refused"},
		{"claude", BeforeTool, Meant{Kind: Rewritten}, Refused, "cannot change the arguments of this call: the call is refused"},
		{"codex", BeforeTool, Meant{Kind: RunEnded, Reason: "enough"}, Refused, "cannot end the run here: the call is refused"},
		{"claude", BeforeTool, Meant{Kind: RunEnded, Reason: "enough"}, RunEnded, ""},
		{"gemini", BeforeTool, Meant{Kind: Context, Context: "more"}, Allowed, "cannot tell the model more here: that is left out"},
		{"claude", AfterTool, Meant{Kind: Replaced, Reason: "hidden"}, Appended, "cannot replace this result: the text comes after the result"},
		{"claude", AfterTool, Meant{Kind: Replaced, Reason: "hidden", Result: map[string]any{"stdout": "s", "stderr": "", "interrupted": false}}, Replaced, ""},
		{"cline", AfterTool, Meant{Kind: Replaced, Reason: "hidden"}, Appended, "cannot replace this result: the text comes after the result"},
		{"kimi", AfterTool, Meant{Kind: Replaced, Reason: "hidden"}, Allowed, "cannot replace this result: it goes on"},
		{"cline", BeforePrompt, Meant{Kind: PromptBlocked, Reason: "no"}, Allowed, "cannot block the prompt: it goes on"},
	} {
		a, err := Find(c.agent)
		require.NoError(t, err)
		said := a.Say(c.point, c.meant)
		got := a.Read(Answer{Point: c.point, Exit: said.Exit, Stdout: said.Stdout, Stderr: said.Stderr})
		assert.Equal(t, c.kind, got.Kind, "%s %+v: %+v", c.agent, c.meant, said)
		if c.lost == "" {
			assert.Empty(t, said.Lost, c.agent)
		} else {
			assert.Contains(t, fmt.Sprint(said.Lost), c.lost, c.agent)
		}
	}
}

// TestSayUnknown checks that, if the reading of answers is unknown, a refusal is the
// universal one and nothing else is claimed to arrive.
func TestSayUnknown(t *testing.T) {
	t.Parallel()
	a, err := Find("opencode")
	require.NoError(t, err)
	assert.Equal(t, 2, a.Say(BeforeTool, Meant{Kind: Refused, Reason: "no"}).Exit)
	said := a.Say(BeforeTool, Meant{Kind: Asked, Reason: "sure?"})
	assert.Equal(t, 2, said.Exit)
	assert.NotEmpty(t, said.Lost)
	assert.Equal(t, Said{}, a.Say(BeforeTool, Meant{Kind: Allowed}))
	for _, b := range All() {
		if b.Reads(BeforeTool) {
			r := Refusal("no")
			assert.True(t, b.Read(Answer{Point: BeforeTool, Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr}).Prevents(), b.ID)
		}
	}
}
