package terminal

import (
	"bytes"
	"strings"
)

// Passage lets another program have the keys, and show what it prints. It is for
// one program.
type Passage struct {
	t       *Terminal
	cleaner Cleaner
	whole   bool   // the program has the screen
	tail    []byte // the end of what it drew
	alt     bool   // it is on a screen of its own
	left    bool   // it was, and has left it
	text    strings.Builder
	drew    bool
}

// keptText limits what is kept of what a program printed.
const keptText = 64 << 10

// Pass gives all keys to another program, until Over of what it returns. resized
// is called when the window has another size.
func (t *Terminal) Pass(keys func([]byte), resized func()) *Passage {
	t.keys.passTo(keys)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resized = resized
	return &Passage{t: t}
}

// Show shows what the program printed, cleaned. While it takes each key as it is
// pressed it has the screen, as editors need it.
func (p *Passage) Show(printed []byte, keys bool) {
	if keys && !p.t.style.dumb {
		p.draw(printed)
		return
	}
	if p.alt { // it gave the keys back before what it drew was read
		i := bytes.Index(printed, []byte(altScreen+"l"))
		if i < 0 {
			p.draw(printed)
			return
		}
		i += len(altScreen + "l")
		p.draw(printed[:i])
		printed = printed[i:]
	}
	p.giveBack()
	clean := p.cleaner.Clean(printed)
	if p.text.Len() < keptText {
		p.text.WriteString(clean)
	}
	p.t.screen.write(clean)
}

func (p *Passage) draw(printed []byte) {
	p.take()
	p.t.screen.signal(string(printed))
	p.drawn(printed)
}

// altScreen, with an h behind it, begins the screen of a program, and with an l
// ends it.
const altScreen = "\x1b[?1049"

// drawn remembers whether the program is on a screen of its own.
func (p *Passage) drawn(printed []byte) {
	p.tail = append(p.tail, printed...)
	tail := string(p.tail)
	if begun, ended := strings.LastIndex(tail, altScreen+"h"), strings.LastIndex(tail, altScreen+"l"); begun != ended {
		p.alt, p.left = begun > ended, ended > begun
	}
	p.tail = p.tail[max(len(p.tail)-len(altScreen), 0):]
}

func (p *Passage) take() {
	if !p.whole {
		p.whole, p.drew = true, true
		p.t.screen.yield(true)
		p.t.screen.signal(p.t.switches(false))
	}
}

// givesBack undoes what programs do to a terminal that draw on it: colours, a
// hidden cursor, keys for applications, the mouse, pastes.
const givesBack = "\x1b[0m\x1b[?25h\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l"

// giveBack takes the screen back. The program may have left it in its last words,
// which came when it took whole lines again.
func (p *Passage) giveBack() {
	if !p.whole {
		return
	}
	p.whole = false
	switch {
	case p.alt:
		p.t.screen.signal(altScreen + "l")
	case !p.left && !bytes.HasSuffix(p.tail, []byte("\n")):
		p.t.screen.signal("\r\n")
	}
	p.alt, p.left, p.tail = false, false, nil
	p.t.screen.signal(givesBack + p.t.switches(true))
	p.t.screen.yield(false)
}

// Over takes keys and screen back. It returns the text of what was printed, and
// whether the program drew the screen, too.
func (p *Passage) Over() (text string, drew bool) {
	p.giveBack()
	p.t.mu.Lock()
	p.t.resized = nil
	p.t.mu.Unlock()
	p.t.keys.passTo(nil)
	return p.text.String(), p.drew
}

// passTo gives all keys to a program; nil: no longer.
func (k *keyboard) passTo(keys func([]byte)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pass = keys
}
