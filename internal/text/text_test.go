package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	{"sequence of one character", "a\u009b31mb", "ab"},
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
	{"selectors that hold a message", "a\ufe01\ufe0f\U000e0101b", "ab"},
	{"joiners in words of Latin", "a\u200db\u200cc", "abc"},
	{"joiners of their scripts", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937"},
	{"more joiners than one", "\u0645\u200c\u200d\u200c\u062e", "\u0645\u062e"},
	{"selectors of emoji", "\u2764\ufe0f 1\ufe0f\u20e3 \u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f 1\ufe0f\u20e3 \u2764\ufe0f\u200d\U0001f525"},
	{"selectors of keys that are none", "\ufe0f\u20e3 a\ufe0f\u20e3 #\ufe0f\u20e3", "\u20e3 a\u20e3 #\ufe0f\u20e3"},
	{"more selectors than one", "\u2764\ufe0f\ufe0e\ufe0f!", "\u2764\ufe0f!"},
	{"blank letters", "a\u2800b", "ab"},
	// other than text
	{"invalid", "a\xffb", "ab"},
	{"cut off", "a\xe2\x82", "a"},
	{"broken in the middle", "a\xe2\x9bb", "ab"},
	{"a title that does not end on its line", "a\x1b]0;title\nb", "a\nb"},
	{"a title with a character whose bytes look like its end", "a\x1b]0;\u271c\u275d\x07b", "ab"},
	{"a title of the 8-bit form in UTF-8", "a\u009d0;title\u009cb", "ab"},
	{"device control, 8-bit", "a\x90q\x9cb\u0090q\u009cc", "abc"},
	{"privacy message, start of string, application command, 8-bit", "a\x9e1\x9cb\x982\x9cc\x9f3\x9cd", "abcd"},
	{"an escape before a line end", "a\x1b\nb", "a\nb"},
	{"an escape before an escape", "a\x1b\x1b[31mb", "ab"},
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
		for name, out := range map[string]string{"Clean": Clean(in), "Line": Line(in), "Visible": Visible(in), "VisibleLine": VisibleLine(in)} {
			assert.True(t, utf8.ValidString(out), name)
			for i, r := range out {
				joined := i > 0 && strings.ContainsRune("\u200c\u200d\ufe0e\ufe0f", r)
				line := (r == '\n' || r == '\t') && (name == "Clean" || name == "Visible")
				assert.False(t, Hides(r) && !joined && !line, "%s: %q became %q", name, in, out)
			}
			if strings.HasPrefix(name, "Clean") || name == "Line" {
				assert.Equal(t, out, Clean(out), "%s: cleaned twice", name)
			}
		}
	})
}

// classes are the Unicode classes whose characters control, hide or reorder the text
// around them.
var classes = []*unicode.RangeTable{
	unicode.Categories["Cc"], unicode.Categories["Cf"], unicode.Categories["Zl"], unicode.Categories["Zp"], unicode.Categories["Cs"],
	unicode.Properties["Bidi_Control"], unicode.Properties["Join_Control"], unicode.Properties["Variation_Selector"],
	unicode.Properties["Other_Default_Ignorable_Code_Point"],
}

// Every character, placed between two letters, is either removed by Clean and Line and
// shown by Visible, or is graphic and stays as it is.
func TestEveryCharacter(t *testing.T) {
	t.Parallel()
	hidden := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || r == '\n' || r == '\t' {
			continue
		}
		in, shown := "a"+string(r)+"z\nb", fmt.Sprintf("a<U+%04X>z\nb", r)
		if !unicode.In(r, classes...) {
			if unicode.IsGraphic(r) && !unicode.Is(blank, r) && (Clean(in) != in || Visible(in) != in) {
				t.Fatalf("U+%04X is not left as it is", r)
			}
			continue
		}
		hidden++
		require.Equal(t, []string{shown, shown}, []string{Visible(in), strings.ReplaceAll(VisibleLine(in), "<U+000A>", "\n")})
		for _, out := range []string{Clean(in), Line(in)} {
			require.NotContains(t, out, string(r), "U+%04X", r)
			require.True(t, strings.HasPrefix(out, "a") && strings.HasSuffix(out, "b"), "U+%04X swallows: %q", r, out)
		}
	}
	assert.Greater(t, hidden, 4000, "Unicode has so many")
	for _, r := range "\n\t" {
		in := "a" + string(r) + "b"
		assert.Equal(t, []string{in, in, "a b", fmt.Sprintf("a<U+%04X>b", r)}, []string{Clean(in), Visible(in), Line(in), VisibleLine(in)})
	}
}

// Every byte that is not UTF-8 is removed, or made visible.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	for n := 0x80; n <= 0xff; n++ {
		in := "a" + string([]byte{byte(n)}) + "\nb"
		assert.Equal(t, "a\nb", Clean(in), "%x", n)
		assert.Equal(t, fmt.Sprintf("a<0x%02X>\nb", n), Visible(in), "%x", n)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" a \n\n b\t c ": "a b c", "a\rb\vc\fd\u0085e\u2028f\u2029g": "a b c d e f g", "a\x1b[31mb\x9b": "ab", "": "",
	} {
		assert.Equal(t, want, Line(in), "%q", in)
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"echo ok \u2066# \u202egod": "echo ok <U+2066># <U+202E>god", "\x1b]52;c;aGk=\x07": "<U+001B>]52;c;aGk=<U+0007>",
		"safe\rrm": "safe<U+000D>rm", "a\U000e0041b": "a<U+E0041>b", "\xff": "<0xFF>", "h\u00e9llo \u4f60": "h\u00e9llo \u4f60",
	} {
		assert.Equal(t, want, Visible(in), "%q", in)
	}
	assert.Equal(t, "a<U+000A>b<U+0009>c", VisibleLine("a\nb\tc"))
	heap := Visible("a" + strings.Repeat("\u0301", 10))
	assert.Equal(t, "a"+strings.Repeat("\u0301", 8)+"<U+0301><U+0301>", heap)
}

// However a text is split, the same is shown.
func TestCleaner(t *testing.T) {
	t.Parallel()
	for _, c := range dirty {
		for at := range min(len(c.in), 60) + 1 {
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

// An unterminated title uses a bounded amount of memory.
func TestCleanerIsBounded(t *testing.T) {
	t.Parallel()
	var c Cleaner
	assert.Equal(t, "a", c.Clean([]byte("a\x1b]0;")))
	for range 1000 {
		assert.Empty(t, c.Clean([]byte(strings.Repeat("x", 1000))))
		assert.LessOrEqual(t, len(c.rest), maxHeld)
	}
	assert.Equal(t, "b", c.Clean([]byte("\x07b")))
	assert.Equal(t, "", c.Clean([]byte("\x9d"+strings.Repeat("x", 10000)+"\x1b")))
	assert.Equal(t, "b", c.Clean([]byte("\\b")), "its end was parted")
}

// However a text is split into writes, the same is shown.
func TestWriter(t *testing.T) {
	t.Parallel()
	for _, c := range dirty {
		whole := c.in // without trailing bytes that wait for the rest of a character
		for strings.HasSuffix(whole, "\xe2") || strings.HasSuffix(whole, "\x82") {
			whole = whole[:len(whole)-1]
		}
		want := Visible(whole)
		for at := range min(len(c.in), 60) + 1 {
			var got bytes.Buffer
			w := NewWriter(&got)
			for _, piece := range []string{c.in[:at], c.in[at:]} {
				n, err := w.Write([]byte(piece))
				require.NoError(t, err)
				assert.Equal(t, len(piece), n)
			}
			if strings.ContainsAny(c.in, "\u200c\u200d\ufe0f") || c.name == "cut off" {
				continue // a joiner at the end of a write is shown, since what it joins is not known
			}
			assert.Equal(t, want, got.String(), "%s, parted at %d", c.name, at)
		}
	}
	var out bytes.Buffer
	w := NewWriter(&out)
	assert.Same(t, w, NewWriter(w), "nothing is cleaned twice")
	assert.Equal(t, &out, Raw(w))
	assert.Equal(t, &out, Raw(&out))
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range dirty {
		data, err := json.Marshal(map[string]string{c.in: c.in})
		require.NoError(t, err)
		escaped := JSON(data)
		assert.False(t, strings.ContainsFunc(string(escaped), Hides), "%q", escaped)
		var before, after map[string]string
		require.NoError(t, json.Unmarshal(data, &before))
		require.NoError(t, json.Unmarshal(escaped, &after))
		assert.Equal(t, before, after, "%s", c.name)
	}
	assert.Equal(t, `"\u202e\udb40\udc41\u007f\u009b"`, string(JSON([]byte("\"\u202e\U000e0041\x7f\u009b\""))))
}
