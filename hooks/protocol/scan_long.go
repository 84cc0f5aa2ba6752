package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// longObjects follows the objects that begin a line of a stream, byte by byte,
// so that one that is longer than a window is read as one that is not.
type longObjects struct {
	stderr  bool
	offset  int64 // of what comes next
	midLine bool  // the line has held more than the punctuation of an array
	open    []*openObject
	ended   *openObject // on this line
	found   func(fields []member, at, end int64)
}

// maxOpen is how many objects are followed at a time: noise may look like one
// that never ends. maxLongDepth is how deeply one may be nested, and
// maxLongToken how much of a string is kept.
const (
	maxOpen      = 4
	maxLongDepth = 1000
	maxLongToken = 4 << 10
)

func (l *longObjects) write(p []byte) {
	for i := 0; i < len(p); i++ {
		if len(l.open) == 0 && l.ended == nil && l.midLine {
			n := bytes.IndexByte(p[i:], '\n')
			if n < 0 {
				l.offset += int64(len(p) - i)
				return
			}
			l.offset, i = l.offset+int64(n), i+n
		}
		if p[i] != 0 {
			l.next(p[i])
		}
		l.offset++
	}
}

func (l *longObjects) next(c byte) {
	if l.ended != nil && strings.IndexByte(" \t\r],", c) < 0 {
		l.end(c == '\n' || !l.stderr)
	}
	l.open = slices.DeleteFunc(l.open, func(o *openObject) bool {
		done, ok := o.next(c)
		if done {
			o.end = l.offset + 1
			if l.ended == nil || o.at < l.ended.at {
				l.ended = o
			}
		}
		return done || !ok
	})
	if c == '{' && !l.midLine {
		if len(l.open) == maxOpen {
			l.open = l.open[1:]
		}
		l.open = append(l.open, &openObject{at: l.offset, stack: []byte{'{'}, state: wantKeyOrEnd})
	}
	l.midLine = c != '\n' && (l.midLine || strings.IndexByte(" \t\r[,", c) < 0)
}

// end reports the object that ended on this line, if it counts. Windows saw the
// short ones.
func (l *longObjects) end(counts bool) {
	if o := l.ended; counts && o != nil && o.end-o.at > scanOverlap {
		l.found(o.fields, o.at, o.end)
	}
	l.ended = nil
}

// openObject is a JSON object that has begun, and what of it may decide.
type openObject struct {
	at, end int64
	stack   []byte // the brackets that are open
	state   int
	fields  []member
	nested  []member // of hookSpecificOutput
	keys    [2]string

	token    []byte // of the string or word that has begun, as far as it is kept
	inString bool
	escaped  bool
}

const (
	wantKey = iota
	wantKeyOrEnd
	wantColon
	wantValue
	wantValueOrEnd
	wantNext
)

// next reads c. ok is false where that is not JSON.
func (o *openObject) next(c byte) (done, ok bool) {
	if o.inString {
		return false, o.inside(c)
	}
	if len(o.token) > 0 && strings.IndexByte(" \t\r\n,]}", c) >= 0 {
		var word any
		if json.Unmarshal(o.token, &word) != nil {
			return false, false
		}
		o.value(word)
	}
	value := o.state == wantValue || o.state == wantValueOrEnd
	switch c {
	case ' ', '\t', '\r', '\n':
		return false, true
	case '"':
		o.inString = true
		return false, len(o.token) == 0 && (value || o.state <= wantKeyOrEnd)
	case ':':
		ok, o.state = o.state == wantColon, wantValue
		return false, ok
	case ',':
		ok, o.state = o.state == wantNext, wantValue
		if o.stack[len(o.stack)-1] == '{' {
			o.state = wantKey
		}
		return false, ok
	case '{', '[':
		o.stack = append(o.stack, c)
		o.state = wantValueOrEnd
		if c == '{' {
			o.state = wantKeyOrEnd
		}
		return false, value && len(o.token) == 0 && len(o.stack) < maxLongDepth
	case '}', ']':
		return o.close(c)
	}
	o.token = append(o.token, c)
	return false, value && len(o.token) < 64
}

// inside reads c within a string.
func (o *openObject) inside(c byte) (ok bool) {
	switch {
	case c < ' ':
		return false
	case o.escaped:
		o.escaped = false
	case c == '\\':
		o.escaped = true
	case c == '"':
		o.inString = false
		text := unquote(string(o.token))
		if o.state == wantValue || o.state == wantValueOrEnd {
			o.value(text)
			return true
		}
		if n := len(o.stack); n <= len(o.keys) {
			o.keys[n-1] = text
		}
		o.token, o.state = o.token[:0], wantColon
		return true
	}
	if len(o.token) < maxLongToken {
		o.token = append(o.token, c)
	}
	return true
}

func (o *openObject) close(c byte) (done, ok bool) {
	n := len(o.stack)
	if o.stack[n-1]+2 != c || o.state != wantNext && o.state != wantKeyOrEnd && o.state != wantValueOrEnd {
		return false, false
	}
	if n == 2 && c == '}' && o.keys[0] == "hookSpecificOutput" {
		o.fields, o.nested = append(o.fields, member{key: o.keys[0], value: o.nested}), nil
	}
	o.stack, o.state = o.stack[:n-1], wantNext
	return n == 1, true
}

// value keeps a string or word that has ended, where it may decide.
func (o *openObject) value(v any) {
	o.token, o.state = o.token[:0], wantNext
	to, n := &o.fields, len(o.stack)
	switch {
	case n == 2 && o.stack[1] == '{' && o.keys[0] == "hookSpecificOutput":
		to = &o.nested
	case n != 1:
		return
	}
	key := o.keys[n-1]
	for _, keys := range []*legibleKeys{&legibleContinue, &legibleDecision, &legibleReason} {
		if slices.Contains(keys.names, key) && len(*to) < 64 {
			dup := slices.ContainsFunc(*to, func(m member) bool { return m.key == key })
			*to = append(*to, member{key: key, value: v, dup: dup})
		}
	}
}
