package agent

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"minigem/llm"
)

// A loop is found in two ways (core/services/loopDetectionService.ts). Calls: a cycle of
// one to five calls was repeated five times. Text ("chanting"): a piece of 50 characters
// occurred ten times, close together and at a regular distance; lists, tables, headings
// and code are expected to repeat and restart the count. Gemini CLI's third way, asking a
// model, is left out: it costs requests that the user did not ask for.
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

	text   []rune         // end of the text since the last reset
	before []int          // for each position in text, the earlier position of the same piece; -1 if it is new
	start  int            // position of text[0] since the reset
	next   int            // position of the next piece to look at
	hash   uint64         // of the piece before next
	seen   map[uint64]int // the last position of the piece with this hash
	inCode bool
}

// reset forgets everything, for a new prompt or after a loop was found.
func (d *detector) reset() { *d = detector{} }

// resetText forgets the text, but not whether it was inside a block of code.
func (d *detector) resetText() {
	d.text, d.before, d.start, d.next, d.hash = d.text[:0], d.before[:0], 0, 0, 0
	clear(d.seen)
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

// cycles reports whether the last calls are loopCycles repetitions of period calls.
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

// What is expected to repeat: lines of tables, lists, headings and quotations, and
// lines that only divide.
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
	for _, r := range text {
		d.text = append(d.text, r)
		d.before = append(d.before, -1)
	}
	chant := d.scan()
	if over := len(d.text) - chantMemory; over > chantMemory {
		d.text = append(d.text[:0], d.text[over:]...)
		d.before = append(d.before[:0], d.before[over:]...)
		d.start += over
		maps.DeleteFunc(d.seen, func(_ uint64, at int) bool { return at < d.start })
	}
	return chant
}

// hashBase is the base of the rolling hash of a piece, and hashOut, hashBase to the
// power of chantSize modulo 1<<64, is what a character adds when it leaves.
const (
	hashBase = 0x9e3779b97f4a7c15
	modulus  = 1 << 64
	power2   = hashBase * hashBase % modulus
	power4   = power2 * power2 % modulus
	power8   = power4 * power4 % modulus
	power16  = power8 * power8 % modulus
	power32  = power16 * power16 % modulus
	hashOut  = power32 * power16 % modulus * power2 % modulus // 32 + 16 + 2 = chantSize
)

// scan looks at all pieces that are complete and were not looked at before.
func (d *detector) scan() bool {
	if d.seen == nil {
		d.seen = map[uint64]int{}
	}
	for ; d.next+chantSize <= d.start+len(d.text); d.next++ {
		d.roll()
		if at, ok := d.seen[d.hash]; ok {
			d.before[d.next-d.start] = at
		}
		d.seen[d.hash] = d.next
		if at, ok := d.last(); ok && d.regular(at[:]) {
			return true
		}
	}
	return false
}

// roll moves hash on to the piece at next.
func (d *detector) roll() {
	piece := d.between(d.next, d.next+chantSize)
	if d.next == 0 {
		for _, r := range piece {
			d.hash = d.hash*hashBase + uint64(r)
		}
		return
	}
	d.hash = d.hash*hashBase + uint64(piece[chantSize-1]) - hashOut*uint64(d.text[d.next-1-d.start])
}

// last returns the positions of the last chantCount occurrences of the piece at next,
// in order, if there are that many.
func (d *detector) last() (at [chantCount]int, ok bool) {
	pos := d.next
	for i := chantCount - 1; i >= 0; i-- {
		if pos < d.start || !slices.Equal(d.between(pos, pos+chantSize), d.between(d.next, d.next+chantSize)) {
			return at, false
		}
		at[i], pos = pos, d.before[pos-d.start]
	}
	return at, true
}

// between returns the characters at positions that count since the reset, not since the
// beginning of what is kept.
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
