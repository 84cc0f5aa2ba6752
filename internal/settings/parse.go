package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"minigem/hooks/jsonc"
)

type kind int

const (
	scalar kind = iota
	object
	array
)

// node is a JSON value that knows its origin. A tree is not modified once it has been
// merged into another.
type node struct {
	kind    kind
	text    string // scalar: its JSON
	members []member
	items   []*node
	origin  Origin
}

type member struct {
	key    string
	origin Origin // where the key is
	value  *node
}

// get returns the member of an object, or nil if there is none.
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

// remove removes a member.
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
func (n *node) str() (s string) {
	_ = json.Unmarshal([]byte(n.text), &s) // it has been parsed
	return s
}

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

func quote(s string) []byte {
	out, _ := json.Marshal(s) // a string always marshals
	return out
}

// reader parses one file into a tree.
type reader struct {
	layer    Layer
	file     string
	warnings []Warning
}

// parse parses a file. Its error wraps a *jsonc.SyntaxError, because the program cannot
// start with such a file.
func (r *reader) parse(data []byte) (*node, error) {
	doc, err := jsonc.Parse(r.file, data)
	if err == nil && (doc.Empty || doc.Root().Kind() != jsonc.Object) {
		line, column := doc.Root().Position()
		err = &jsonc.SyntaxError{File: r.file, Line: line, Column: column, Text: "the settings must be an object: { ... }"}
	}
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w: correct the file, or move it away", err)
	}
	return r.node(doc.Root(), ""), nil
}

func (r *reader) origin(line, column int) Origin {
	return Origin{Layer: r.layer, File: r.file, Line: line, Column: column}
}

// node converts a value. If a key occurs twice, the last one wins, as in JavaScript.
func (r *reader) node(v jsonc.Node, path string) *node {
	n := &node{origin: r.origin(v.Position())}
	switch v.Kind() {
	case jsonc.Object:
		n.kind = object
		seen := map[string]bool{}
		for _, m := range v.Members() {
			at := r.origin(m.Line, m.Column)
			if seen[m.Name] {
				r.warn(at, join(path, m.Name), WarnDuplicate, "this key is given twice; the last one counts")
			}
			seen[m.Name] = true
			if !m.Shadowed {
				n.members = append(n.members, member{m.Name, at, r.node(m.Value, join(path, m.Name))})
			}
		}
	case jsonc.Array:
		n.kind = array
		for i, e := range v.Elements() {
			n.items = append(n.items, r.node(e, path+"["+strconv.Itoa(i)+"]"))
		}
	default:
		n.text = string(v.Standard())
	}
	return n
}

// mostWarnings is the maximum number of warnings shown for one file.
const mostWarnings = 20

// first returns the first warnings, followed by one that counts the others.
func (r *reader) first() []Warning {
	more := len(r.warnings) - mostWarnings
	if more <= 1 { // counting one would take as much room as showing it
		return r.warnings
	}
	next := r.warnings[mostWarnings]
	next.Key, next.Text = "", fmt.Sprintf("and %d more warnings about this file, from here on", more)
	return append(r.warnings[:mostWarnings:mostWarnings], next)
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
