package terminal

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPassage checks that a program's output is cleaned until it reads single keys,
// that it has the screen only as long as it does, and that it gets all keys.
func TestPassage(t *testing.T) {
	t.Parallel()
	const (
		on  = "\x1b[?2004h"
		off = "\x1b[?2004l"
	)
	for _, c := range []struct {
		name   string
		chunks []string // those with a "!" arrive while it reads single keys
		shown  string
		text   string
		drew   bool
	}{
		{"lines", []string{"a\x1b[31mb\r\n", "c\x1b[?1049h\n"}, "ab\nc\n", "ab\nc\n", false},
		{"an editor", []string{"!\x1b[?1049h\x1b[2Jtext", "!\x1b[?10", "!49l"}, off + "\x1b[?1049h\x1b[2Jtext\x1b[?1049l" + givesBack + on, "", true},
		{"killed", []string{"!\x1b[?1049hx"}, off + "\x1b[?1049hx\x1b[?1049l" + givesBack + on, "", true},
		{"its last words come late", []string{"!\x1b[?1049hx", "\x1b[?1049lbye\n"}, off + "\x1b[?1049hx\x1b[?1049l" + givesBack + on + "bye\n", "bye\n", true},
		{"it gave the keys back before it was read", []string{"!\x1b[?1049hx", "y", "z\x1b[?1049lbye\n"}, off + "\x1b[?1049hxyz\x1b[?1049l" + givesBack + on + "bye\n", "bye\n", true},
		{"the same, in pieces", []string{"!\x1b[?1049hx", "z\x1b[?10", "49l", "bye\n"}, off + "\x1b[?1049hxz\x1b[?1049l" + givesBack + on + "bye\n", "bye\n", true},
		{"a question", []string{"!sure? ", "!y"}, off + "sure? y\r\n" + givesBack + on, "", true},
	} {
		s := newScene(style{plain: true}, 80)
		var keys []byte
		p := s.term.Pass(func(b []byte) { keys = append(keys, b...) }, func() {})
		s.keys.mode = working
		s.keys.receive([]byte("a\x03\x1a\x0f\x1b"))
		for _, chunk := range c.chunks {
			raw := chunk[0] == '!'
			if raw {
				chunk = chunk[1:]
			}
			p.Show([]byte(chunk), raw)
		}
		text, drew := p.Over()
		assert.Equal(t, c.shown, s.out.String(), c.name)
		assert.Equal(t, c.text, text, c.name)
		assert.Equal(t, c.drew, drew, c.name)
		assert.Equal(t, "a\x03\x1a\x0f\x1b", string(keys), c.name)
		s.keys.receive([]byte("b"))
		assert.Equal(t, "b", string(s.keys.queue), c.name)
	}
}
