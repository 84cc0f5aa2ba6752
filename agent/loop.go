package agent

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"regexp"
	"strings"

	"minigem/llm"
)

// A loop is found in two ways (core/services/loopDetectionService.ts). Calls: a
// cycle of one to five calls was repeated five times. Text ("chanting"): a
// piece of 50 characters came ten times, close together and at a regular
// distance; lists, tables, headings and code are expected to repeat and restart
// the count. Gemini CLI's third way, asking a model, is left out: it costs
// requests that nobody asked for.

const (
	loopCycles  = 5  // repetitions of a cycle
	loopPeriod  = 5  // calls in the longest cycle
	chantSize   = 50 // characters in a piece
	chantCount  = 10 // repetitions of a piece
	chantMemory = 5000

	kindCalls = "consecutive_identical_tool_calls"
	kindChant = "chanting_identical_sentences"
)

// detector looks for loops in the answers to one prompt. The zero detector is
// ready.
type detector struct {
	calls [][sha256.Size]byte

	text   []rune // end of the text since the last reset
	start  int    // position of text[0] since the reset
	next   int    // position of the next piece to look at
	seen   map[string][]int
	inCode bool
}

func (d *detector) reset() { *d = detector{} }

func (d *detector) resetText() {
	d.text, d.start, d.next, d.seen = nil, 0, 0, nil
}

// call adds a call and reports whether it completes a loop.
func (d *detector) call(c llm.ToolCall) bool {
	d.resetText()
	d.inCode = false
	args, _ := json.Marshal(c.Args) // it was decoded from JSON, so it can be encoded
	d.calls = append(d.calls, sha256.Sum256([]byte(c.Name+":"+string(args))))
	if n := loopCycles * loopPeriod; len(d.calls) > n {
		d.calls = d.calls[len(d.calls)-n:]
	}
	for period := 1; period <= loopPeriod; period++ {
		if d.cycles(period) {
			return true
		}
	}
	return false
}

func (d *detector) cycles(period int) bool {
	tail := len(d.calls) - loopCycles*period
	if tail < 0 {
		return false
	}
	for i := tail + period; i < len(d.calls); i++ {
		if d.calls[i] != d.calls[i-period] {
			return false
		}
	}
	return true
}

var (
	structure = regexp.MustCompile(`(?m)^\s*(\|.*\||[|+-]{3,}|[*+-]\s|\d+\.\s|#+\s|>)`)
	divider   = regexp.MustCompile(`^[-+_=*\x{2500}-\x{257F}\s]+$`)
)

// addText adds text as it was shown and reports whether it is chanting.
func (d *detector) addText(text string) bool {
	fences := strings.Count(text, "```")
	ruled := divider.MatchString(text) && strings.TrimSpace(text) != ""
	if fences > 0 || ruled || structure.MatchString(text) {
		d.resetText()
	}
	wasInCode := d.inCode
	d.inCode = d.inCode != (fences%2 == 1)
	if wasInCode || d.inCode || ruled {
		return false
	}
	d.text = append(d.text, []rune(text)...)
	chant := d.scan()
	if over := len(d.text) - chantMemory; over > 0 {
		d.text = append([]rune(nil), d.text[over:]...)
		d.start += over
		d.forget()
	}
	return chant
}

// forget drops pieces that are no longer in the text, once they are many.
func (d *detector) forget() {
	if len(d.seen) < 2*chantMemory {
		return
	}
	maps.DeleteFunc(d.seen, func(_ string, at []int) bool { return at[len(at)-1] < d.start })
}

func (d *detector) scan() bool {
	if d.seen == nil {
		d.seen = map[string][]int{}
	}
	for ; d.next+chantSize <= d.start+len(d.text); d.next++ {
		piece := string(d.between(d.next, d.next+chantSize))
		at := append(d.seen[piece], d.next)
		if len(at) > chantCount {
			at = at[1:]
		}
		d.seen[piece] = at
		if len(at) == chantCount && d.regular(at) {
			return true
		}
	}
	return false
}

func (d *detector) between(from, to int) []rune { return d.text[from-d.start : to-d.start] }

// regular reports whether the piece at these positions came close together and
// with few different texts in between. Close together also means that d.text
// still holds all of it.
func (d *detector) regular(at []int) bool {
	first, last := at[0], at[len(at)-1]
	if last-first > 5*chantSize*(len(at)-1) {
		return false
	}
	periods := map[string]bool{}
	for i := 1; i < len(at); i++ {
		periods[string(d.between(at[i-1], at[i]))] = true
	}
	return len(periods) <= chantCount/2
}
