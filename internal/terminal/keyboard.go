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

// mode decides what a key does.
type mode int

const (
	working   mode = iota // keys wait; Esc and ^C interrupt, and what waits is for the editor
	prompting             // keys go to the line editor
	asking                // keys answer a question
)

const (
	keyInterrupt = "\x03"
	keyEOF       = "\x04"
	keyEscape    = "\x1b"
	keySuspend   = "\x1a"
	keyUnfold    = "\x0f"
	keyShiftTab  = "\x1b[Z"
	keyFocusIn   = "\x1b[I"
	keyFocusOut  = "\x1b[O"

	// escapeTime is how long to wait for the rest of a key's sequence.
	escapeTime = 50 * time.Millisecond
)

// keyboard is the only reader of the terminal's input. The line editor pulls bytes from
// it one at a time and never reads ahead, so each key goes where the user saw it go,
// even after a key that may have ended the line.
type keyboard struct {
	in  *os.File
	vim bool

	// Called from the reader, without a lock; may be nil.
	typed   func()             // the text typed ahead has changed
	suspend func()             // ^Z
	reveal  func()             // ^O
	cycle   func()             // Shift+Tab at the prompt
	focus   func(focused bool) // the terminal gained or lost the focus

	mu        sync.Mutex
	changed   *sync.Cond
	mode      mode
	interrupt func(ctrlC bool)
	queue     []byte    // for the line editor
	held      bool      // the line editor gets no key, because its line may have ended
	dialogue  bool      // a dialogue has begun: keys between two questions wait in answers
	answers   []byte    // for the current question, or the next one of the dialogue
	fresh     int       // counts the questions that only keys typed after them answer
	began     int       // the value of fresh when the paste began
	enters    bool      // if the next key is Enter, it belongs to the previous answer
	raw       []byte    // bytes that are not a complete key yet
	pasting   bool      // inside a bracketed paste
	bursting  bool      // a paste without brackets goes on
	burst     time.Time // end of the last paste
	searched  int       // how much of raw was searched for the end of the paste
	pastes    pastes
	after     []func()     // called once the lock is free
	pass      func([]byte) // gets all input; may be nil
	light     func(bool)   // gets the answer to askBackground; nil if none is expected
	timer     *time.Timer
	ended     bool
	reader    cancelreader.CancelReader
	stopped   chan struct{} // closed when the reader has ended
}

func newKeyboard(in *os.File, vim bool) *keyboard {
	k := &keyboard{in: in, vim: vim}
	k.changed = sync.NewCond(&k.mu)
	k.timer = time.AfterFunc(time.Hour, k.expire)
	k.timer.Stop()
	return k
}

// resume starts reading.
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

// pause stops reading while another program has the terminal.
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
		k.receive(buf[:n])
		if err == nil {
			continue
		}
		if err != cancelreader.ErrCanceled {
			k.hangup()
		}
		return
	}
}

// receive handles the bytes of one read.
func (k *keyboard) receive(b []byte) {
	k.mu.Lock()
	if pass := k.pass; pass != nil {
		k.mu.Unlock()
		if len(b) > 0 {
			pass(b)
		}
		return
	}
	switch {
	case k.pasting && string(b) == keyInterrupt:
		k.pasting, k.raw = false, nil // the end of the paste got lost
	case !k.pasting && len(k.raw) == 0 && isBurst(b, time.Since(k.burst) < burstTime):
		k.bursting, k.began = true, k.fresh
	}
	k.raw = append(k.raw, b...)
	k.scan()
	k.unlock()
}

// unlock releases the lock after a change, then makes the calls that the change caused.
func (k *keyboard) unlock() {
	after, typed := k.after, k.typed
	k.after = nil
	ahead := k.mode == working
	k.changed.Broadcast()
	k.mu.Unlock()
	for _, f := range after {
		f()
	}
	if ahead && typed != nil {
		typed()
	}
}

func (k *keyboard) hangup() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.changed.Broadcast()
}

func (k *keyboard) over() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}

// enter changes the mode and returns the previous one. interrupt is called when the
// user interrupts work.
func (k *keyboard) enter(m mode, interrupt func(ctrlC bool)) (before mode) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before, k.mode, k.interrupt, k.held = k.mode, m, interrupt, k.held && m != prompting
	k.changed.Broadcast()
	return before
}

// ask makes keys answer a question, and returns the previous mode. It is called right
// before the question is written to the terminal. If fresh is set, only keys from here
// on answer it, and earlier ones go to the prompt as if typed while the agent works.
// Otherwise keys of the dialogue that no question has consumed answer it, too.
func (k *keyboard) ask(fresh bool) (before mode) {
	k.mu.Lock()
	defer k.mu.Unlock() // not unlock, which makes calls: the screen is locked
	before = k.mode
	if fresh {
		k.fresh++
		k.handBack(working)
	}
	k.mode, k.dialogue = asking, true
	return before
}

// leave ends the dialogue and returns to mode m. Keys that no question consumed mean
// what they mean in that mode, except that an Enter among them is a newline and sends
// nothing.
func (k *keyboard) leave(m mode) {
	k.mu.Lock()
	defer k.unlock()
	k.handBack(m)
}

// handBack handles the keys that no question consumed, in mode m.
func (k *keyboard) handBack(m mode) {
	behind := bytes.Trim(k.answers, "\r\n")
	k.mode, k.dialogue, k.answers = m, false, nil
	for len(behind) > 0 {
		n := sequence(behind)
		if n == 0 {
			n = len(behind)
		}
		key := string(behind[:n])
		behind = behind[n:]
		if key == "\r" || key == "\n" {
			key = string(newlineMark)
		}
		k.key(key)
	}
}

// Read implements [io.Reader] for the line editor: one byte at a time.
func (k *keyboard) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for !k.ended && (k.held || k.mode != prompting || len(k.queue) == 0) {
		k.changed.Wait()
	}
	if k.ended {
		return 0, io.EOF
	}
	p[0] = k.queue[0]
	k.queue = k.queue[1:]
	k.held = strings.IndexByte("\r\n"+keyInterrupt+keyEOF, p[0]) >= 0
	return 1, nil
}

// allowMore lets the line editor read on after a key that did not end its line.
func (k *keyboard) allowMore() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = false
	k.changed.Broadcast()
}

// Close implements [io.Closer] for the line editor.
func (k *keyboard) Close() error { return nil }

// answer waits for the next key of a question, a character or a key's sequence. ok is
// false if none will come.
func (k *keyboard) answer(ctx context.Context) (key string, ok bool) {
	stop := context.AfterFunc(ctx, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.changed.Broadcast()
	})
	defer stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for !utf8.FullRune(k.answers) {
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

// onlyKey reports whether no key is waiting after the last one taken. If so, that key
// answers alone, and an Enter that follows belongs to it rather than to the next
// question.
func (k *keyboard) onlyKey() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.enters = len(k.answers) == 0 && len(k.raw) == 0
	return k.enters
}

// ahead returns the text typed for the next prompt, for display.
func (k *keyboard) ahead() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var b strings.Builder
	for _, r := range string(bytes.ToValidUTF8(k.queue, nil)) {
		switch {
		case r == '\r' || r == '\n' || r == newlineMark:
			b.WriteRune('⏎')
		case r >= firstPaste && r <= lastPaste:
			b.WriteString(k.pastes.label(r))
		case r >= ' ' && r != 0x7f && !private(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unfold and label call those methods of the pastes. dropPastes drops pastes that are
// not in the text typed ahead.
func (k *keyboard) unfold(line string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.pastes.unfold(line)
}

func (k *keyboard) label(mark rune) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.pastes.label(mark)
}

func (k *keyboard) dropPastes() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pastes.keep(k.queue)
}
