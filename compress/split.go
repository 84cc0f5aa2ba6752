package compress

import "minigem/llm"

// split returns how many messages of body to summarize, or 0 if none can be.
//
// It cuts only where no call is separated from its result. In order of
// preference it cuts at the first prompt in the newest 30 %; at the first round
// in them, which is the only choice within one long prompt; after everything,
// if the last message is the model's; at the last possible place before the
// newest 30 %.
func split(body []llm.Message) int {
	total := 0
	sizes := make([]int, len(body))
	for i, m := range body {
		sizes[i] = messageSize(m)
		total += sizes[i]
	}
	var prompt, round, last, before int
	for i, ok := range boundaries(body) {
		old := float64(before) >= (1-keptPart)*float64(total)
		switch {
		case !ok:
		case !old:
			last = i
		case prompt == 0 && body[i].Role == llm.RoleUser:
			prompt = i
		case round == 0 && body[i].Role == llm.RoleModel:
			round = i
		}
		before += sizes[i]
	}
	switch n := len(body) - 1; {
	case prompt > 0:
		return prompt
	case round > 0:
		return round
	case n >= 0 && body[n].Role == llm.RoleModel && len(body[n].Calls()) == 0:
		return len(body)
	}
	return last
}

// boundaries reports before which messages a history may be split, because no call
// waits for its result. The first message is not a boundary.
func boundaries(body []llm.Message) []bool {
	ok := make([]bool, len(body))
	open := map[string]bool{}
	for i, m := range body {
		ok[i] = i > 0 && len(open) == 0
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				open[p.ID] = true
			case llm.ToolResult:
				delete(open, p.ID)
				ok[i] = false // a result stays with its call
			}
		}
	}
	return ok
}

// newest drops messages after the first one, up to a boundary, until the rest
// fits into room tokens. The first one stays: it is an earlier summary or the
// user's request.
func newest(body []llm.Message, room int) []llm.Message {
	left := Estimate(body)
	from := 1
	for i, ok := range boundaries(body) {
		if ok {
			from = i
		}
		if left <= room && (ok || i == 0) {
			break
		}
		if i > 0 {
			left -= messageTokens(body[i])
		}
	}
	out := body[:1:1]
	for _, m := range body[from:] {
		out = appendMessage(out, m)
	}
	return out
}
