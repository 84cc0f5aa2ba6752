package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"minigem/llm"
)

// grounding is the part of groundingMetadata that links text to sources.
type grounding struct {
	Chunks []struct {
		Web struct {
			URI   string `json:"uri"`
			Title string `json:"title"`
		} `json:"web"`
	} `json:"groundingChunks"`
	Supports []support `json:"groundingSupports"`
}

// support says that the text up to an index rests on sources.
type support struct {
	Segment struct {
		End int `json:"endIndex"` // in bytes of UTF-8
	} `json:"segment"`
	Chunks []int `json:"groundingChunkIndices"` // indexes of sources
}

// cited returns an answer with [n] after text that rests on a source, and the
// list of sources. Unreadable metadata is ignored.
func cited(answer llm.Chunk) string {
	text := answer.Text()
	var g grounding
	if answer.Grounding == nil || json.Unmarshal(answer.Grounding, &g) != nil || len(g.Chunks) == 0 {
		return text
	}
	slices.SortStableFunc(g.Supports, func(a, b support) int { return a.Segment.End - b.Segment.End })
	var b strings.Builder
	at := 0
	for _, s := range g.Supports {
		end := min(max(s.Segment.End, at), len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++ // never inside a character
		}
		b.WriteString(text[at:end])
		for _, i := range s.Chunks {
			if 0 <= i && i < len(g.Chunks) {
				fmt.Fprintf(&b, "[%d]", i+1)
			}
		}
		at = end
	}
	b.WriteString(text[at:] + "\n\nSources:")
	for i, c := range g.Chunks {
		title, uri := c.Web.Title, c.Web.URI
		if title == "" {
			title = "Untitled"
		}
		if uri == "" {
			uri = "No URI"
		}
		fmt.Fprintf(&b, "\n[%d] %s (%s)", i+1, title, uri)
	}
	return b.String()
}
