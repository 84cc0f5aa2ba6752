package settings

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"minigem/internal/text"
)

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	stringsType = reflect.TypeFor[Strings]()
)

// checker compares a tree with the Settings type. It removes values that do not fit, so
// that the lower layer's value stays, and unknown keys, because encoding/json would
// accept "TOOLS" for "tools".
type checker struct {
	*reader
	unknown []Unknown
	faults  []Given // invalid values of restricting keys
}

// object checks the members of n against a struct or a map.
func (c *checker) object(n *node, t reflect.Type, path string) {
	fields := map[string]reflect.StructField{}
	var names []string
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			fields[name] = t.Field(i)
			names = append(names, name)
		}
	}
	kept := n.members[:0]
	for _, m := range n.members {
		at := join(path, m.key)
		ft, enum := t, ""
		if t.Kind() == reflect.Map {
			ft = t.Elem()
		} else if f, ok := fields[m.key]; ok {
			ft, enum = f.Type, f.Tag.Get("enum")
		} else {
			c.noteUnknown(m, path, names)
			continue
		}
		if c.value(m.value, ft, enum, at) {
			kept = append(kept, m)
		}
	}
	n.members = kept
}

// noteUnknown reports a member without a field, and the unknown members below it,
// unless it is known to have no effect. WithoutEffect and Restrictions report those.
func (c *checker) noteUnknown(m member, path string, fields []string) {
	at := join(path, m.key)
	if path == "" && strings.Contains(m.key, ".") { // keys with dots are only known as nested keys
		c.unknown = append(c.unknown, Unknown{Key: at, Value: m.value.json(), Origin: m.origin, Suggestion: at})
		return
	}
	if k, ok := knownKey(at); ok && (k.Effect != EffectWorks || k.Key == at) || at == "$schema" {
		return
	}
	if below := knownBelow(at); m.value.kind == object && len(below) > 0 {
		for _, inner := range m.value.members {
			c.noteUnknown(inner, at, nil)
		}
		return
	}
	u := Unknown{Key: at, Value: m.value.json(), Origin: m.origin}
	if s := text.Nearest(m.key, append(fields[:len(fields):len(fields)], knownBelow(path)...)); s != "" {
		u.Suggestion = join(path, s)
	}
	c.unknown = append(c.unknown, u)
}

// value reports whether n may stay.
func (c *checker) value(n *node, t reflect.Type, enum, path string) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == rawType:
		return true
	case t == stringsType && n.kind != array:
		return c.fits(n, path, n.isString(), "a string or a list of strings")
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		if !c.fits(n, path, n.kind == object, "an object") {
			return false
		}
		c.object(n, t, path)
		return true
	case t.Kind() == reflect.Slice:
		return c.list(n, t.Elem(), path)
	}
	return c.scalar(n, t, enum, path)
}

// list checks each item on its own, so that a wrong item does not affect the others.
func (c *checker) list(n *node, t reflect.Type, path string) bool {
	if !c.fits(n, path, n.kind == array, "a list") {
		return false
	}
	kept := n.items[:0]
	for i, it := range n.items {
		if c.value(it, t, "", path+"["+strconv.Itoa(i)+"]") {
			kept = append(kept, it)
		}
	}
	n.items = kept
	return true
}

func (c *checker) scalar(n *node, t reflect.Type, enum, path string) bool {
	switch t.Kind() {
	case reflect.Bool:
		return c.fits(n, path, n.text == "true" || n.text == "false", "true or false")
	case reflect.Int:
		_, err := strconv.Atoi(n.text)
		return c.fits(n, path, err == nil, "a whole number")
	case reflect.Float64:
		_, err := strconv.ParseFloat(n.text, 64)
		return c.fits(n, path, err == nil, "a number")
	}
	if !c.fits(n, path, n.isString(), "a string") {
		return false
	}
	if enum == "" {
		return true
	}
	for choice := range strings.SplitSeq(enum, "|") {
		if choice == n.str() {
			return true
		}
	}
	return c.fits(n, path, false, "one of "+strings.ReplaceAll(enum, "|", ", "))
}

func (c *checker) fits(n *node, path string, ok bool, want string) bool {
	if !ok {
		c.warn(n.origin, path, WarnType, "must be %s, not %s; ignored", want, n.describe())
		if restricts(path) && !holdsNothing(n.json()) {
			c.faults = append(c.faults, Given{path, n.json(), n.origin, "must be " + want + ", not " + n.describe()})
		}
	}
	return ok
}

// describe names a value for a message, without showing what may be a secret.
func (n *node) describe() string {
	switch {
	case n.kind == object:
		return "an object"
	case n.kind == array:
		return "a list"
	case n.isString():
		if s := n.str(); len(s) <= 20 {
			return strconv.Quote(s)
		}
		return "a string"
	}
	return n.text
}
