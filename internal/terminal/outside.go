package terminal

import (
	"bytes"
	"strings"
)

// Passage gives the keys to another program and shows its output. It is used for one
// program only.
type Passage struct {
	t       *Terminal
	cleaner Cleaner
	whole   bool   // the program has the whole screen
	tail    []byte // the end of its output while it had the screen
	alt     bool   // the program is on the alternate screen
	left    bool   // the program was on the alternate screen and has left it
	text    strings.Builder
	drew    bool
}

// keptText limits how much of a program's output is kept.
const keptText = 64 << 10

// Pass sends all keys to another program until Over is called on the result. It calls
// resized when the window's size changes.
func (t *Terminal) Pass(keys func([]byte), resized func()) *Passage {
	t.keys.passTo(keys)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resized = resized
	return &Passage{t: t}
}

// Show shows output of the program, cleaned. While the program reads single keys, as
// editors do, it has the whole screen instead.
func (p *Passage) Show(printed []byte, keys bool) {
	if keys && !p.t.style.dumb {
		p.draw(printed)
		return
	}
	if p.alt { // it stopped reading single keys before its last output was read
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

// altScreen followed by h enters the alternate screen; followed by l, it leaves it.
const altScreen = "\x1b[?1049"

// drawn records whether the program is on the alternate screen.
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

// givesBack resets what full-screen programs change: colours, a hidden cursor,
// application keys, the mouse, bracketed paste.
const givesBack = "\x1b[0m\x1b[?25h\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l"

// giveBack takes the screen back. The program may have left the alternate screen in its
// last output, which arrived after it stopped reading single keys.
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

// Over takes back the keys and the screen. It returns the text of the output, and
// whether the program ever had the whole screen.
func (p *Passage) Over() (text string, drew bool) {
	p.giveBack()
	p.t.mu.Lock()
	p.t.resized = nil
	p.t.mu.Unlock()
	p.t.keys.passTo(nil)
	return p.text.String(), p.drew
}

// passTo sends all keys to a program, or no longer does so if keys is nil.
func (k *keyboard) passTo(keys func([]byte)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pass = keys
}
