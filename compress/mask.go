package compress

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/llm"
)

// Masking moves old tool outputs to files long before the history has to be compressed
// (core/context/toolOutputMaskingService.ts). The newest outputs and all outputs of the
// last message stay, however long they are; of every other one, beginning and end stay.
// Masking waits until it gains enough to be worth the provider's cache, which any change
// of the history invalidates.
const (
	maskProtect = 50_000 // tokens of the newest outputs, which stay
	maskWorth   = 30_000 // least number of tokens to gain
	maskedEnds  = 250    // bytes that stay at the beginning and at the end of an output

	maskOpen, maskClose = "<tool_output_masked>", "</tool_output_masked>"
)

// neverMasked lists tools whose results direct the work that follows.
var neverMasked = []string{"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode", "save_memory"}

// Masked describes outputs that were moved to files.
type Masked struct {
	// Outputs is how many were moved.
	Outputs int
	// Prunable is how many tokens the outputs older than the protected newest ones had.
	Prunable int
	// Before and After are the tokens of the history, as estimated.
	Before, After int
}

// maskableCount counts the tokens of maskable outputs, message by message. Like
// runningEstimate, it counts only what was added.
type maskableCount struct {
	from   []llm.Message
	tokens []int
	total  int
}

// of counts the messages that were added since the last call. If messages does not
// extend the previous ones, it starts over.
func (t *maskableCount) of(messages []llm.Message) {
	if !llm.Extends(messages, t.from) {
		*t = maskableCount{}
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

// beyond returns an upper bound of the tokens that can be masked. It looks only
// at the messages that hold the newest outputs.
func (t *maskableCount) beyond() int {
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

// maskable returns the tokens of the output in p. It returns 0 if the output is already
// masked or must stay.
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

// mask masks old outputs if that gains enough. After an output could not be
// saved, masking stops for good.
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
	before := c.estimate.of(all)
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
		c.ReportMasked(Masked{Outputs: done, Prunable: prunable, Before: before, After: c.estimate.of(c.History.Messages())})
	}
}

// oldOutputs returns the outputs older than the newest maskProtect tokens, newest first,
// and their tokens.
func (c *Compressor) oldOutputs(all []llm.Message) (old []position, prunable int) {
	spent := 0
	for i := len(all) - 2; i >= c.head(all); i-- {
		if c.outputs.tokens[i] == 0 {
			continue
		}
		for j, p := range slices.Backward(all[i].Parts) {
			n := maskable(p)
			if spent += n; n > 0 && spent > maskProtect {
				old = append(old, position{i, j})
				prunable += n
			}
		}
	}
	return old, prunable
}

// masked saves the output of r and returns r with its ends alone.
func (c *Compressor) masked(r llm.ToolResult) (llm.ToolResult, error) {
	text := r.Response["output"].(string)
	path, err := c.Save(r.ID, text)
	if err != nil {
		return r, err
	}
	head, tail, left := cutMiddle(text, maskedEnds, maskedEnds)
	r.Response = maps.Clone(r.Response)
	r.Response["output"] = fmt.Sprintf(
		"%s\n%s\n[... %d characters left out of this older output; the whole of it is in %s ...]\n%s\n%s",
		maskOpen, head, left, path, tail, maskClose)
	return r, nil
}
