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

// named maps sequences to keys. plainKey removes modifiers that have no meaning here.
var named = map[string]rune{
	"A": keyUp, "B": keyDown, "D": keyLeft, "C": keyRight, "H": keyHome, "F": keyEnd,
	"1~": keyHome, "7~": keyHome, "4~": keyEnd, "8~": keyEnd, "3~": keyDelete,
	"1;5D": keyWordLeft, "1;3D": keyWordLeft, "5D": keyWordLeft,
	"1;5C": keyWordRight, "1;3C": keyWordRight, "5C": keyWordRight,
	"3;5~": keyWordDelete, "3;3~": keyWordDelete,
}

// keyOf returns the key for a sequence, or 0 if it is unknown.
func keyOf(sequence string) rune {
	switch {
	case sequence == keyEscape:
		return keyEsc
	case strings.HasPrefix(sequence, "\x1b["), strings.HasPrefix(sequence, "\x1bO"):
		return named[sequence[2:]]
	}
	switch sequence {
	case "\x1bb":
		return keyWordLeft
	case "\x1bf":
		return keyWordRight
	case "\x1bd":
		return keyWordDelete
	case "\x1b\x7f", "\x1b\b":
		return keyWordRub
	case "\x1b\r", "\x1b\n":
		return newlineMark
	}
	return 0
}

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
