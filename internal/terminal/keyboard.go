package terminal

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/muesli/cancelreader"
)

// What becomes of a key depends on what the agent is at.
type mode int

const (
	working   mode = iota // keys wait; Esc and ^C interrupt
	prompting             // keys go to the line editor
	asking                // keys answer a question
)

const (
	keyInterrupt = "\x03"
	keyEOF       = "\x04"
	keyEscape    = "\x1b"
	keySuspend   = "\x1a"
	pasteStart   = "\x1b[200~"
	pasteEnd     = "\x1b[201~"

	// newlineMark stands for the line ends of a paste, so that they do not
	// submit it: a character for private use that Clean lets nobody else have.
	newlineMark = '\ue000'

	// escapeTime is how long the rest of a key's sequence is waited for.
	escapeTime = 50 * time.Millisecond
)

// keyboard is the one reader of the terminal's input. The line editor pulls
// from it a byte at a time and never reads ahead, so that a key goes where the
// user saw it go.
type keyboard struct {
	in  *os.File
	vim bool

	mu        sync.Mutex
	changed   *sync.Cond
	mode      mode
	interrupt func()
	queue     []byte // for the line editor
	answers   []byte // for the question
	raw       []byte // read and not understood yet
	pasting   bool
	timer     *time.Timer
	ended     bool
	reader    cancelreader.CancelReader
	stopped   chan struct{} // closed when the reader has ended
}

func newKeyboard(in *os.File, vim bool) *keyboard {
	k := &keyboard{in: in, vim: vim}
	k.changed = sync.NewCond(&k.mu)
	k.timer = time.AfterFunc(time.Hour, k.giveUpWaiting)
	k.timer.Stop()
	k.resume()
	return k
}

// resume begins to read.
func (k *keyboard) resume() {
	r, err := cancelreader.NewReader(k.in)
	if err != nil {
		k.hangup()
		return
	}
	stopped := make(chan struct{})
	k.mu.Lock()
	k.reader, k.stopped = r, stopped
	k.mu.Unlock()
	go func() {
		defer close(stopped)
		k.listen(r)
	}()
}

// pause ends reading: another program has the terminal.
func (k *keyboard) pause() {
	k.mu.Lock()
	r, stopped := k.reader, k.stopped
	k.mu.Unlock()
	if r != nil && r.Cancel() {
		<-stopped
		_ = r.Close()
	}
}

func (k *keyboard) listen(r cancelreader.CancelReader) {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		k.mu.Lock()
		k.raw = append(k.raw, buf[:n]...)
		k.scan()
		k.changed.Broadcast()
		k.mu.Unlock()
		if err == nil {
			continue
		}
		if err != cancelreader.ErrCanceled {
			k.hangup()
		}
		return
	}
}

func (k *keyboard) hangup() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.changed.Broadcast()
}

// enter changes what keys are for. interrupt is called, from the reader, when
// the user interrupts work.
func (k *keyboard) enter(m mode, interrupt func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mode, k.interrupt, k.answers = m, interrupt, nil
	k.changed.Broadcast()
}

// ask makes keys answer a question, and returns what they were for. Nothing
// that was typed before counts.
func (k *keyboard) ask() (before mode) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before, k.mode, k.answers = k.mode, asking, nil
	return before
}

// leave goes back to what keys were for.
func (k *keyboard) leave(m mode) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mode = m
}

// Read implements io.Reader for the line editor: one byte at a time.
func (k *keyboard) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for !k.ended && (k.mode != prompting || len(k.queue) == 0) {
		k.changed.Wait()
	}
	if k.ended {
		return 0, io.EOF
	}
	p[0] = k.queue[0]
	k.queue = k.queue[1:]
	return 1, nil
}

// Close implements io.Closer for the line editor.
func (k *keyboard) Close() error { return nil }

// answer waits for the next key of a question: a character, or one of the
// named keys. ok is false if there will be none.
func (k *keyboard) answer(ctx context.Context) (key string, ok bool) {
	stop := context.AfterFunc(ctx, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.changed.Broadcast()
	})
	defer stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.answers) == 0 {
		if k.ended || ctx.Err() != nil {
			return "", false
		}
		k.changed.Wait()
	}
	_, n := utf8.DecodeRune(k.answers)
	if k.answers[0] == keyEscape[0] {
		n = sequence(k.answers)
		if n == 0 {
			n = len(k.answers)
		}
	}
	key, k.answers = string(k.answers[:n]), k.answers[n:]
	return key, true
}

// ahead is what was typed for the next prompt, for people to see.
func (k *keyboard) ahead() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\n' || r == newlineMark:
			return '⏎'
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, string(bytes.ToValidUTF8(k.queue, nil)))
}

// scan hands on the keys that are complete.
func (k *keyboard) scan() {
	k.timer.Stop()
	for len(k.raw) > 0 {
		if k.pasting {
			before, after, found := bytes.Cut(k.raw, []byte(pasteEnd))
			if !found {
				return
			}
			k.pasting = false
			k.raw = after
			k.key([]byte(pasted(string(before), k.mode == asking)))
			continue
		}
		n := sequence(k.raw)
		if n == 0 {
			k.timer.Reset(escapeTime)
			return
		}
		key := k.raw[:n]
		k.raw = k.raw[n:]
		if string(key) == pasteStart {
			k.pasting = true
			continue
		}
		k.key(key)
	}
}

// giveUpWaiting takes an escape character for the key of that name.
func (k *keyboard) giveUpWaiting() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.raw) == 0 || k.pasting {
		return
	}
	key := k.raw
	k.raw = nil
	k.key(key)
	k.changed.Broadcast()
}

func (k *keyboard) key(key []byte) {
	name := string(key)
	switch k.mode {
	case asking:
		k.answers = append(k.answers, key...)
		return
	case working:
		if name == keyInterrupt || name == keyEscape {
			k.queue = nil
			if k.interrupt != nil {
				go k.interrupt()
			}
			return
		}
	}
	if name == keySuspend || name == keyEscape && !k.vim {
		// The line editor would stop the program with the terminal unrestored, or
		// take the next key for a part of this one.
		return
	}
	k.queue = append(k.queue, key...)
}

// sequence is the length of the first key in b; 0 if more of it may follow.
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
	case keyEscape[0]:
		return 1
	}
	return 2
}

// pasted makes a pasted text one line: its line ends are marked, and what is no
// text is left out.
func pasted(s string, flat bool) string {
	mark := string(newlineMark)
	if flat {
		mark = " "
	}
	s = Clean(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.ReplaceAll(s, "\n", mark)
}
