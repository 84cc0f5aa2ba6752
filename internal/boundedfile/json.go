package boundedfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNotJSON is what errors.Is finds where a large file is seen not to be JSON
// before it is read into memory.
var ErrNotJSON = errors.New("not valid JSON")

// looked is the size up to which a file is read without a look at it.
const looked = 8 << 20

// ReadJSON is Read for a file of one JSON value. What is large and cannot be JSON
// (it is broken, or ends in the middle) never comes into memory; the rest is for
// a parser to judge.
func ReadJSON(path string, limit int64) ([]byte, error) { return read(path, limit, LookAtJSON) }

// LookAtJSON fails with ErrNotJSON where a file of so many bytes is large and
// holds no JSON value. The file is at its beginning, and stays there.
func LookAtJSON(f *os.File, size int64) error {
	if size <= looked {
		return nil
	}
	var s shape
	buf := make([]byte, 256<<10)
	for at := int64(0); ; {
		n, err := f.Read(buf)
		for i, c := range buf[:n] {
			if !s.takes(c) {
				return fmt.Errorf("%w: byte %d", ErrNotJSON, at+int64(i)+1)
			}
		}
		at += int64(n)
		switch {
		case err == io.EOF && !s.done:
			return fmt.Errorf("%w: it ends in the middle", ErrNotJSON)
		case err == io.EOF:
			_, err = f.Seek(0, io.SeekStart)
			return err
		case err != nil:
			return err
		}
	}
}

// shape follows the brackets and strings of JSON.
type shape struct {
	depth           int
	inside, escaped bool // of a string
	scalar          int  // how long a number or word is
	done            bool // the value is whole
}

// takes reports whether c may come next.
func (s *shape) takes(c byte) bool {
	if s.inside {
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inside = false
		}
		return c >= ' '
	}
	if c > ' ' && s.done {
		return false
	}
	scalar := s.scalar
	s.scalar = 0
	switch c {
	case ' ', '\t', '\r', '\n':
		return true
	case '{', '[':
		s.depth++
		return true
	case '}', ']':
		s.depth--
		s.done = s.depth == 0
		return s.depth >= 0
	case '"':
		s.inside = true
	case ',', ':':
	default: // of a number or a word: none is as long
		s.scalar = scalar + 1
		return s.depth > 0 && s.scalar < 64 && c > ' ' && c < 0x7f
	}
	return s.depth > 0
}
