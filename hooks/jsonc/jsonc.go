// Package jsonc reads JSON with comments so that every value knows its line, and edits it
// so that everything else in the file stays as it was written: comments, order,
// indentation. Settings files and stores of trust are read and written through it.
//
//	doc, err := jsonc.Parse(file, data)
//	doc.Root().Get("hooksConfig", "enabled").IsTrue()
//	err = jsonc.Edit(file, 0o644, func(d *jsonc.Doc) error {
//		return d.Append("guard", "hooksConfig", "disabled")
//	})
//
// A value that is missing is a [Node] that does not exist; its methods return zero
// values, so that paths can be followed without checks. The package knows nothing about
// hooks or about what keys mean.
package jsonc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Doc is one parsed file. It and its Nodes are not safe for concurrent use.
type Doc struct {
	// BadUTF8 is the line of the first byte that is not UTF-8; 0 if there is none. Such
	// bytes read as U+FFFD and would be lost if the document were written.
	BadUTF8 int
	// Comment and TrailingComma are the lines of the first comment and of the first
	// trailing comma, which strict readers refuse; 0 if there is none.
	Comment, TrailingComma int
	// BOM reports whether the file begins with a byte order mark. Clear it to drop the
	// mark.
	BOM bool
	// Empty reports whether the file was nothing but white space. It reads as {}.
	Empty bool

	src      []byte
	root     hujson.Value
	newlines []int // offsets in src
	addedEOL bool
}

// Kind is the JSON type of a value, in the words of error messages: "an object".
type Kind string

const (
	// Object is a JSON object.
	Object Kind = "an object"
	// Array is a JSON array.
	Array Kind = "an array"
	// String is a JSON string.
	String Kind = "a string"
	// Number is a JSON number.
	Number Kind = "a number"
	// Bool is true or false.
	Bool Kind = "a boolean"
	// Null is null, and the kind of a value that does not exist.
	Null Kind = "null"
)

// Node is a value of a [Doc], or a value that is missing; see [Node.Exists]. It is valid
// until the Doc is edited. The zero Node is a missing value.
type Node struct {
	doc *Doc
	v   *hujson.Value
}

// Member is one member of an object.
type Member struct {
	// Name is decoded, without quotes.
	Name string
	// Line and Column are where the name begins, from 1. Column counts bytes.
	Line, Column int
	// Value is the member's value; it always exists.
	Value Node
	// Shadowed says that the same name follows later in the object. Only the last one
	// counts.
	Shadowed bool
}

// SyntaxError says where a file is not JSON, or exceeds a limit. Errors of [Parse] are
// *SyntaxError.
type SyntaxError struct {
	// File is the name that [Parse] was given.
	File string
	// Line and Column are where the fault is, from 1. Column counts bytes.
	Line, Column int
	// Text says what is wrong, without the position.
	Text string
}

// Error returns "file:line:column: text".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// Parse reads data; file is its name in errors. Comments, trailing commas and a byte
// order mark are accepted, and nothing but white space is an empty object. The error is a
// [*SyntaxError], also for UTF-16 and for a document that exceeds [MaxDepth] or
// [MaxValues]. data is not kept.
func Parse(file string, data []byte) (*Doc, error) {
	d := &Doc{}
	src := slices.Clone(data)
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return nil, &SyntaxError{file, 1, 1, "the file is UTF-16; save it as UTF-8"}
	}
	src, d.BOM = bytes.CutPrefix(src, []byte("\xef\xbb\xbf"))
	if bad := firstInvalid(src); bad >= 0 {
		d.BadUTF8 = 1 + bytes.Count(src[:bad], []byte("\n"))
		src = bytes.ToValidUTF8(src, []byte("\uFFFD"))
	}
	if len(bytes.TrimSpace(src)) == 0 {
		src, d.Empty = []byte("{}\n"), true
	}
	if !bytes.HasSuffix(src, []byte("\n")) { // a line comment ends with its line
		src, d.addedEOL = append(src, '\n'), true
	}
	if err := checkLimits(file, src); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(src)
	if err != nil {
		return nil, syntaxError(file, src, err)
	}
	d.src, d.root = src, root
	for i, c := range src {
		if c == '\n' {
			d.newlines = append(d.newlines, i)
		}
	}
	d.lookForExtras()
	return d, nil
}

// lookForExtras finds the first comment and the first trailing comma: bytes that are
// blanked in standard JSON.
func (d *Doc) lookForExtras() {
	plain, err := hujson.Standardize(slices.Clone(d.src))
	if err != nil || len(plain) != len(d.src) { // unreachable: it was parsed
		return
	}
	for i := 0; i < len(d.src); i++ {
		switch c := d.src[i]; {
		case plain[i] == c:
		case c == ',':
			d.TrailingComma = cmp.Or(d.TrailingComma, d.line(i))
		default:
			d.Comment = cmp.Or(d.Comment, d.line(i))
			end := "*/"
			if d.src[i+1] == '/' {
				end = "\n"
			}
			i += 2 + bytes.Index(d.src[i+2:], []byte(end))
		}
	}
}

// line returns the number of the line with the offset at.
func (d *Doc) line(at int) int {
	line, _ := d.position(at)
	return line
}

// position returns the line and the column, in bytes, of the offset at.
func (d *Doc) position(at int) (line, column int) {
	i, _ := slices.BinarySearch(d.newlines, at)
	if i == 0 {
		return 1, at + 1
	}
	return i + 1, at - d.newlines[i-1]
}

// firstInvalid returns the index of the first byte that is not UTF-8, or -1.
func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// hujsonPosition matches the position in the parser's errors.
var hujsonPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// syntaxError takes the position out of the parser's text. The end of the file is
// reported at the end of its last line, not on a line that does not exist.
func syntaxError(file string, src []byte, err error) *SyntaxError {
	text := err.Error()
	m := hujsonPosition.FindStringSubmatch(text)
	if m == nil {
		return &SyntaxError{file, 1, 1, text}
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	if lines := bytes.Split(src, []byte("\n")); column == 1 && line == len(lines) && line > 1 {
		line, column = line-1, len(lines[line-2])+1
	}
	return &SyntaxError{file, line, column, text[len(m[0]):]}
}

// Root returns the outermost value, which need not be an object. For a file without any
// value it is an empty object.
func (d *Doc) Root() Node { return Node{d, &d.root} }

// Kind returns the value's type; Null for a missing value.
func (n Node) Kind() Kind {
	if n.v == nil {
		return Null
	}
	switch n.v.Value.Kind() {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case '0':
		return Number
	case 't', 'f':
		return Bool
	}
	return Null
}

// Exists reports whether there is a value, which may be null.
func (n Node) Exists() bool { return n.v != nil }

// Line returns the line where the value starts, from 1, as the file was parsed; 0 for a
// missing value.
func (n Node) Line() int {
	line, _ := n.Position()
	return line
}

// Position returns where the value starts, from 1, as the file was parsed; the column
// counts bytes. It is 0, 0 for a missing value.
func (n Node) Position() (line, column int) {
	if n.v == nil {
		return 0, 0
	}
	return n.doc.position(n.v.StartOffset)
}

// Text returns the value of a string, or the JSON of any other value as written; "" for a
// missing value.
func (n Node) Text() string {
	if n.v == nil {
		return ""
	}
	if lit, ok := n.v.Value.(hujson.Literal); ok {
		return lit.String()
	}
	return string(n.doc.src[n.v.StartOffset:n.v.EndOffset])
}

// IsTrue reports whether the value is the boolean true.
func (n Node) IsTrue() bool { return n.Kind() == Bool && n.Text() == "true" }

// Float returns the value of a number; ok is false for anything else and for numbers out
// of range.
func (n Node) Float() (float64, bool) {
	if n.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Text(), 64)
	return f, err == nil
}

// Members returns the members of an object in the order of the file, shadowed ones
// included; nil for anything else.
func (n Node) Members() []Member {
	if n.v == nil {
		return nil
	}
	obj, ok := n.v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	members := make([]Member, len(obj.Members))
	last := map[string]int{}
	for i := range obj.Members {
		name := Node{n.doc, &obj.Members[i].Name}
		line, column := name.Position()
		members[i] = Member{Name: name.Text(), Line: line, Column: column, Value: Node{n.doc, &obj.Members[i].Value}}
		if earlier, ok := last[members[i].Name]; ok {
			members[earlier].Shadowed = true
		}
		last[members[i].Name] = i
	}
	return members
}

// Get follows names into objects. Of members with the same name it takes the last. It
// returns a missing value if a name is not found.
func (n Node) Get(names ...string) Node {
	for _, name := range names {
		found := Node{doc: n.doc}
		for _, m := range n.Members() {
			if m.Name == name {
				found = m.Value
			}
		}
		if n = found; n.v == nil {
			break
		}
	}
	return n
}

// Elements returns the elements of an array; nil for anything else. The slice is the
// caller's.
func (n Node) Elements() []Node {
	if n.v == nil {
		return nil
	}
	arr, ok := n.v.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	nodes := make([]Node, len(arr.Elements))
	for i := range arr.Elements {
		nodes[i] = Node{n.doc, &arr.Elements[i]}
	}
	return nodes
}

// Strings returns the strings among an array's elements, decoded; other elements are
// left out. It returns nil for anything but an array, and for an array without strings.
func (n Node) Strings() []string {
	var all []string
	for _, e := range n.Elements() {
		if e.Kind() == String {
			all = append(all, e.Text())
		}
	}
	return all
}

// Standard returns the value as plain JSON, without comments or trailing commas. It
// returns null for a missing value.
func (n Node) Standard() []byte {
	if n.v == nil {
		return []byte("null")
	}
	v := n.v.Clone()
	v.Standardize()
	return bytes.TrimSpace(v.Pack())
}

// Bytes returns the file as edited. Without an edit it is what was parsed, byte for byte,
// unless BadUTF8 or Empty is set.
func (d *Doc) Bytes() []byte {
	out := d.root.Pack()
	if d.addedEOL {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	if d.BOM {
		out = append([]byte("\xef\xbb\xbf"), out...)
	}
	return out
}

// errNotObject is the error of edits at a path that leads through a value which is no
// object.
var errNotObject = errors.New("not an object")

// pathText names a place in the file for messages.
func pathText(path []string) string { return strings.Join(path, ".") }
