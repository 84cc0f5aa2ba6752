package hooks

import (
	"minigem/hooks/protocol"
	"minigem/llm"
)

// syntheticChunk turns a hook's answer for the model into one finished chunk.
func syntheticChunk(r *protocol.LLMResponse) llm.Chunk {
	c := llm.Chunk{FinishReason: r.FinishReason, Usage: usage(r.Usage)}
	for _, t := range r.Parts {
		c.Parts = append(c.Parts, llm.Text{Text: t})
	}
	for _, call := range r.Calls {
		c.Parts = append(c.Parts, llm.ToolCall{ID: call.ID, Name: call.Name, Args: call.Args})
	}
	if c.FinishReason == "" {
		c.FinishReason = "STOP"
	}
	return c
}

// usage returns a hook's token counts; nil stays nil.
func usage(u *protocol.LLMUsage) *llm.Usage {
	if u == nil {
		return nil
	}
	return &llm.Usage{Prompt: u.PromptTokenCount, Candidates: u.CandidatesTokenCount, Total: u.TotalTokenCount}
}

// replaceChunk replaces the texts of c by the texts of r. Function calls, signatures and
// whatever else the chunk holds stay; so do its finish reason and usage if r has none. If
// the number of texts is the same, they are replaced one by one, so that thoughts stay
// thoughts. Otherwise the new texts replace the first old one and are not thoughts.
func replaceChunk(c llm.Chunk, r *protocol.LLMResponse, a *answer) llm.Chunk {
	out := c
	out.Parts = replaceTexts(c.Parts, r)
	if r.FinishReason != "" {
		out.FinishReason = r.FinishReason
	}
	if r.Usage != nil {
		out.Usage = usage(r.Usage)
	}
	if n := len(c.Calls()); len(r.Calls) > 0 && len(r.Calls) != n {
		a.warn("function calls cannot be changed here: the %d of the chunk stay; deny to discard them", n)
	}
	return out
}

// replaceTexts returns parts with their texts replaced by those of r. Thoughts count as
// texts, unless r was given as text alone.
func replaceTexts(parts []llm.Part, r *protocol.LLMResponse) []llm.Part {
	var old []int
	for i, p := range parts {
		switch p.(type) {
		case llm.Text:
			old = append(old, i)
		case llm.Thought:
			if !r.VisibleOnly {
				old = append(old, i)
			}
		}
	}
	isOld := map[int]int{}
	for n, i := range old {
		isOld[i] = n
	}
	matched := len(old) == len(r.Parts)
	out := make([]llm.Part, 0, len(parts)+len(r.Parts))
	if len(old) == 0 {
		out = appendTexts(out, r.Parts, nil)
	}
	for i, p := range parts {
		n, isText := isOld[i]
		switch {
		case !isText:
			out = append(out, p)
		case matched:
			out = append(out, withText(p, r.Parts[n]))
		case n == 0:
			out = appendTexts(out, r.Parts, lastSignature(parts, old))
		}
	}
	return out
}

// appendTexts appends texts as parts. The last one gets the signature, which belongs to
// the whole answer.
func appendTexts(out []llm.Part, texts []string, signature []byte) []llm.Part {
	for i, t := range texts {
		p := llm.Text{Text: t}
		if i == len(texts)-1 {
			p.Signature = signature
		}
		out = append(out, p)
	}
	return out
}

// withText returns p, a Text or a Thought, with another text.
func withText(p llm.Part, text string) llm.Part {
	switch p := p.(type) {
	case llm.Text:
		p.Text = text
		return p
	case llm.Thought:
		p.Text = text
		return p
	}
	return p
}

// lastSignature returns the signature of the last text that has one.
func lastSignature(parts []llm.Part, texts []int) []byte {
	var s []byte
	for _, i := range texts {
		if t, ok := parts[i].(llm.Text); ok && t.Signature != nil {
			s = t.Signature
		}
	}
	return s
}
