package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Append adds value as the last element of the array at path. Missing objects and a
// missing array on the way are created. value can be anything that [json.Marshal]
// accepts. It is formatted like the rest of the file. If something else is in the way,
// Append fails; the Doc may have changed then and must be thrown away.
func (d *Doc) Append(value any, path ...string) error {
	arr, indent, err := d.ensure(path, &hujson.Array{})
	if err != nil {
		return err
	}
	a, ok := arr.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("%s is %s, not an array", pathText(path), Node{d, arr}.Kind())
	}
	place := placement{unit: d.unit(), eol: d.eol(), indent: indent, after: &a.AfterExtra}
	if n := len(a.Elements); n > 0 {
		place.lastBefore, place.lastAfter = a.Elements[n-1].BeforeExtra, &a.Elements[n-1].AfterExtra
	}
	element, err := d.value(value, place.itemIndent())
	if err != nil {
		return err
	}
	element.BeforeExtra, element.AfterExtra = place.next()
	a.Elements = append(a.Elements, element)
	return nil
}

// Set replaces whatever is at path by value, which can be anything that [json.Marshal]
// accepts. Missing objects on the way are created. It fails if something other than an
// object is in the way.
func (d *Doc) Set(value any, path ...string) error {
	at, indent, err := d.ensure(path, hujson.Literal("null"))
	if err != nil {
		return err
	}
	v, err := d.value(value, indent)
	if err != nil {
		return err
	}
	at.Value = v.Value
	return nil
}

// RemoveStrings removes from the array at path the strings for which drop returns true,
// and returns how many. Comments on separate lines stay. It does nothing if there is no
// array at path.
func (d *Doc) RemoveStrings(drop func(string) bool, path ...string) int {
	node := d.Root().Get(path...)
	if node.Kind() != Array {
		return 0
	}
	arr := node.v.Value.(*hujson.Array)
	removed := 0
	for i := 0; i < len(arr.Elements); {
		lit, ok := arr.Elements[i].Value.(hujson.Literal)
		if ok && lit.Kind() == '"' && drop(lit.String()) {
			removeElement(arr, i)
			removed++
			continue
		}
		i++
	}
	return removed
}

// RemoveEmpty removes the member at path if it is an array or an object with nothing in
// it, not even a comment. path must not be empty. A name that occurs twice is left alone.
func (d *Doc) RemoveEmpty(path ...string) {
	parent := d.Root().Get(path[:len(path)-1]...)
	if parent.Kind() != Object {
		return
	}
	obj := parent.v.Value.(*hujson.Object)
	named := func(m hujson.ObjectMember) bool {
		name, ok := m.Name.Value.(hujson.Literal)
		return ok && name.String() == path[len(path)-1]
	}
	i := slices.IndexFunc(obj.Members, named)
	if i < 0 || slices.ContainsFunc(obj.Members[i+1:], named) {
		return
	}
	m := obj.Members[i]
	inside := hujson.Extra("comment")
	switch v := m.Value.Value.(type) {
	case *hujson.Array:
		if len(v.Elements) == 0 {
			inside = v.AfterExtra
		}
	case *hujson.Object:
		if len(v.Members) == 0 {
			inside = v.AfterExtra
		}
	}
	for _, extra := range []hujson.Extra{inside, m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra,
		m.Value.AfterExtra} {
		if len(bytes.TrimSpace(extra)) > 0 {
			return
		}
	}
	obj.Members = slices.Delete(obj.Members, i, i+1)
	if i < len(obj.Members) {
		if next := &obj.Members[i].Name.BeforeExtra; len(bytes.TrimSpace(*next)) == 0 {
			*next = m.Name.BeforeExtra // its place is taken
		}
		return
	}
	if i > 0 && len(bytes.TrimSpace(obj.Members[i-1].Value.AfterExtra)) == 0 {
		obj.Members[i-1].Value.AfterExtra = m.Value.AfterExtra // a comma at the end, or none
	}
}

// removeElement removes an element. It keeps the comments above it and drops one that
// follows on the same line.
func removeElement(arr *hujson.Array, i int) {
	gone := arr.Elements[i]
	trailing := i == len(arr.Elements)-1 && gone.AfterExtra != nil
	arr.Elements = append(arr.Elements[:i], arr.Elements[i+1:]...)
	if i < len(arr.Elements) {
		next := &arr.Elements[i].BeforeExtra
		if len(bytes.Trim(*next, " \t")) == 0 { // on the same line: its place is taken
			*next = gone.BeforeExtra
			return
		}
		*next = joinExtra(gone.BeforeExtra, *next)
		return
	}
	arr.AfterExtra = joinExtra(gone.BeforeExtra, arr.AfterExtra)
	if i == 0 {
		return
	}
	last := &arr.Elements[i-1]
	if trailing {
		last.AfterExtra = hujson.Extra{}
		return
	}
	if len(bytes.TrimSpace(last.AfterExtra)) > 0 {
		arr.AfterExtra = append(bytes.Clone(last.AfterExtra), arr.AfterExtra...)
	}
	last.AfterExtra = nil
}

// joinExtra closes the gap between the text before a removed item and the text after it.
func joinExtra(before, after hujson.Extra) hujson.Extra {
	if i := bytes.IndexByte(after, '\n'); i >= 0 {
		if i > 0 && after[i-1] == '\r' {
			i--
		}
		after = after[i:]
	}
	kept := bytes.TrimRight(before, " \t\r\n")
	if len(kept) == 0 {
		return after
	}
	if !bytes.Contains(after, []byte("\n")) && bytes.Contains(kept, []byte("//")) {
		kept = append(bytes.Clone(kept), '\n')
	}
	return append(bytes.Clone(kept), after...)
}

// ensure walks to path and returns the value there and the indentation of its line. It
// creates missing objects on the way, and empty at the end.
func (d *Doc) ensure(path []string, empty hujson.ValueTrimmed) (*hujson.Value, string, error) {
	v, indent := &d.root, ""
	for i, name := range path {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			where := pathText(path[:i])
			if where == "" {
				where = "the file"
			}
			return nil, "", fmt.Errorf("%s is %s: %w", where, Node{d, v}.Kind(), errNotObject)
		}
		at := -1
		for j := range obj.Members {
			if obj.Members[j].Name.Value.(hujson.Literal).String() == name {
				at = j
			}
		}
		if at < 0 {
			var fresh hujson.ValueTrimmed = &hujson.Object{}
			if i == len(path)-1 {
				fresh = empty
			}
			d.insert(obj, indent, name, fresh)
			at = len(obj.Members) - 1
		}
		indent = itemIndent(obj.Members[at].Name.BeforeExtra, indent)
		v = &obj.Members[at].Value
	}
	return v, indent, nil
}

// insert adds a member at the end of obj, whose line is indented by indent.
func (d *Doc) insert(obj *hujson.Object, indent, name string, value hujson.ValueTrimmed) {
	place := placement{unit: d.unit(), eol: d.eol(), indent: indent, after: &obj.AfterExtra}
	if n := len(obj.Members); n > 0 {
		place.lastBefore, place.lastAfter = obj.Members[n-1].Name.BeforeExtra, &obj.Members[n-1].Value.AfterExtra
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	}
	m.Name.BeforeExtra, m.Value.AfterExtra = place.next()
	obj.Members = append(obj.Members, m)
}

// value marshals v, formatted for the indentation indent.
func (d *Doc) value(v any, indent string) (hujson.Value, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, d.unit())
	if err := enc.Encode(v); err != nil {
		return hujson.Value{}, fmt.Errorf("marshalling a value: %w", err)
	}
	text := bytes.ReplaceAll(bytes.TrimSpace(buf.Bytes()), []byte("\n"), []byte(d.eol()))
	return hujson.Parse(text)
}

// unit returns one step of the file's indentation.
func (d *Doc) unit() string {
	if obj, ok := d.root.Value.(*hujson.Object); ok && len(obj.Members) > 0 {
		if s := itemIndent(obj.Members[0].Name.BeforeExtra, ""); s != "" {
			return s
		}
	}
	return "  "
}

// eol returns the file's line ending, which new lines get.
func (d *Doc) eol() string {
	if bytes.Contains(d.src, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// placement describes where a new last item of an object or array goes.
type placement struct {
	unit, eol, indent string
	lastBefore        hujson.Extra  // before the item that is last so far
	lastAfter         *hujson.Extra // after it; nil if there is no item
	after             *hujson.Extra // before the closing bracket
}

// itemIndent returns the indentation of the new item: the last item's or, in an empty
// container, one step more than the container's.
func (p placement) itemIndent() string {
	if p.lastAfter != nil && bytes.Contains(p.lastBefore, []byte("\n")) {
		return itemIndent(p.lastBefore, p.indent)
	}
	return p.indent + p.unit
}

// next returns the text before and after the new item. It moves comments after the last
// item to before the new one.
func (p placement) next() (before, after hujson.Extra) {
	closing := p.eol + p.indent
	if p.lastAfter == nil {
		comments := strings.TrimRight(string(*p.after), " \t\r\n")
		*p.after = hujson.Extra(closing)
		return hujson.Extra(comments + p.eol + p.itemIndent()), nil
	}
	trailingComma := *p.lastAfter != nil
	if trailingComma {
		after = hujson.Extra{}
	}
	comments := strings.TrimRight(string(*p.after), " \t\r\n")
	if comments == "" && !bytes.Contains(p.lastBefore, []byte("\n")) {
		return hujson.Extra(" "), after // all on one line
	}
	if comments != "" {
		*p.after = hujson.Extra(closing)
	}
	return hujson.Extra(comments + p.eol + p.itemIndent()), after
}

// itemIndent returns the indentation that extra ends with, or fallback if extra does not
// start a line.
func itemIndent(extra hujson.Extra, fallback string) string {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return fallback
	}
	line := extra[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
