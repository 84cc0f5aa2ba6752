package terminal

import (
	"slices"
	"strings"

	"github.com/chzyer/readline"

	"minigem/internal/text"
)

// insertKeys maps our keys to the line editor's.
var insertKeys = map[rune]rune{
	keyUp: readline.CharPrev, keyDown: readline.CharNext, keyLeft: readline.CharBackward, keyRight: readline.CharForward,
	keyHome: readline.CharLineStart, keyEnd: readline.CharLineEnd, keyDelete: readline.CharDelete,
	keyWordLeft: readline.MetaBackward, keyWordRight: readline.MetaForward,
	keyWordDelete: readline.MetaDelete, keyWordRub: readline.MetaBackspace, keyEsc: readline.CharEsc,
}

// known lists the control characters that the line editor handles, as people write them:
// A is ^A.
const known = "ABCDEFGHIJKMNPRSTUWY[?"

// nothing is a key that does nothing, except end a search.
const nothing = readline.CharBell

// endsSearch lists the control characters, as in known, that end the line editor's search,
// like its named keys. Any other key is added to the search text.
const endsSearch = "ABCDEFGIJKLMNPTUWYZ"

// isControl reports whether r is one of the control characters that list names.
func isControl(r rune, list string) bool { return strings.ContainsRune(list, r^0x40) }

// filter converts a key for the line editor before the editor acts on it. ok is false
// for keys that the line editor must not receive.
func (e *editor) filter(r rune) (_ rune, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r, ok = e.named(r)
	e.searched = ok && (r < 0 || isControl(r, endsSearch))
	return r, ok
}

func (e *editor) named(r rune) (_ rune, ok bool) {
	if r == 0 { // the end of the input
		return r, true
	}
	e.recall()
	searching := e.t.line.Operation.IsSearchMode()
	switch r { // it does not end the line
	case readline.CharDelete:
		if len(e.line) > 0 || searching {
			e.t.keys.allowMore()
		}
	case readline.CharInterrupt:
		if searching {
			e.t.keys.allowMore()
		}
	}
	if searching && r == keyEsc {
		return nothing, true
	}
	if !searching {
		if r, ok, done := e.special(r); done {
			return r, ok
		}
	}
	if r == readline.CharCtrlL {
		e.t.screen.clear(false)
		return r, false
	}
	if e.vi.normal && !searching {
		return e.command(r)
	}
	if r == keyDelete && len(e.line) == 0 {
		return r, false // ^D leaves, Delete does not
	}
	if named, ok := insertKeys[r]; ok {
		r = named
	}
	switch r {
	case readline.CharEsc:
		if !e.vim {
			return r, false
		}
		return e.command(r)
	case readline.CharEnter, readline.CharCtrlJ:
		return e.enter(r)
	case readline.CharBckSearch, readline.CharFwdSearch:
		return r, len(e.history) > 0
	case readline.CharTranspose:
		return r, len(e.line) > 1
	}
	if r > 0 && (r < ' ' || r == 0x7f) {
		return r, isControl(r, known)
	}
	return r, r < 0 || r == newlineMark || r >= firstPaste && r <= lastPaste || text.Typed(r) && !private(r)
}

// special handles the keys of the menu and the key that opens an external editor. done
// is false for other keys.
func (e *editor) special(r rune) (_ rune, ok, done bool) {
	chord := e.chord
	e.chord = r == ctrlX
	switch {
	case r == readline.CharBell, chord && r == readline.CharLineEnd:
		r, ok = e.compose()
		return r, ok, true
	case r == ctrlX:
		return r, false, true
	case r == readline.CharTab:
		r, ok = e.accept()
		return r, ok, true
	}
	return e.menuKey(r)
}

// ctrlX begins ^X ^E.
const ctrlX = 0x18

// compose lets the user write the prompt in an external editor.
func (e *editor) compose() (rune, bool) {
	if e.t.o.Compose == nil {
		return nothing, true
	}
	before := e.t.keys.unfold(string(e.line))
	e.mu.Unlock()
	after, err := e.t.o.Compose(before)
	e.mu.Lock()
	if err != nil {
		e.t.screen.lines(e.t.style.red("✗ " + Clean(err.Error())))
		return nothing, true
	}
	line := []rune(strings.ReplaceAll(pasted(strings.TrimRight(after, "\r\n")), "\n", string(newlineMark)))
	e.change = func([]rune, int) ([]rune, int) { return line, len(line) }
	return nothing, true
}

// enter ends the line, unless the line ends in a backslash.
func (e *editor) enter(r rune) (rune, bool) {
	if e.menu.moved && e.menuVisible() {
		e.t.keys.allowMore()
		e.t.line.Terminal.KickRead()
		return e.accept()
	}
	if len(e.line) == 0 || e.line[len(e.line)-1] != '\\' || e.pos != len(e.line) {
		return r, true
	}
	e.change = func(line []rune, _ int) ([]rune, int) {
		line = append(line[:len(line)-1], newlineMark)
		return line, len(line)
	}
	e.t.keys.allowMore()
	e.t.line.Terminal.KickRead()
	return nothing, true
}

// command handles a key of vi's normal mode.
func (e *editor) command(r rune) (rune, bool) {
	line, pos, pass := e.vi.press(r, slices.Clone(e.line), e.pos)
	if pass != 0 {
		return pass, pass != readline.CharBckSearch || len(e.history) > 0
	}
	e.change = func([]rune, int) ([]rune, int) { return line, pos }
	return nothing, true
}
