package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"

	"minigem/hooks/jsonc"

	"github.com/tailscale/hujson"
)

// SyntaxError says that a settings file is not JSON (comments and trailing
// commas are allowed), or holds something else than an object. The program
// cannot start with such a file: exit code 52.
type SyntaxError struct {
	File         string
	Line, Column int // from 1; the column counts bytes
	Text         string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("reading settings: %s:%d:%d: %s: correct the file, or move it away", e.File, e.Line, e.Column, e.Text)
}

type kind int

const (
	scalar kind = iota
	object
	array
)

// node is one JSON value that knows where it came from. Trees are not changed
// once they are merged into another.
type node struct {
	kind    kind
	text    string // scalar: its JSON
	members []member
	items   []*node
	origin  Origin
}

type member struct {
	key    string
	origin Origin // of the key
	value  *node
}

// get returns the member of an object; nil where there is none.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// set replaces or adds a member.
func (n *node) set(key string, value *node) {
	for i := range n.members {
		if n.members[i].key == key {
			n.members[i].value, n.members[i].origin = value, value.origin
			return
		}
	}
	n.members = append(n.members, member{key, value.origin, value})
}

// remove takes a member away.
func (n *node) remove(key string) {
	for i := range n.members {
		if n.members[i].key == key {
			n.members = append(n.members[:i:i], n.members[i+1:]...)
			return
		}
	}
}

// isString reports whether the node is a JSON string.
func (n *node) isString() bool { return n.kind == scalar && n.text[0] == '"' }

// str returns the value of a JSON string.
func (n *node) str() string { return hujson.Literal(n.text).String() }

// writeTo appends the node as JSON.
func (n *node) writeTo(b *bytes.Buffer) {
	switch n.kind {
	case scalar:
		b.WriteString(n.text)
	case array:
		b.WriteByte('[')
		for i, it := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			it.writeTo(b)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quote(m.key))
			b.WriteByte(':')
			m.value.writeTo(b)
		}
		b.WriteByte('}')
	}
}

// json returns the node as JSON.
func (n *node) json() []byte {
	var b bytes.Buffer
	n.writeTo(&b)
	return b.Bytes()
}

// equal compares JSON texts.
func (n *node) equal(o *node) bool { return bytes.Equal(n.json(), o.json()) }

func quote(s string) []byte {
	out, _ := json.Marshal(s) // a string always marshals
	return out
}

// reader turns one file into a tree.
type reader struct {
	layer    Layer
	file     string
	newlines []int // offsets
	warnings []Warning
}

var bom = []byte("\xef\xbb\xbf")

// parse reads a file. Its error is a *SyntaxError.
func (r *reader) parse(data []byte) (*node, error) {
	data = bytes.Clone(bytes.TrimPrefix(data, bom))
	for i, c := range data {
		if c == '\n' {
			r.newlines = append(r.newlines, i)
		}
	}
	if err := jsonc.CheckLimits(r.file, data); err != nil {
		return nil, r.syntaxError(err)
	}
	v, err := hujson.Parse(data)
	if err != nil {
		return nil, r.syntaxError(err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		at := r.origin(v.StartOffset)
		return nil, &SyntaxError{r.file, at.Line, at.Column, "the settings must be an object: { ... }"}
	}
	return r.node(v, ""), nil
}

var hujsonPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// syntaxError takes the position out of the parser's text, which is the only
// place where it stands.
func (r *reader) syntaxError(err error) error {
	if limit := (*jsonc.SyntaxError)(nil); errors.As(err, &limit) {
		return &SyntaxError{File: r.file, Line: limit.Line, Column: limit.Column, Text: limit.Text}
	}
	text := err.Error()
	e := &SyntaxError{File: r.file, Line: 1, Column: 1, Text: text}
	if m := hujsonPosition.FindStringSubmatch(text); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Column, _ = strconv.Atoi(m[2])
		e.Text = text[len(m[0]):]
	}
	if inner := errors.Unwrap(err); inner != nil {
		e.Text = inner.Error()
	}
	return e
}

func (r *reader) origin(offset int) Origin {
	line := sort.SearchInts(r.newlines, offset)
	start := 0
	if line > 0 {
		start = r.newlines[line-1] + 1
	}
	return Origin{Layer: r.layer, File: r.file, Line: line + 1, Column: offset - start + 1}
}

// node converts a value. Of a key that stands twice the last one counts, as in
// JavaScript.
func (r *reader) node(v hujson.Value, path string) *node {
	n := &node{origin: r.origin(v.StartOffset)}
	switch v := v.Value.(type) {
	case *hujson.Object:
		n.kind = object
		last := make(map[string]int, len(v.Members))
		for i, m := range v.Members {
			last[m.Name.Value.(hujson.Literal).String()] = i
		}
		seen := make(map[string]bool, len(v.Members))
		for i, m := range v.Members {
			key := m.Name.Value.(hujson.Literal).String()
			at := r.origin(m.Name.StartOffset)
			if seen[key] {
				r.warn(at, join(path, key), WarnDuplicate, "this key stands twice; the last one counts")
			}
			seen[key] = true
			if last[key] == i {
				n.members = append(n.members, member{key, at, r.node(m.Value, join(path, key))})
			}
		}
	case *hujson.Array:
		n.kind = array
		for i, e := range v.Elements {
			n.items = append(n.items, r.node(e, path+"["+strconv.Itoa(i)+"]"))
		}
	case hujson.Literal:
		n.text = string(v)
	}
	return n
}

func (r *reader) warn(at Origin, key string, kind WarningKind, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{Kind: kind, Key: key, Origin: at, Text: fmt.Sprintf(format, args...)})
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
