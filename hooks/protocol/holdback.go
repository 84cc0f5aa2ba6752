package protocol

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HoldBack makes the answer of an AfterModel hook that changes the model's text, such as
// one that removes secrets. The text comes in chunks, and a secret may be split between
// two of them. So each chunk shows only whole words, up to the last white space, and the
// rest comes with a later chunk, at the latest with the last one. change is called with
// whole words; what it looks for must not contain white space. Thoughts are changed chunk
// by chunk. If nothing changes, the Output is zero.
//
// HoldBack keeps no state between runs of the hook: full_content says what came before.
// Where that is missing, as in Gemini CLI, nothing is held back.
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

// ready returns the text that this chunk shows.
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

// words returns the length of the part of text that is complete words.
func words(text string) int {
	i := strings.LastIndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return i + size
}

// inPlace returns parts with shown instead of text. Some parts make up text; the others
// are thoughts. Their number stays the same, so that thoughts stay thoughts, unless all
// parts are thoughts and shown is not empty; then shown is added and they are emptied.
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
