package compress

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/llm"
)

// Masking keeps old tool outputs out of requests long before the history has to
// be compressed (core/context/toolOutputMaskingService.ts). The newest outputs
// stay, and those of the last message, however long they are; the others go to
// files, and a beginning and an end of each stay in its place. It acts only
// where that is worth the provider's cache, which a changed history costs.
const (
	maskProtect = 50_000 // tokens of the newest outputs that stay
	maskWorth   = 30_000 // tokens to be gained at least
	maskedEnds  = 250    // bytes that stay of an output's beginning, and of its end

	maskOpen, maskClose = "<tool_output_masked>", "</tool_output_masked>"
)

// neverMasked are the tools whose results steer all that follows.
var neverMasked = []string{"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode", "save_memory"}

// Masked tells of outputs that went to files. Before and After are tokens of the
// history.
type Masked struct {
	Outputs       int
	Prunable      int // tokens beyond the newest outputs
	Before, After int
}

// outputTally counts the tokens of the outputs that may be masked, message by
// message; it goes on where it ended, as tally does.
type outputTally struct {
	from   []llm.Message
	tokens []int
	total  int
}

func (t *outputTally) of(messages []llm.Message) {
	if !llm.Extends(messages, t.from) {
		*t = outputTally{}
	}
	for _, m := range messages[len(t.from):] {
		n := 0
		for _, p := range m.Parts {
			n += maskable(p)
		}
		t.tokens = append(t.tokens, n)
		t.total += n
	}
	t.from = messages
}

// beyond is at least as many tokens as could be masked. It looks at no more
// messages than the newest outputs stand in.
func (t *outputTally) beyond() int {
	kept, left := 0, t.total
	for i := len(t.tokens) - 1; i >= 0 && left > 0; i-- {
		if i < len(t.tokens)-1 {
			if kept += t.tokens[i]; kept > maskProtect {
				break
			}
		}
		left -= t.tokens[i]
	}
	return left
}

// maskable is how many tokens the output of p has; 0: it must not be masked, or
// has been.
func maskable(p llm.Part) int {
	r, ok := p.(llm.ToolResult)
	if !ok || slices.Contains(neverMasked, r.Name) {
		return 0
	}
	text, ok := r.Response["output"].(string)
	if !ok || len(text) <= 4*maskedEnds || strings.HasPrefix(text, maskOpen) {
		return 0
	}
	return int(textTokens(text))
}

// mask masks what there is to be masked. An output that cannot be kept in a
// file stays; then, and where there are no files, masking has come to its end.
func (c *Compressor) mask() {
	if c.Save == nil || c.unmaskable {
		return
	}
	all := c.History.Messages()
	c.outputs.of(all)
	if c.outputs.beyond() < maskWorth {
		return
	}
	old, prunable := c.oldOutputs(all)
	if prunable < maskWorth {
		return
	}
	before := c.tally.of(all)
	next := slices.Clone(all)
	done := 0
	for _, at := range old {
		parts := slices.Clone(next[at.message].Parts)
		r, err := c.masked(parts[at.part].(llm.ToolResult))
		if err != nil {
			c.unmaskable = true
			break
		}
		parts[at.part] = r
		next[at.message].Parts = parts
		done++
	}
	if done == 0 {
		return
	}
	c.History.Replace(next)
	if c.ReportMasked != nil {
		c.ReportMasked(Masked{Outputs: done, Prunable: prunable, Before: before, After: c.tally.of(c.History.Messages())})
	}
}

// oldOutputs finds the outputs beyond the newest, newest first, and how many
// tokens they have.
func (c *Compressor) oldOutputs(all []llm.Message) (old []place, prunable int) {
	spent := 0
	for i := len(all) - 2; i >= c.head(all); i-- {
		if c.outputs.tokens[i] == 0 {
			continue
		}
		for j, p := range slices.Backward(all[i].Parts) {
			n := maskable(p)
			if spent += n; n > 0 && spent > maskProtect {
				old = append(old, place{i, j})
				prunable += n
			}
		}
	}
	return old, prunable
}

func (c *Compressor) masked(r llm.ToolResult) (llm.ToolResult, error) {
	text := r.Response["output"].(string)
	path, err := c.Save(r.ID, text)
	if err != nil {
		return r, err
	}
	head, tail, left := ends(text, maskedEnds, maskedEnds)
	r.Response = maps.Clone(r.Response)
	r.Response["output"] = fmt.Sprintf("%s\n%s\n[... %d characters left out of this older output; the whole of it is in %s ...]\n%s\n%s",
		maskOpen, head, left, path, tail, maskClose)
	return r, nil
}
