package terminal

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// deaf makes a keyboard that reads no terminal. Tests feed it by hand.
func deaf() *keyboard {
	k := &keyboard{}
	k.changed = sync.NewCond(&k.mu)
	k.timer = time.AfterFunc(time.Hour, k.expire)
	k.timer.Stop()
	return k
}

// TestKeyboard checks where keys go in each mode.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		mode    mode
		pieces  []string
		queue   string // for the line editor
		answers string // for a question
	}{
		{"a prompt", prompting, []string{"hi\r"}, "hi\r", ""},
		{"a key of several bytes", prompting, []string{"\x1b[A"}, string(keyUp), ""},
		{"in pieces", prompting, []string{"\x1b", "[", "A"}, string(keyUp), ""},
		{"a letter of several bytes", prompting, []string{"\xc3", "\xa4"}, "ä", ""},
		{"a question", asking, []string{"2\r"}, "", "2\r"},
		{"while working", working, []string{"next"}, "next", ""},
		// pastes
		{"a paste of two lines", prompting, []string{"\x1b[200~one\r\ntwo\x1b[201~"}, "one" + string(newlineMark) + "two", ""},
		{"a paste in pieces", prompting, []string{"\x1b[20", "0~one", "\rtwo\x1b[2", "01~!"}, "one" + string(newlineMark) + "two!", ""},
		{"a paste answers on one line", asking, []string{"\x1b[200~yes\rno\x1b[201~"}, "", "yes no"},
		{"a paste with sequences in it", prompting, []string{"\x1b[200~a\x1b[2Jb\x07\x1b[201~"}, "ab", ""},
	} {
		k := deaf()
		k.mode = c.mode
		for _, p := range c.pieces {
			k.receive([]byte(p))
		}
		assert.Equal(t, c.queue, string(k.queue), c.name)
		assert.Equal(t, c.answers, string(k.answers), c.name)
		assert.Empty(t, k.raw, c.name)
	}
}

// ^C and Esc stop work. Text typed ahead stays, unsent.
func TestKeyboardInterrupts(t *testing.T) {
	t.Parallel()
	for _, key := range []string{keyInterrupt, keyEscape} {
		k := deaf()
		interrupted := make(chan struct{})
		k.enter(working, func(bool) { close(interrupted) })
		k.receive([]byte("next prompt\r"))
		k.receive([]byte(key))
		k.expire() // an escape alone is the key
		<-interrupted
		assert.Equal(t, "next prompt", string(k.queue))
	}
}

// Text typed before a question does not answer it, and is still there once it is
// answered.
func TestKeyboardTypeAhead(t *testing.T) {
	t.Parallel()
	k := deaf()
	k.enter(working, nil)
	k.receive([]byte("1\r"))
	k.ask(true)
	assert.Empty(t, k.answers)
	k.receive([]byte("n"))
	key, ok := k.answer(t.Context())
	assert.True(t, ok)
	assert.Equal(t, "n", key)
	k.leave(working)
	assert.Equal(t, "1⏎", k.ahead())
}

// Text typed after an answer, before the answer is taken, is not lost. It goes to the
// next prompt, unsent, or interrupts the work.
func TestKeyboardAfterAnAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		behind, ahead string
		interrupts    int
	}{
		{"then this", "then this", 0},
		{"\r", "", 0},
		{"\r\none\rtwo\r", "one⏎two", 0},
		{"é\x1b[A\x00", "é", 0},
		{"this\x1b", "this", 1},
		{"this\x03\x1b[Zthat", "thisthat", 1},
		{"\x1b[", "", 0},
	} {
		k := deaf()
		interrupts := 0
		k.enter(working, func(bool) { interrupts++ })
		before := k.ask(true)
		k.receive([]byte("1"))
		_, ok := k.answer(t.Context())
		assert.True(t, ok)
		k.answers = append(k.answers, c.behind...) // as if it had come just now
		k.leave(before)
		assert.Equal(t, c.ahead, k.ahead(), "%q", c.behind)
		assert.Equal(t, c.interrupts, interrupts, "%q", c.behind)
		assert.Empty(t, k.answers, "%q", c.behind)
	}
}

func TestKeyboardHangup(t *testing.T) {
	t.Parallel()
	k := deaf()
	k.enter(asking, nil)
	k.hangup()
	_, ok := k.answer(t.Context())
	assert.False(t, ok)
	_, err := k.Read(make([]byte, 1))
	assert.Error(t, err)
}
