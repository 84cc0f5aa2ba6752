package terminal

import (
	"bytes"
	"strings"
	"time"
)

// scan handles the complete keys in raw.
func (k *keyboard) scan() {
	k.timer.Stop()
	for len(k.raw) > 0 {
		switch {
		case k.bursting:
			k.timer.Reset(quietTime)
			return
		case k.pasting:
			if !k.endPaste() {
				return
			}
			continue
		}
		n := sequence(k.raw)
		if k.light != nil && isBackground(k.raw) {
			n = k.background()
		}
		if n == 0 {
			k.timer.Reset(escapeTime)
			return
		}
		key := k.raw[:n]
		k.raw = k.raw[n:]
		if strings.HasPrefix(string(key), backgroundStart) {
			continue
		}
		if string(key) == pasteStart {
			k.pasting, k.searched, k.began = true, 0, k.fresh
			continue
		}
		k.key(string(key))
	}
}

// endPaste handles a paste if it is complete.
func (k *keyboard) endPaste() bool {
	end := bytes.Index(k.raw[k.searched:], []byte(pasteEnd))
	if end < 0 {
		k.searched = max(len(k.raw)-len(pasteEnd), 0)
		return false
	}
	end += k.searched
	text := pasted(string(k.raw[:end]))
	k.raw, k.pasting, k.searched = k.raw[end+len(pasteEnd):], false, 0
	k.paste(text)
	return true
}

// paste handles a paste. If it began before a question that ignores earlier keys, it
// goes to the prompt.
func (k *keyboard) paste(text string) {
	if (k.mode == asking || k.dialogue) && k.began == k.fresh {
		k.answers = append(k.answers, strings.ReplaceAll(text, "\n", " ")...)
		return
	}
	k.queue = append(k.queue, k.pastes.fold(text)...)
}

// expire handles a timeout. A lone escape character is the Esc key, and silence ends a
// paste.
func (k *keyboard) expire() {
	k.mu.Lock()
	defer k.unlock()
	if len(k.raw) == 0 || k.pasting {
		return
	}
	raw := string(k.raw)
	k.raw = nil
	switch {
	case k.light != nil && len(raw) > 2 && isBackground([]byte(raw)):
		return // the rest was lost
	case !k.bursting:
		k.key(raw)
		return
	}
	k.bursting, k.burst = false, time.Now()
	if discarded := strings.LastIndex(raw, keyInterrupt); discarded >= 0 {
		k.key(keyInterrupt)
		raw = raw[discarded+1:]
	}
	k.paste(pasted(raw))
}

// key handles a key according to the mode.
func (k *keyboard) key(key string) {
	switch key {
	case keyFocusIn, keyFocusOut:
		if k.focus != nil {
			k.after = append(k.after, func() { k.focus(key == keyFocusIn) })
		}
		return
	case keyUnfold:
		if k.reveal != nil {
			k.after = append(k.after, k.reveal)
		}
		return
	case keyShiftTab:
		if k.cycle != nil && k.mode == prompting {
			k.after = append(k.after, k.cycle)
		}
		return
	case keySuspend:
		if k.suspend != nil {
			k.after = append(k.after, k.suspend)
		}
		return
	}
	enter := key == "\r" || key == "\n"
	enter, k.enters = enter && k.enters, false
	switch {
	case enter:
	case k.mode == working && (key == keyInterrupt || key == keyEscape):
		k.giveBack()
		k.answers = nil // a user who stops the work does not know of the next question
		if interrupt := k.interrupt; interrupt != nil {
			k.after = append(k.after, func() { interrupt(key == keyInterrupt) })
		}
	case k.mode == asking || k.dialogue:
		k.answers = append(k.answers, key...)
	default:
		k.queue = append(k.queue, k.forEditor(key)...)
	}
}

// giveBack makes the text typed ahead one unsent line of the editor, because a user who
// stops the work wants to look at it again.
func (k *keyboard) giveBack() {
	lines := bytes.ReplaceAll(k.queue, []byte("\n"), []byte("\r"))
	lines = bytes.Trim(lines, "\r")
	k.queue = bytes.ReplaceAll(lines, []byte("\r"), []byte(string(newlineMark)))
}

// forEditor returns a key in the form for the line editor.
func (k *keyboard) forEditor(key string) string {
	switch key[0] {
	case 0: // Ctrl-Space, which the line editor takes for the end of the input
		return ""
	case keyEscape[0]:
	default:
		return key
	}
	if named := keyOf(key); named != 0 && (!k.vim || len(key) > 2 || key == keyEscape || named == newlineMark) {
		return string(named)
	}
	if k.vim && len(key) == 2 {
		return string(keyEsc) + key[1:] // typed fast
	}
	return ""
}
