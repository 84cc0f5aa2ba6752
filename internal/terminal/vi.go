package terminal

import (
	"slices"
	"unicode"

	"github.com/chzyer/readline"
)

// vi implements vi's normal mode for one line. Inserted text goes to the line editor.
// The zero vi is in insert mode.
type vi struct {
	normal bool

	count    int  // count typed before a command, or 0
	operator rune // d, c or y, waiting for a motion
	waiting  rune // r, f, F, t or T, waiting for a character; i or a, for an object
	find     [2]rune
	yanked   []rune
	undo     []draftState
}

type draftState struct {
	line []rune
	pos  int
}

// viKeys maps named keys to vi's.
var viKeys = map[rune]rune{
	keyUp: 'k', keyDown: 'j', keyLeft: 'h', keyRight: 'l', keyHome: '0', keyEnd: '$', keyDelete: 'x', keyWordLeft: 'b',
	keyWordRight:           'w',
	readline.CharBackspace: 'h', readline.CharCtrlH: 'h', readline.CharPrev: 'k', readline.CharNext: 'j', ' ': 'l',
}

// begin starts a new line, in insert mode.
func (v *vi) begin() { *v = vi{find: v.find, yanked: v.yanked} }

// press handles a key in normal mode, or Esc in insert mode. It returns the new line
// and cursor, and a key to pass to the line editor, or 0. It modifies line.
func (v *vi) press(r rune, line []rune, pos int) (_ []rune, _ int, pass rune) {
	if named, ok := viKeys[r]; ok && v.waiting == 0 {
		r = named
	}
	switch {
	case r == readline.CharEsc || r == keyEsc:
		if !v.normal {
			pos = max(pos-1, 0)
		}
		v.normal = true
		v.reset()
		return line, pos, 0
	case r == readline.CharEnter, r == readline.CharCtrlJ, r == readline.CharInterrupt, r == readline.CharDelete,
		r == readline.CharBckSearch:
		v.reset()
		return line, pos, r
	case v.waiting != 0:
		return v.character(r, line, pos)
	case r >= '1' && r <= '9' || r == '0' && v.count > 0:
		v.count = min(v.count*10+int(r-'0'), 9999)
		return line, pos, 0
	case r == 'r' || r == 'f' || r == 'F' || r == 't' || r == 'T':
		v.waiting = r
		return line, pos, 0
	case v.operator != 0 && (r == 'i' || r == 'a'): // an object follows
		v.waiting = r
		return line, pos, 0
	case v.operator == 0 && (r == 'd' || r == 'c' || r == 'y'):
		v.operator = r
		return line, pos, 0
	case v.operator == r: // dd, cc, yy
		return v.operate(line, pos, 0, len(line))
	}
	if to, inclusive, ok := v.motion(r, line, pos); ok {
		return v.moved(line, pos, to, inclusive)
	}
	if v.operator != 0 {
		v.reset()
		return line, pos, 0
	}
	defer v.reset()
	return v.simple(r, line, pos)
}

func (v *vi) reset() { v.count, v.operator, v.waiting = 0, 0, 0 }

func (v *vi) times() int { return max(v.count, 1) }

// character completes a command that was waiting for a character.
func (v *vi) character(r rune, line []rune, pos int) ([]rune, int, rune) {
	command := v.waiting
	v.waiting = 0
	if r < ' ' || private(r) {
		v.reset()
		return line, pos, 0
	}
	if command == 'r' {
		if n := v.times(); pos+n <= len(line) && v.operator == 0 {
			v.keep(line, pos)
			for i := range n {
				line[pos+i] = r
			}
			pos += n - 1
		}
		v.reset()
		return line, pos, 0
	}
	if command == 'i' || command == 'a' {
		if from, to, ok := object(r, command == 'a', line, pos); ok {
			return v.operate(line, pos, from, to)
		}
		v.reset()
		return line, pos, 0
	}
	v.find = [2]rune{command, r}
	if to, inclusive, ok := v.found(v.find, line, pos); ok {
		return v.moved(line, pos, to, inclusive)
	}
	v.reset()
	return line, pos, 0
}

// moved completes a motion: it moves the cursor, or applies the operator to the text in
// between.
func (v *vi) moved(line []rune, pos, to int, inclusive bool) ([]rune, int, rune) {
	if v.operator == 0 {
		v.reset()
		return line, v.within(line, to), 0
	}
	from := min(pos, to)
	to = max(pos, to)
	if inclusive {
		to++
	}
	return v.operate(line, pos, from, min(to, len(line)))
}

// operate deletes, changes or copies.
func (v *vi) operate(line []rune, pos, from, to int) ([]rune, int, rune) {
	operator := v.operator
	v.reset()
	v.yanked = slices.Clone(line[from:to])
	if operator == 'y' {
		return line, v.within(line, from), 0
	}
	v.keep(line, pos)
	line = slices.Delete(line, from, to)
	if operator == 'c' {
		v.normal = false
		return line, from, 0
	}
	return line, v.within(line, from), 0
}

// simple executes the commands that are not motions.
func (v *vi) simple(r rune, line []rune, pos int) ([]rune, int, rune) {
	switch r {
	case 'j':
		return line, pos, readline.CharNext
	case 'k':
		return line, pos, readline.CharPrev
	case 'u':
		if n := len(v.undo); n > 0 {
			last := v.undo[n-1]
			v.undo = v.undo[:n-1]
			return last.line, v.within(last.line, last.pos), 0
		}
		return line, pos, 0
	case 'p', 'P':
		at := min(pos+1, len(line))
		if r == 'P' {
			at = pos
		}
		v.keep(line, pos)
		return slices.Insert(line, at, v.yanked...), max(at+len(v.yanked)-1, 0), 0
	case '~':
		if pos < len(line) {
			v.keep(line, pos)
			line[pos] = swapCase(line[pos])
		}
		return line, v.within(line, pos+1), 0
	case 'x', 'X', 's', 'D', 'C', 'S':
		return v.cut(r, line, pos)
	case 'i', 'a', 'I', 'A':
		v.keep(line, pos)
		v.normal = false
		at := map[rune]int{'i': pos, 'a': min(pos+1, len(line)), 'I': firstOf(line), 'A': len(line)}
		return line, at[r], 0
	}
	return line, pos, 0
}

// cut executes the commands that abbreviate an operator and a motion.
func (v *vi) cut(r rune, line []rune, pos int) ([]rune, int, rune) {
	n := v.times()
	v.operator = 'd'
	if r == 's' || r == 'C' || r == 'S' {
		v.operator = 'c'
	}
	switch r {
	case 'X':
		return v.operate(line, pos, max(pos-n, 0), pos)
	case 'D', 'C':
		return v.operate(line, pos, pos, len(line))
	case 'S':
		return v.operate(line, pos, 0, len(line))
	}
	return v.operate(line, pos, pos, min(pos+n, len(line)))
}

// keep saves a line for u to restore.
func (v *vi) keep(line []rune, pos int) {
	const most = 100
	v.undo = append(v.undo[max(len(v.undo)-most, 0):], draftState{slices.Clone(line), pos})
}

// within returns the nearest position that the cursor may have in normal mode.
func (v *vi) within(line []rune, pos int) int { return max(min(pos, len(line)-1), 0) }

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
