// Package jsonc reads JSON with comments so that every value knows its line,
// and edits it so that everything else in the file stays as it was written:
// comments, order, indentation. It knows nothing of hooks; settings files and
// stores of trust are read and written through it.
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

// Doc is one parsed file. Nodes and edits are not safe for concurrent use.
type Doc struct {
	// BadUTF8 is the line of the first byte that is not UTF-8, 0 if there is
	// none. Such bytes read as U+FFFD.
	BadUTF8 int
	// What strict readers refuse, by the line of the first; 0 if there is none.
	Comment, TrailingComma int
	BOM                    bool
	Empty                  bool // the file was nothing but white space

	src      []byte
	root     hujson.Value
	newlines []int // offsets in src
	addedEOL bool
}

// Kind is the JSON type of a value, in the words of error messages.
type Kind string

const (
	Object Kind = "an object"
	Array  Kind = "an array"
	String Kind = "a string"
	Number Kind = "a number"
	Bool   Kind = "a boolean"
	Null   Kind = "null"
)

// Node is a value of a Doc.
type Node struct {
	doc *Doc
	v   *hujson.Value
}

// Member is one name of an object.
type Member struct {
	Name         string
	Line, Column int // of the name
	Value        Node
	// Shadowed is set when the same name follows again in the object, which
	// is then the one that counts.
	Shadowed bool
}

// SyntaxError says where a file stops being JSON.
type SyntaxError struct {
	File         string
	Line, Column int // from 1; Column counts bytes
	Text         string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// Parse reads data, which file is the name of. Comments, trailing commas and a
// byte order mark are accepted; nothing but white space is an empty object.
// The error is a *SyntaxError.
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

// lookForExtras finds what is more than JSON: the bytes that making it JSON
// blanks.
func (d *Doc) lookForExtras() {
	plain, err := hujson.Standardize(slices.Clone(d.src))
	if err != nil || len(plain) != len(d.src) { // cannot be: it was parsed
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

// line is the number of the line that the offset at is on.
func (d *Doc) line(at int) int {
	line, _ := d.position(at)
	return line
}

// position is the line and the column, in bytes, of the offset at.
func (d *Doc) position(at int) (line, column int) {
	i, _ := slices.BinarySearch(d.newlines, at)
	if i == 0 {
		return 1, at + 1
	}
	return i + 1, at - d.newlines[i-1]
}

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

var hujsonPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// syntaxError takes the place out of the parser's text. The end of the file is
// the end of its last line, not the line that is not there.
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

// Root is the outermost value.
func (d *Doc) Root() Node { return Node{d, &d.root} }

// Kind is the value's type; of a Node that is not there, Null.
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

// Exists tells a value from one that Get did not find.
func (n Node) Exists() bool { return n.v != nil }

// Line is where the value starts, from 1, as the file was parsed.
func (n Node) Line() int {
	line, _ := n.Position()
	return line
}

// Position is where the value starts, as the file was parsed: from 1, the
// column in bytes. Of a Node that is not there it is 0, 0.
func (n Node) Position() (line, column int) {
	if n.v == nil {
		return 0, 0
	}
	return n.doc.position(n.v.StartOffset)
}

// Text is a string's value; of anything else its JSON as written.
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

// Float is a number's value, and whether it is a number.
func (n Node) Float() (float64, bool) {
	if n.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Text(), 64)
	return f, err == nil
}

// Members are an object's, in the order of the file; nil for anything else.
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

// Get follows names into objects. Where there is nothing it returns a Node
// that does not Exist.
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

// Elements are an array's; nil for anything else.
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

// Strings are the strings among an array's elements.
func (n Node) Strings() []string {
	var all []string
	for _, e := range n.Elements() {
		if e.Kind() == String {
			all = append(all, e.Text())
		}
	}
	return all
}

// Standard is the value as plain JSON, comments and trailing commas removed.
func (n Node) Standard() []byte {
	if n.v == nil {
		return []byte("null")
	}
	v := n.v.Clone()
	v.Standardize()
	return bytes.TrimSpace(v.Pack())
}

// Bytes is the file as edited; unedited, it is what was parsed, byte for byte,
// unless BadUTF8 or empty.
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

var errNotObject = errors.New("not an object")

// pathText is how messages name a place in the file.
func pathText(path []string) string { return strings.Join(path, ".") }
