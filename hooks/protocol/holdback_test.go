package protocol_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks/protocol"
)

var key = regexp.MustCompile(`\bsk-\w{8,}`)

func redact(text string) string { return key.ReplaceAllString(text, "[key]") }

// shown returns the text of an answer in chunks after HoldBack, as an agent joins it.
func shown(chunks []string, fullContent bool) string {
	var b strings.Builder
	full := ""
	for i, text := range chunks {
		full += text
		in := protocol.AfterModelInput{LLMResponse: protocol.LLMChunk{Text: text, Candidates: []protocol.LLMCandidate{{Content: protocol.LLMContent{Role: "model"}}}}}
		c := &in.LLMResponse.Candidates[0]
		if text != "" {
			c.Content.Parts = []string{text}
		}
		if i == len(chunks)-1 {
			c.FinishReason = "STOP"
		}
		if fullContent {
			in.FullContent = full
		}
		if r := protocol.HoldBack(in, redact).LLMResponse; r != nil {
			text = strings.Join(r.Parts, "")
		}
		b.WriteString(text)
	}
	return b.String()
}

// TestHoldBackWhereverTheTextIsSplit checks that, however an answer is split into
// chunks, the reader sees the same as for a single chunk.
func TestHoldBackWhereverTheTextIsSplit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The key is sk-abcdefgh1234, keep it.", "sk-abcdefgh", " sk-abcdefgh ", "ask-me sk-short\nsk-abcdefgh\n", "é\u00a0sk-abcdefgh\u2003ü", "no white space:sk-abcdefgh", "plain words go on", "",
	} {
		want := redact(text)
		assert.NotContains(t, want, "sk-abcdefgh")
		runes := strings.Split(text, "")
		assert.Equal(t, want, shown(runes, true), "a character each: %q", text)
		assert.Equal(t, want, shown(append(runes, ""), true), "with an empty chunk at the end: %q", text)
		for i := range len(runes) + 1 {
			for j := i; j <= len(runes); j++ {
				chunks := []string{strings.Join(runes[:i], ""), strings.Join(runes[i:j], ""), strings.Join(runes[j:], "")}
				assert.Equal(t, want, shown(chunks, true), "%q", chunks)
			}
		}
	}
	assert.Equal(t, "a [key] b", shown([]string{"a sk-abcdefgh", " b"}, false), "without full_content each chunk is judged by itself")
	assert.Equal(t, "a sk-abcdefgh b", shown([]string{"a sk-abcd", "efgh b"}, false))
}

func TestHoldBackAndThoughts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		parts        []string
		text, before string
		finish       string
		want         []string // nil means that the chunk stays
	}{
		{"a chunk that may stay", []string{"hello "}, "hello ", "", "", nil},
		{"a thought alone", []string{"about sk-abcdefgh"}, "", "held", "", []string{"about [key]"}},
		{"a thought before the text", []string{"hm", "a b"}, "a b", "", "", []string{"hm", "a "}},
		{"two texts", []string{"a ", "b "}, "a b ", "", "", []string{"a b ", ""}},
		{"nothing is ready", []string{"abc"}, "abc", "", "", []string{""}},
		{"the end is held text", nil, "", "held", "STOP", []string{"held"}},
		{"the end is a thought and held text", []string{"hm"}, "", "held", "STOP", []string{"", "held"}},
		{"no text and nothing held", nil, "", "", "STOP", nil},
	} {
		in := protocol.AfterModelInput{FullContent: c.before + c.text, LLMResponse: protocol.LLMChunk{Text: c.text, Candidates: []protocol.LLMCandidate{
			{Content: protocol.LLMContent{Parts: c.parts}, FinishReason: c.finish}}}}
		out := protocol.HoldBack(in, redact).LLMResponse
		if c.want == nil {
			assert.Nil(t, out, c.name)
		} else if assert.NotNil(t, out, c.name) {
			assert.Equal(t, c.want, out.Parts, c.name)
		}
	}
	assert.Equal(t, protocol.Output{}, protocol.HoldBack(protocol.AfterModelInput{}, redact), "no candidate")
}
