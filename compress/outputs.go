package compress

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"minigem/llm"
)

// Limits of cutting, in the units named. keptHead and keptTail are bytes.
const (
	outputBudget = 50_000 // tokens of the newest outputs that stay whole
	longOutput   = 8_000  // bytes from which an older one is cut
	keptHead     = 800
	keptTail     = 3_200
)

// position is the position of a part in a history.
type position struct{ message, part int }

// longOutputs returns the outputs to cut, newest first: those beyond the budget.
// Outputs of at most longOutput bytes are not among them, however old they are.
func longOutputs(body []llm.Message) []position {
	var found []position
	spent := 0.0
	for i, m := range slices.Backward(body) {
		for j, p := range slices.Backward(m.Parts) {
			r, ok := p.(llm.ToolResult)
			if !ok {
				continue
			}
			spent += partTokens(r)
			if text, ok := r.Response["output"].(string); ok && spent > outputBudget && len(text) > longOutput {
				found = append(found, position{i, j})
			}
		}
	}
	return found
}

// shorten returns body with those outputs cut, each saved to a file. body itself is not
// changed.
func (c *Compressor) shorten(body []llm.Message, long []position) []llm.Message {
	out := slices.Clone(body)
	for _, at := range long {
		parts := slices.Clone(out[at.message].Parts)
		r := parts[at.part].(llm.ToolResult)
		r.Response = maps.Clone(r.Response)
		r.Response["output"] = c.cutText(r.ID, r.Response["output"].(string))
		parts[at.part] = r
		out[at.message].Parts = parts
	}
	return out
}

// cutText saves a long output and returns its ends. If it cannot be saved, its middle is
// lost, and the text says so.
func (c *Compressor) cutText(callID, text string) string {
	where := "the whole output was not kept"
	if c.Save != nil {
		if path, err := c.Save(callID, text); err == nil {
			where = "the whole output is in " + path
		}
	}
	head, tail, left := cutMiddle(text, keptHead, keptTail)
	return fmt.Sprintf("%s\n[... %d characters left out; %s ...]\n%s", head, left, where, tail)
}

// cutMiddle returns the first and last bytes of text, cut between characters, and how
// many characters are between them. text must be longer than both together.
func cutMiddle(text string, first, last int) (head, tail string, left int) {
	from, to := first, len(text)-last
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[:from], text[to:], utf8.RuneCountInString(text[from:to])
}
