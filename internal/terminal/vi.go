package terminal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/chzyer/readline"
)

// vi implements vi's normal mode for one line. Inserted text goes to the line editor.
// The zero vi is in insert mode.
type vi struct {
	normal bool
	line   []rune // what press works on
	pos    int

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
	v.line, v.pos = line, pos
	pass = v.key(r)
	return v.line, v.pos, pass
}

// key handles a key. A command that is complete leaves no count and no operator.
func (v *vi) key(r rune) (pass rune) {
	if named, ok := viKeys[r]; ok && v.waiting == 0 {
		r = named
	}
	switch {
	case r == readline.CharEsc || r == keyEsc:
		if !v.normal {
			v.pos = max(v.pos-1, 0)
		}
		v.normal = true
	case r == readline.CharEnter, r == readline.CharCtrlJ, r == readline.CharInterrupt, r == readline.CharDelete,
		r == readline.CharBckSearch:
		pass = r
	case v.waiting != 0:
		v.character(r)
	case r >= '1' && r <= '9' || r == '0' && v.count > 0:
		v.count = min(v.count*10+int(r-'0'), 9999)
		return 0
	case strings.ContainsRune("rfFtT", r), v.operator != 0 && (r == 'i' || r == 'a'): // an object follows
		v.waiting = r
		return 0
	case v.operator == 0 && strings.ContainsRune("dcy", r):
		v.operator = r
		return 0
	case v.operator == r: // dd, cc, yy
		v.operate(0, len(v.line))
	default:
		if to, inclusive, ok := v.motion(r); ok {
			v.moved(to, inclusive)
		} else if v.operator == 0 {
			pass = v.simple(r)
		}
	}
	v.count, v.operator, v.waiting = 0, 0, 0
	return pass
}

func (v *vi) times() int { return max(v.count, 1) }

// character completes a command that was waiting for a character.
func (v *vi) character(r rune) {
	if r < ' ' || private(r) {
		return
	}
	switch command := v.waiting; command {
	case 'r':
		if n := v.times(); v.pos+n <= len(v.line) && v.operator == 0 {
			v.keep()
			for i := range n {
				v.line[v.pos+i] = r
			}
			v.pos += n - 1
		}
	case 'i', 'a':
		if from, to, ok := object(r, command == 'a', v.line, v.pos); ok {
			v.operate(from, to)
		}
	default:
		v.find = [2]rune{command, r}
		if to, inclusive, ok := v.found(v.find); ok {
			v.moved(to, inclusive)
		}
	}
}

// moved completes a motion: it moves the cursor, or applies the operator to the text in
// between.
func (v *vi) moved(to int, inclusive bool) {
	if v.operator == 0 {
		v.move(to)
		return
	}
	from := min(v.pos, to)
	to = max(v.pos, to)
	if inclusive {
		to++
	}
	v.operate(from, min(to, len(v.line)))
}

// operate deletes, changes or copies.
func (v *vi) operate(from, to int) {
	v.yanked = slices.Clone(v.line[from:to])
	if v.operator != 'y' {
		v.keep()
		v.line = slices.Delete(v.line, from, to)
	}
	if v.operator == 'c' {
		v.normal, v.pos = false, from
		return
	}
	v.move(from)
}

// simple executes the commands that are not motions.
func (v *vi) simple(r rune) (pass rune) {
	switch r {
	case 'j':
		return readline.CharNext
	case 'k':
		return readline.CharPrev
	case 'u':
		if n := len(v.undo) - 1; n >= 0 {
			v.line = v.undo[n].line
			v.move(v.undo[n].pos)
			v.undo = v.undo[:n]
		}
	case 'p', 'P':
		at := v.pos
		if r == 'p' {
			at = min(at+1, len(v.line))
		}
		v.keep()
		v.line, v.pos = slices.Insert(v.line, at, v.yanked...), max(at+len(v.yanked)-1, 0)
	case '~':
		if v.pos < len(v.line) {
			v.keep()
			v.line[v.pos] = swapCase(v.line[v.pos])
		}
		v.move(v.pos + 1)
	case 'x', 'X', 's', 'D', 'C', 'S':
		v.cut(r)
	case 'i', 'a', 'I', 'A':
		v.keep()
		v.normal = false
		v.pos = map[rune]int{'i': v.pos, 'a': min(v.pos+1, len(v.line)), 'I': firstOf(v.line), 'A': len(v.line)}[r]
	}
	return 0
}

// cut executes the commands that abbreviate an operator and a motion.
func (v *vi) cut(r rune) {
	v.operator = 'd'
	if strings.ContainsRune("sCS", r) {
		v.operator = 'c'
	}
	switch r {
	case 'X':
		v.operate(max(v.pos-v.times(), 0), v.pos)
	case 'D', 'C':
		v.operate(v.pos, len(v.line))
	case 'S':
		v.operate(0, len(v.line))
	default:
		v.operate(v.pos, min(v.pos+v.times(), len(v.line)))
	}
}

// keep saves the line for u to restore.
func (v *vi) keep() {
	const most = 100
	v.undo = append(v.undo[max(len(v.undo)-most, 0):], draftState{slices.Clone(v.line), v.pos})
}

// move moves the cursor to the nearest position that it may have in normal mode.
func (v *vi) move(to int) { v.pos = max(min(to, len(v.line)-1), 0) }

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
