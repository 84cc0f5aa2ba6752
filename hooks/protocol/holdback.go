package protocol

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HoldBack is the answer of an AfterModel hook that changes the text of the
// model, such as one that takes secrets out of it. The text comes in chunks, and
// a secret may be split between two of them: each chunk shows what is whole up
// to the last white space, and the rest comes with a later one, all of it with
// the last. So change is called with whole words, and what it looks for must hold
// no white space. Thoughts are changed chunk by chunk.
//
// It keeps nothing between two runs of the hook, since full_content says what
// came before. Where that is missing, as in Gemini CLI, nothing is held back.
func HoldBack(in AfterModelInput, change func(text string) string) Output {
	var c LLMCandidate
	if len(in.LLMResponse.Candidates) > 0 {
		c = in.LLMResponse.Candidates[0]
	}
	parts := inPlace(c.Content.Parts, in.LLMResponse.Text, change(ready(in, c.FinishReason != "")), change)
	if slices.Equal(parts, c.Content.Parts) {
		return Output{}
	}
	return Output{LLMResponse: &LLMResponse{Parts: parts}}
}

// ready is the text that this chunk shows.
func ready(in AfterModelInput, last bool) string {
	text := in.LLMResponse.Text
	before, ok := strings.CutSuffix(in.FullContent, text)
	if !ok {
		return text
	}
	to := len(in.FullContent)
	if !last {
		to = words(in.FullContent)
	}
	return in.FullContent[words(before):to]
}

// words is how much of text is words that are over.
func words(text string) int {
	i := strings.LastIndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return i + size
}

// inPlace is parts with shown in the place of text, which some of them make up;
// the others are thoughts. There are as many as before, so that thoughts stay
// thoughts, unless all of them are, and text follows: those are left out.
func inPlace(parts []string, text, shown string, change func(string) string) []string {
	out := make([]string, len(parts), len(parts)+1)
	placed := shown == ""
	for i, p := range parts {
		rest, ok := strings.CutPrefix(text, p)
		switch {
		case !ok || text == "":
			out[i] = change(p)
		case placed:
			text = rest
		default:
			out[i], text, placed = shown, rest, true
		}
	}
	if !placed {
		clear(out)
		out = append(out, shown)
	}
	return out
}
