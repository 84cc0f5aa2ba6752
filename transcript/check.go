package transcript

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"
)

// fault is what is wrong with a line, judged from the line alone.
type fault uint8

const (
	sound fault = iota
	blank
	cutShort
	broken
	noObject
)

var faultTexts = map[fault]string{
	cutShort: "the last record was cut short, skipped",
	broken:   "broken record, skipped",
	noObject: "not a JSON object, skipped",
}

// line is one line of a file, without surrounding space.
type line struct {
	text  string
	fault fault
}

// pieceSize is how many bytes of a file a goroutine takes at a time.
const pieceSize = 1 << 20

// checkLines splits text into lines and checks them, in parallel if there are
// many. Pieces and lines are in the order of the file.
func checkLines(text string) [][]line {
	var pieces []string
	for len(text) > pieceSize {
		end := strings.IndexByte(text[pieceSize:], '\n')
		if end < 0 {
			break
		}
		pieces = append(pieces, text[:pieceSize+end+1])
		text = text[pieceSize+end+1:]
	}
	pieces = append(pieces, text)
	out := make([][]line, len(pieces))
	parallel(len(pieces), func() func(int) {
		var c checker
		return func(i int) { out[i] = c.lines(pieces[i]) }
	})
	return out
}

// parallel calls do(0) to do(n-1), on all processors. Each goroutine has its
// own do, which worker makes.
func parallel(n int, worker func() (do func(int))) {
	var next atomic.Int64
	take := func() {
		do := worker()
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			do(i)
		}
	}
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		wg.Go(take)
	}
	take()
	wg.Wait()
}

// checker checks lines. It is not safe for concurrent use; the zero checker is
// ready.
type checker struct {
	skeleton []byte // decoder of the current line, reused
}

func (c *checker) lines(text string) (out []line) {
	for text != "" {
		record, rest, ended := strings.Cut(text, "\n")
		text = rest
		record = strings.TrimSpace(record)
		l := line{text: record}
		switch {
		case record == "":
			l.fault = blank
		case !c.valid(record) && !ended:
			l.fault = cutShort
		case !c.valid(record):
			l.fault = broken
		case record[0] != '{':
			l.fault = noObject
		}
		out = append(out, l)
	}
	return out
}

// valid reports whether text is JSON that does not nest too deep. Nearly all
// bytes of a session are in a few long strings: a tight loop checks those, and
// the library gets the rest, with empty strings in their place.
func (c *checker) valid(text string) bool {
	if len(text) < 512 {
		return gjson.Valid(text)
	}
	c.skeleton = c.skeleton[:0]
	for {
		open := strings.IndexByte(text, '"')
		if open < 0 {
			c.skeleton = append(c.skeleton, text...)
			return shallow(c.skeleton) && gjson.ValidBytes(c.skeleton)
		}
		end := validString(text[open+1:])
		if end < 0 {
			return false
		}
		c.skeleton = append(append(c.skeleton, text[:open]...), '"', '"')
		text = text[open+1+end:]
	}
}

// maxDepth is encoding/json's limit.
const maxDepth = 10_000

func shallow(skeleton []byte) bool {
	depth := 0
	for _, b := range skeleton {
		switch b {
		case '{', '[':
			if depth++; depth > maxDepth {
				return false
			}
		case '}', ']':
			depth--
		}
	}
	return true
}

// validString returns the index after the quote that closes the string of which
// s is the rest, or -1 if it is invalid.
func validString(s string) int {
	for i := 0; ; i++ {
		i = plainRun(s, i)
		switch {
		case i == len(s) || s[i] < ' ':
			return -1
		case s[i] == '"':
			return i + 1
		}
		if i++; i == len(s) || !validEscape(s[i:]) { // it was a backslash
			return -1
		}
	}
}

// plainRun returns the first index from i on of a quote, a backslash or a
// control character, or len(s). It reads eight bytes at a time: a byte of x^y
// is zero if x and y agree there, and (x-ones)&^x has the high bit of the
// lowest zero byte.
func plainRun(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if ((quote-ones)&^quote|(slash-ones)&^slash|(x-ones*' ')&^x)&highs != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

func validEscape(s string) bool {
	switch s[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
	default:
		return false
	}
	if len(s) < 5 {
		return false
	}
	for _, c := range []byte(s[1:5]) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
