package lazydfa

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// Entries of a row other than offsets of rows.
const (
	unknown = -1 - iota // not computed yet, or always a closer look
	matched
)

const (
	// maxTable is the maximum number of four-byte entries in a table. A full table is
	// cleared.
	maxTable = 256 << 10
	// maxWork limits the cost of making states for one expression, in visits of
	// instructions. It corresponds to a fraction of a second.
	maxWork = 8 << 20
	// entries is the cost of a state in addition to its row and its instructions.
	entries = 32
)

// table is the known part of the automaton. Only one goroutine uses it at a time.
type table struct {
	*Matcher
	rows   []int32          // rows of width entries; a state is the offset of its row
	states []state          // states by row
	known  map[string]int32 // rows by state
	start  int32            // entry for a transition that is not computed yet
	held   int              // approximate size of the states, in entries
	begun  int              // how often the table was cleared

	work, mayWork int64 // work since the table was taken

	list  []uint32 // a set of instructions
	seen  []uint32 // index of an instruction in list, if it is there
	now   []uint32
	stack []uint32
	key   []byte
}

// state is the set of instructions that may continue: those that read a character, and
// assertions that depend on the next character.
type state struct {
	insts []uint32 // sorted
	prev  rune     // kind of the previous character: see the constants
}

// Kinds of the previous character, as far as assertions depend on it.
const (
	nothing = -1
	letter  = 'a'
	other   = ' '
	line    = '\n'
)

func newTable(m *Matcher) *table {
	t := &table{Matcher: m, seen: make([]uint32, len(m.prog.Inst))}
	t.forget()
	return t
}

// begin returns the state at the beginning of a text.
func (t *table) begin() int32 {
	if t.start == unknown {
		t.list = t.list[:0]
		t.follow(uint32(t.prog.Start), nil)
		t.start = t.intern(nothing)
	}
	return t.start
}

// forget clears the table.
func (t *table) forget() {
	t.rows, t.states, t.known = t.rows[:0], t.states[:0], map[string]int32{}
	t.start, t.held = unknown, 0
	t.begun++
}

// step returns the state after s for a class.
func (t *table) step(s int32, class int) int32 {
	if next := t.rows[int(s)+class]; next != unknown {
		return next
	}
	from, char := t.states[int(s)/t.width()], t.one(class)
	flags := syntax.EmptyOpContext(from.prev, char)
	t.list = t.list[:0]
	for _, pc := range from.insts {
		t.follow(pc, &flags)
	}
	t.now = append(t.now[:0], t.list...)
	t.list = t.list[:0]
	next, begun := int32(matched), t.begun
	if !t.ends(t.now) {
		if char >= 0 {
			t.read(char)
		}
		next = t.intern(kindOf(char))
	}
	if begun == t.begun { // the table was cleared, so s no longer exists
		t.rows[int(s)+class] = next
	}
	return next
}

// read adds to the list where the instructions in now lead by reading char, and where a
// match may begin after it.
func (t *table) read(char rune) {
	for _, pc := range t.now {
		if in := &t.prog.Inst[pc]; reads(in, char) {
			t.follow(in.Out, nil)
		}
	}
	t.follow(uint32(t.prog.Start), nil)
}

// reads reports whether an instruction can read a character.
func reads(in *syntax.Inst, char rune) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1:
		return in.MatchRune(char)
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return char != '\n'
	}
	return false
}

func kindOf(char rune) rune {
	switch {
	case char == '\n':
		return line
	case syntax.IsWordChar(char):
		return letter
	}
	return other
}

// ends reports whether one of insts is the end of a match.
func (t *table) ends(insts []uint32) bool {
	return slices.ContainsFunc(insts, func(pc uint32) bool { return t.prog.Inst[pc].Op == syntax.InstMatch })
}

// follow adds to the list what pc leads to without reading. Assertions are followed if
// flags satisfy them. If flags is nil, they are added to the list.
func (t *table) follow(pc uint32, flags *syntax.EmptyOp) {
	t.stack = append(t.stack[:0], pc)
	for len(t.stack) > 0 {
		pc := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.work++
		if at := t.seen[pc]; int(at) < len(t.list) && t.list[at] == pc {
			continue
		}
		t.seen[pc] = uint32(len(t.list))
		t.list = append(t.list, pc)
		switch in := &t.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			t.stack = append(t.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			t.stack = append(t.stack, in.Out)
		case syntax.InstEmptyWidth:
			if flags != nil && syntax.EmptyOp(in.Arg)&^*flags == 0 {
				t.stack = append(t.stack, in.Out)
			}
		}
	}
}

// intern returns the state for the contents of the list.
func (t *table) intern(prev rune) int32 {
	asserts := false
	kept := t.list[:0]
	for _, pc := range t.list {
		switch t.prog.Inst[pc].Op {
		case syntax.InstMatch:
			return matched
		case syntax.InstEmptyWidth:
			asserts = true
			kept = append(kept, pc)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			kept = append(kept, pc)
		}
	}
	if !asserts {
		prev = other // it does not matter
	}
	slices.Sort(kept)
	t.key = binary.AppendVarint(t.key[:0], int64(prev))
	for _, pc := range kept {
		t.key = binary.AppendUvarint(t.key, uint64(pc))
	}
	if s, ok := t.known[string(t.key)]; ok {
		return s
	}
	if len(t.rows)+t.held >= maxTable {
		t.forget()
	}
	s := int32(len(t.rows))
	for range t.width() {
		t.rows = append(t.rows, unknown)
	}
	t.states = append(t.states, state{slices.Clone(kept), prev})
	t.known[string(t.key)] = s
	t.held += 2*len(kept) + entries
	t.work += int64(len(kept) + t.width())
	return s
}
