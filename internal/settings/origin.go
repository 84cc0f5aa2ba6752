package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minigem/internal/text"
)

// Layer is one of the places that settings come from.
type Layer string

// From the lowest to the highest.
const (
	LayerDefault        Layer = "default"
	LayerSystemDefaults Layer = "system-defaults"
	LayerUser           Layer = "user"
	LayerWorkspace      Layer = "workspace"
	LayerSystem         Layer = "system"
)

// Origin is where a value stands.
type Origin struct {
	Layer        Layer
	File         string // absolute; empty for LayerDefault
	Line, Column int    // from 1; 0 for LayerDefault
}

// String returns "layer file:line", or the layer alone.
func (o Origin) String() string {
	if o.File == "" {
		return string(o.Layer)
	}
	return fmt.Sprintf("%s %s:%d", o.Layer, o.File, o.Line)
}

// WarningKind says what a Warning is about.
type WarningKind string

const (
	WarnType       WarningKind = "type"       // a value of the wrong type or not among those allowed; it is ignored
	WarnDeprecated WarningKind = "deprecated" // an older key; its value was taken over
	WarnDuplicate  WarningKind = "duplicate"  // a key that occurs twice
	WarnUnreadable WarningKind = "unreadable" // a file that is there but could not be read
	// a project's value that would lift what a lower layer holds back; it is ignored
	WarnRestriction WarningKind = "restriction"
)

// Warning is a fault that did not stop the rest of the file.
type Warning struct {
	Kind   WarningKind
	Key    string // dotted
	Origin Origin
	Text   string
}

// String renders the warning as "file:line:column: key: text".
func (w Warning) String() string {
	at := w.Origin.File
	if w.Origin.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", at, w.Origin.Line, w.Origin.Column)
	}
	if w.Key == "" {
		return at + ": " + w.Text
	}
	return at + ": " + text.VisibleLine(w.Key) + ": " + w.Text
}

// Unknown is a key that minigem does not know. It may be meant for another
// program: a warning is due only where it has a Suggestion.
type Unknown struct {
	Key        string // dotted
	Value      json.RawMessage
	Origin     Origin
	Suggestion string // a known key that is spelled alike; empty: none is
}

func (u Unknown) String() string {
	said := fmt.Sprintf("%s:%d: the key %q is not known", u.Origin.File, u.Origin.Line, u.Key)
	if u.Suggestion != "" {
		said += fmt.Sprintf("; did you mean %q?", u.Suggestion)
	}
	return said
}

// Entry is one value that is in force.
type Entry struct {
	Key     string // dotted
	Value   json.RawMessage
	Origin  Origin   // of the highest layer that has a part in it
	Origins []Origin // of an array's items, in order; nil otherwise
}

// Entries lists every value in force, sorted by key. Objects are listed by
// their members, arrays as a whole.
func (l *Loaded) Entries() []Entry {
	var out []Entry
	walk("", l.tree, func(key string, n *node) { out = append(out, entry(key, n)) })
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// Lookup returns the value in force under a dotted key, an object as a whole.
func (l *Loaded) Lookup(key string) (Entry, bool) {
	n := find(l.tree, key)
	if n == nil {
		return Entry{}, false
	}
	return entry(key, n), true
}

// Origin tells where the value under a dotted key stands. Of an array that
// several layers contribute to it is the highest one.
func (l *Loaded) Origin(key string) (Origin, bool) {
	e, ok := l.Lookup(key)
	return e.Origin, ok
}

// At tells where a key stands that may go on behind an item of a list, such as
// "modelConfigs.overrides[1].match".
func (l *Loaded) At(key string) Origin {
	list, rest, within := strings.Cut(key, "[")
	e, _ := l.Lookup(list)
	number, _, _ := strings.Cut(rest, "]")
	if i, err := strconv.Atoi(number); within && err == nil && i < len(e.Origins) {
		return e.Origins[i]
	}
	return e.Origin
}

func entry(key string, n *node) Entry {
	e := Entry{Key: key, Value: n.json(), Origin: n.origin}
	for _, it := range n.items {
		e.Origins = append(e.Origins, it.origin)
	}
	return e
}

// walk visits leaves: everything but objects that have members.
func walk(path string, n *node, visit func(string, *node)) {
	if n.kind != object || len(n.members) == 0 && path != "" {
		visit(path, n)
		return
	}
	for _, m := range n.members {
		walk(join(path, m.key), m.value, visit)
	}
}

// find follows a dotted key. Names that hold dots themselves, such as those of
// MCP servers, are found too.
func find(n *node, key string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	if v := n.get(key); v != nil {
		return v
	}
	for i := range len(key) {
		if key[i] != '.' {
			continue
		}
		if v := find(n.get(key[:i]), key[i+1:]); v != nil {
			return v
		}
	}
	return nil
}
