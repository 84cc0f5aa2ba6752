package compress

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/llm"
)

// output returns a result with this many tokens.
func output(id, tool string, tokens int) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{
		ID: id, Name: tool, Response: map[string]any{"output": strings.Repeat(id[len(id)-1:], tokens*charsPerToken)},
	}}}
}

func masking(messages ...llm.Message) (*Compressor, *agent.Memory, map[string]string, *[]Masked) {
	h, files, told := &agent.Memory{}, map[string]string{}, &[]Masked{}
	h.Replace(messages)
	return &Compressor{
		History: h, Limit: 1 << 40,
		Save:         func(id, text string) (string, error) { files[id] = text; return "/out/" + id, nil },
		ReportMasked: func(m Masked) { *told = append(*told, m) },
	}, h, files, told
}

func TestMask(t *testing.T) {
	t.Parallel()
	rounds := func(tool string, tokens ...int) (ms []llm.Message) {
		ms = append(ms, prompt(10))
		for i, n := range tokens {
			id := fmt.Sprint("c", i)
			ms = append(ms, asks(id), output(id, tool, n))
		}
		return ms
	}
	both := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		output("x1", "t", 40_000).Parts[0], llm.Text{Text: "seen"}, output("x2", "t", 40_000).Parts[0],
	}}
	cases := []struct {
		name   string
		before []llm.Message
		want   []string // ids of the masked results
	}{
		{"nothing", nil, nil},
		{"less than is worth it", rounds("t", 29_000, 20_000, 30_000, 1), nil},
		{"the oldest, beyond the newest 50,000", rounds("t", 20_000, 10_000, 20_000, 30_000, 1), []string{"c1", "c0"}},
		{"the one that crosses the line too", rounds("t", 30_000, 60_000, 1), []string{"c1", "c0"}},
		{"with the one that crosses it, just enough", rounds("t", 10_000, 45_000, 40_000, 1), []string{"c1", "c0"}},
		{"the last message is not counted", rounds("t", 25_000, 40_000, 90_000), nil},
		{"what steers the model stays", rounds("activate_skill", 60_000, 60_000, 60_000, 1), nil},
		{"short ones stay", rounds("t", 250, 40_000, 60_000, 1), []string{"c2", "c1"}},
		{"one message, from its end", []llm.Message{prompt(1), asks("x"), both, output("c9", "t", 10_001), asks("z"), output("z", "t", 1)}, []string{"x2", "x1"}},
	}
	for _, c := range cases {
		z, h, files, told := masking(c.before...)
		z.Fit(t.Context(), 0)
		var masked []string
		for i, m := range h.Messages() {
			for j, p := range m.Parts {
				r, ok := p.(llm.ToolResult)
				if !ok || assert.ObjectsAreEqual(c.before[i].Parts[j], p) {
					assert.Equal(t, c.before[i].Parts[j], p, c.name)
					continue
				}
				masked = append([]string{r.ID}, masked...)
				was := c.before[i].Parts[j].(llm.ToolResult).Response["output"].(string)
				assert.Equal(t, was, files[r.ID], c.name)
				assert.Equal(t, fmt.Sprintf("<tool_output_masked>\n%s\n[... %d characters left out of this older output; the whole of it is in /out/%s ...]\n%s\n</tool_output_masked>",
					was[:250], len(was)-500, r.ID, was[:250]), r.Response["output"], c.name)
			}
		}
		assert.Equal(t, c.want, masked, c.name)
		assert.Len(t, *told, min(1, len(c.want)), c.name)
		now := h.Messages()
		z.Fit(t.Context(), 0)
		assert.Equal(t, now, h.Messages(), "%s: a second look changes nothing", c.name)
	}
}

// Outputs that cannot be saved to a file stay whole, and are not tried again in each
// round.
func TestMaskWithoutFiles(t *testing.T) {
	t.Parallel()
	before := []llm.Message{prompt(1), asks("a1"), output("a1", "t", 50_000), asks("b2"), output("b2", "t", 50_000), asks("c3"), output("c3", "t", 1)}
	z, h, _, told := masking(before...)
	tried := 0
	z.Save = func(string, string) (string, error) { tried++; return "", errors.New("the disk is full") }
	z.Fit(t.Context(), 0)
	z.Fit(t.Context(), 0)
	assert.Equal(t, before, h.Messages())
	assert.Equal(t, 1, tried)
	assert.Empty(t, *told)
	z.Save = nil
	z.Fit(t.Context(), 0)
	assert.Equal(t, before, h.Messages())
}

// Further rounds are added to the count, and masking happens again when there is enough
// to mask.
func TestMaskGoesOn(t *testing.T) {
	t.Parallel()
	z, h, files, told := masking(prompt(1))
	for i := range 40 {
		id := fmt.Sprint("c", i)
		h.Append(asks(id))
		h.Append(output(id, "t", 5_000))
		z.Fit(t.Context(), 0)
	}
	require.NotEmpty(t, *told)
	for _, m := range *told {
		assert.GreaterOrEqual(t, m.Prunable, maskWorth)
		assert.Equal(t, 5_000*m.Outputs, m.Prunable)
		assert.InDelta(t, m.Before-m.Prunable, m.After, 200*float64(m.Outputs))
	}
	assert.Len(t, *told, 4)
	assert.Len(t, files, 24)
	assert.InDelta(t, 16*5_000, Estimate(h.Messages()), 24*200)
}
