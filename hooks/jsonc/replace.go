package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tailscale/hujson"
)

// Replace replaces a string, a number, a boolean or null by value, which must be a
// string, bool, int, int64 or float64. Everything around it stays. It fails for objects,
// arrays and missing values.
func (n Node) Replace(value any) error {
	if n.v == nil {
		return fmt.Errorf("replacing a value that is not there")
	}
	if _, ok := n.v.Value.(hujson.Literal); !ok {
		return fmt.Errorf("replacing %s by a plain value", n.Kind())
	}
	v, err := literal(value)
	if err != nil {
		return fmt.Errorf("replacing a value: %w", err)
	}
	n.v.Value = v
	return nil
}

// literal returns a string, a number or a boolean as JSON.
func literal(value any) (hujson.Literal, error) {
	switch v := value.(type) {
	case string:
		return hujson.String(v), nil
	case bool, int, int64, float64:
		return json.Marshal(v)
	}
	return nil, fmt.Errorf("it would be %T", value)
}

// Add adds a member at the end of the object, formatted like the members before it. If
// the name exists, its value is replaced. value is as in [Node.Replace]. It fails if n is
// not an object.
func (n Node) Add(name string, value any) error {
	if n.v == nil {
		return fmt.Errorf("adding to an object that is not there")
	}
	obj, ok := n.v.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("adding to %s, which is not an object", n.Kind())
	}
	if old := n.Get(name); old.Exists() {
		return old.Replace(value)
	}
	v, err := literal(value)
	if err != nil {
		return fmt.Errorf("adding a value: %w", err)
	}
	n.doc.insert(obj, "", name, v)
	return nil
}

// Rename renames the members called from, and reports whether it did. It changes nothing
// if the object has no such member, or already has a member called to.
func (n Node) Rename(from, to string) bool {
	if n.Get(to).Exists() || !n.Get(from).Exists() {
		return false
	}
	obj := n.v.Value.(*hujson.Object)
	for i := range obj.Members {
		if name := &obj.Members[i].Name; name.Value.(hujson.Literal).String() == from {
			name.Value = hujson.String(to)
		}
	}
	return true
}

// Remove removes the members called name from the object, and reports whether there were
// any. Comments above them stay.
func (n Node) Remove(name string) bool {
	if !n.Get(name).Exists() {
		return false
	}
	obj := n.v.Value.(*hujson.Object)
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if obj.Members[i].Name.Value.(hujson.Literal).String() == name {
			removeMember(obj, i)
		}
	}
	return true
}

// removeMember removes a member, and keeps the comments above it.
func removeMember(obj *hujson.Object, i int) {
	gone := obj.Members[i]
	obj.Members = append(obj.Members[:i], obj.Members[i+1:]...)
	if i < len(obj.Members) {
		next := &obj.Members[i].Name.BeforeExtra
		if len(bytes.Trim(*next, " \t")) == 0 { // on the same line: its place is taken
			*next = gone.Name.BeforeExtra
			return
		}
		*next = joinExtra(gone.Name.BeforeExtra, *next)
		return
	}
	obj.AfterExtra = joinExtra(gone.Name.BeforeExtra, obj.AfterExtra)
	if i == 0 {
		return
	}
	last := &obj.Members[i-1].Value
	if gone.Value.AfterExtra != nil {
		last.AfterExtra = hujson.Extra{} // a comma at the end stays one
		return
	}
	if len(bytes.TrimSpace(last.AfterExtra)) > 0 {
		obj.AfterExtra = append(bytes.Clone(last.AfterExtra), obj.AfterExtra...)
	}
	last.AfterExtra = nil
}
