package fakemodel

import (
	"encoding/json"
	"strings"

	"minigem/llm"
)

// answer is the answer that is sent.
type answer struct {
	x      *exchange
	asked  asked
	chunks []llm.Chunk
	parts  []llm.Part // of all chunks
	usage  llm.Usage
	finish string // in Gemini's terms; empty: the stream breaks off
}

// calls reports whether the answer calls tools.
func (a answer) calls() bool { return len(llm.PartsCalls(a.parts)) > 0 }

// joinedParts merges consecutive texts into one, and consecutive thoughts too.
func joinedParts(parts []llm.Part) []llm.Part {
	var out []llm.Part
	for _, p := range parts {
		if n := len(out) - 1; n >= 0 {
			switch last := out[n].(type) {
			case llm.Text:
				if t, ok := p.(llm.Text); ok {
					out[n] = llm.Text{Text: last.Text + t.Text}
					continue
				}
			case llm.Thought:
				if t, ok := p.(llm.Thought); ok {
					t.Text = last.Text + t.Text
					out[n] = t
					continue
				}
			}
		}
		out = append(out, p)
	}
	return out
}

// arguments encodes the arguments of a call.
func arguments(c llm.ToolCall) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(c.Args) // they were decoded from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// pieces splits text for a stream, so that clients must join it again.
func pieces(text string) []string {
	const size = 48 // characters
	var out []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
