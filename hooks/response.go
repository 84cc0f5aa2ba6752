package hooks

import (
	"minigem/hooks/protocol"
	"minigem/llm"
)

// syntheticChunk is a hook's answer in the model's place: one finished chunk.
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

func usage(u *protocol.LLMUsage) *llm.Usage {
	if u == nil {
		return nil
	}
	return &llm.Usage{Prompt: u.PromptTokenCount, Candidates: u.CandidatesTokenCount, Total: u.TotalTokenCount}
}

// replaceChunk puts the texts of r in the place of c's. Function calls,
// signatures and whatever else the chunk carries stay; so do its finish reason
// and usage where r has none. As many texts as there were are matched one by
// one, so that thoughts stay thoughts; otherwise the new texts stand where the
// first old one was and are not thoughts.
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

// withText is p, a Text or a Thought, saying something else.
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

// lastSignature is the signature of the last text among parts that has one.
func lastSignature(parts []llm.Part, texts []int) []byte {
	var s []byte
	for _, i := range texts {
		if t, ok := parts[i].(llm.Text); ok && t.Signature != nil {
			s = t.Signature
		}
	}
	return s
}
