package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer writes its input as [Visible] shows it, so that code printing through it
// cannot forget to. It is safe for concurrent use if the underlying writer is.
type Writer struct {
	mu   sync.Mutex
	out  io.Writer
	held []byte // an incomplete character, or one whose meaning depends on the next
	seen context
}

// NewWriter returns a Writer to w, or w itself if it is already one.
func NewWriter(w io.Writer) *Writer {
	if own, ok := w.(*Writer); ok {
		return own
	}
	return &Writer{out: w}
}

// Write implements [io.Writer]. It holds back an incomplete character until the rest
// arrives, and a joiner until it is known what it joins.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 && plain(string(p)) {
		if len(p) > 0 {
			w.seen = context{base: rune(p[len(p)-1])}
		}
		return w.out.Write(p)
	}
	b := append(w.held, p...)
	whole := len(b) - cutOff(b)
	if r, n := utf8.DecodeLastRune(b[:whole]); new(context).asks(r) {
		whole -= n
	}
	w.held = bytes.Clone(b[whole:])
	var shown strings.Builder
	w.seen.show(&shown, string(b[:whole]), "\n\t")
	if _, err := io.WriteString(w.out, shown.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cutOff returns the length of the incomplete character at the end of b.
func cutOff(b []byte) int {
	for n := 1; n < min(utf8.UTFMax, len(b)+1); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Raw returns the writer underlying w if w is a [Writer], else w. It is for the few
// callers that write their own control sequences, or unchanged bytes because the user
// asked for them.
func Raw(w io.Writer) io.Writer {
	if own, ok := w.(*Writer); ok {
		return own.out
	}
	return w
}

// JSON escapes the characters of a JSON text that [Hides] reports, such as \u202e. The
// meaning stays the same, and the text is safe to show.
func JSON(data []byte) []byte {
	if plain(string(data)) {
		return data
	}
	var b bytes.Buffer
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r < 0x7f || r != utf8.RuneError && !Hides(r) || n > 1 && r == utf8.RuneError:
			b.Write(data[:n])
		case r == utf8.RuneError:
			b.WriteString(`\ufffd`) // every reader reads this as U+FFFD
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		data = data[n:]
	}
	return b.Bytes()
}
