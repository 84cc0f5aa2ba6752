package boundedfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNotJSON means that a large file was found not to be JSON before it was read into
// memory.
var ErrNotJSON = errors.New("not valid JSON")

// looked is the size up to which a file is read without a look at it.
const looked = 8 << 20

// ReadJSON is Read for a file with one JSON value. A large file that cannot be JSON,
// because it is broken or ends in the middle, is never read into memory. Everything
// else is left to a parser.
func ReadJSON(path string, limit int64) ([]byte, error) { return read(path, limit, LookAtJSON) }

// LookAtJSON returns ErrNotJSON if a file of the given size is large and does not
// contain a JSON value. The file must be at its beginning, and stays there.
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

// shape tracks the brackets and strings of JSON.
type shape struct {
	depth           int
	inside, escaped bool // a string
	scalar          int  // length of the current number or word
	done            bool // the value is complete
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
	default: // no number or word is that long
		s.scalar = scalar + 1
		return s.depth > 0 && s.scalar < 64 && c > ' ' && c < 0x7f
	}
	return s.depth > 0
}
