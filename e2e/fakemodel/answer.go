package fakemodel

import (
	"encoding/json"
	"strings"

	"minigem/llm"
)

// answer is what goes out.
type answer struct {
	x      *exchange
	asked  asked
	chunks []llm.Chunk
	parts  []llm.Part // of all chunks
	usage  llm.Usage
	finish string // in Gemini's words; empty: it breaks off
}

// calls reports whether tools are called.
func (a answer) calls() bool { return len(llm.PartsCalls(a.parts)) > 0 }

// joinedParts makes one text of texts that follow each other, and one thought
// of thoughts.
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

// arguments are those of a call, as text.
func arguments(c llm.ToolCall) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(c.Args) // they came from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// pieces cuts text for a stream: clients have to put it together again.
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
