package terminal

import "strings"

// Keys that the line editor has no name for, or only in one of its modes, are
// sent to it as characters of the last private plane, which Clean removes from
// all other text: see editor.filter.
const (
	keyUp rune = 0x10f000 + iota
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyDelete
	keyWordLeft
	keyWordRight
	keyWordDelete
	keyWordRub
	keyEsc
	lastKey

	// A paste is one character in the line, counted from here.
	firstPaste rune = 0x10f100
	lastPaste  rune = 0x10fffd
)

// named maps sequences to keys.
var named = map[string]rune{
	keyEscape: keyEsc, "\x1bb": keyWordLeft, "\x1bf": keyWordRight, "\x1bd": keyWordDelete,
	"\x1b\x7f": keyWordRub, "\x1b\b": keyWordRub, "\x1b\r": newlineMark, "\x1b\n": newlineMark,
	"\x1b[A": keyUp, "\x1b[B": keyDown, "\x1b[D": keyLeft, "\x1b[C": keyRight, "\x1b[H": keyHome, "\x1b[F": keyEnd,
	"\x1b[1~": keyHome, "\x1b[7~": keyHome, "\x1b[4~": keyEnd, "\x1b[8~": keyEnd, "\x1b[3~": keyDelete,
	"\x1b[1;5D": keyWordLeft, "\x1b[1;3D": keyWordLeft, "\x1b[5D": keyWordLeft,
	"\x1b[1;5C": keyWordRight, "\x1b[1;3C": keyWordRight, "\x1b[5C": keyWordRight,
	"\x1b[3;5~": keyWordDelete, "\x1b[3;3~": keyWordDelete,
}

// keyOf returns the key for a sequence, or 0 if it is unknown. Applications may ask for
// O instead of the bracket.
func keyOf(sequence string) rune { return named[strings.Replace(sequence, "\x1bO", "\x1b[", 1)] }

// sequence returns the length of the first key in b, or 0 if it may be incomplete.
func sequence(b []byte) int {
	if b[0] != keyEscape[0] {
		return 1
	}
	if len(b) == 1 {
		return 0
	}
	switch b[1] {
	case '[':
		for i, c := range b[2:] {
			if c >= 0x40 && c <= 0x7e {
				return i + 3
			}
		}
		return 0
	case 'O':
		if len(b) < 3 {
			return 0
		}
		return 3
	case '\r', '\n', '\b':
		return 2
	}
	if b[1] < ' ' {
		return 1 // another key, typed fast
	}
	return 2
}
