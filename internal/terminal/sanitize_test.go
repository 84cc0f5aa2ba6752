package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

var dirty = []struct{ name, in, want string }{
	{"plain", "Hello, wörld\n\tdone", "Hello, wörld\n\tdone"},
	{"emoji of several characters", "👩\u200d💻 ok", "👩\u200d💻 ok"},
	// control sequences
	{"colour", "\x1b[31mred\x1b[0m", "red"},
	{"clear screen", "a\x1b[2J\x1b[Hb", "ab"},
	{"cursor up and erase", "safe\x1b[1A\x1b[2Kevil", "safeevil"},
	{"title", "\x1b]0;owned\x07text", "text"},
	{"title, other end", "\x1b]2;owned\x1b\\text", "text"},
	{"link", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"},
	{"clipboard", "\x1b]52;c;cm0gLXJm\x07x", "x"},
	{"device control", "a\x1bP+q544e\x1b\\b", "ab"},
	{"application command", "a\x1b_Gf=100;AAAA\x1b\\b", "ab"},
	{"never ended", "a\x1b]0;the rest is title", "a"},
	{"reset", "a\x1bcb", "ab"},
	{"report", "a\x1b[6n\x1b[cb", "ab"},
	{"sequence of one character", "a\u009b31mb", "a31mb"},
	{"sequence with intermediate bytes", "a\x1b[1$rb\x1b[!pc\x1b[0 qd", "abcd"},
	{"sequence with private parameters", "a\x1b[?1049hb\x1b[>4;2mc", "abc"},
	{"privacy message, start of string", "a\x1b^secret\x1b\\b\x1bXmore\x1b\\c", "abc"},
	{"character set, keypad, saved cursor", "a\x1b(0b\x1b=c\x1b7d\x1b8e", "abcde"},
	{"introducer as one byte", "a\x9b2Jb", "ab"},
	{"title by one byte", "a\x9d0;owned\x9cb", "ab"},
	{"a sequence cut off", "a\x1b[", "a"},
	{"an escape cut off", "a\x1b", "a"},
	{"cancelled", "a\x1b[3\x18mb", "amb"},
	// control characters
	{"carriage return", "rm -rf /\rls      ", "rm -rf /ls      "},
	{"backspace", "evil\b\b\b\bgood", "evilgood"},
	{"bell, null, delete", "a\x07\x00\x7fb", "ab"},
	// what deceives
	{"direction", "a\u202eb\u2066c\u200fd", "abcd"},
	{"tags", "a\U000e0041\U000e007fb", "ab"},
	{"line separators", "a\u2028b\u2029c", "abc"},
	{"of no width", "a\u200bb\u2060c\ufeffd\u00ade", "abcde"},
	{"fillers", "a\u3164b\u115fc\uffa0d", "abcd"},
	{"annotations", "a\ufff9b\ufffac\ufffbd", "abcd"},
	{"a few marks", "e\u0301a\u0308\u0304", "e\u0301a\u0308\u0304"},
	{"heaps of marks", "a" + strings.Repeat("\u0301", 1000) + "b", "a" + strings.Repeat("\u0301", 8) + "b"},
	{"ours", "a\ue000b\U0010f001c\U0010f100d", "abcd"},
	// what is no text
	{"invalid", "a\xffb", "ab"},
	{"cut off", "a\xe2\x82", "a"},
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range dirty {
		assert.Equal(t, c.want, Clean(c.in), c.name)
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range dirty {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		assert.True(t, utf8.ValidString(out))
		assert.False(t, strings.ContainsFunc(out, acts), "%q became %q", in, out)
	})
}

// However a text is parted, the same of it is shown, but for heaps of marks:
// they are counted anew in each piece.
func TestCleaner(t *testing.T) {
	t.Parallel()
	for _, c := range dirty {
		if c.name == "heaps of marks" {
			continue
		}
		for at := range len(c.in) + 1 {
			var two Cleaner
			got := two.Clean([]byte(c.in[:at])) + two.Clean([]byte(c.in[at:]))
			assert.Equal(t, c.want, got, "%s, parted at %d", c.name, at)
		}
		var one Cleaner
		var got strings.Builder
		for i := range len(c.in) {
			got.WriteString(one.Clean([]byte{c.in[i]}))
		}
		assert.Equal(t, c.want, got.String(), "%s, byte by byte", c.name)
	}
}

// A title without an end takes no memory.
func TestCleanerIsBounded(t *testing.T) {
	t.Parallel()
	var c Cleaner
	assert.Equal(t, "a", c.Clean([]byte("a\x1b]0;")))
	for range 1000 {
		assert.Empty(t, c.Clean([]byte(strings.Repeat("x", 1000))))
		assert.LessOrEqual(t, len(c.rest), mostHeld)
	}
	assert.Equal(t, "b", c.Clean([]byte("\x07b")))
}
