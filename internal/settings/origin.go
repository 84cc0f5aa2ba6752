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

// Layer is one of the sources of settings.
type Layer string

// The layers, from lowest to highest.
const (
	LayerDefault        Layer = "default"
	LayerSystemDefaults Layer = "system-defaults"
	LayerUser           Layer = "user"
	LayerWorkspace      Layer = "workspace"
	LayerSystem         Layer = "system"
)

// Origin is where a value is set.
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
	WarnType       WarningKind = "type"       // a value of the wrong type, or not an allowed one; it is ignored
	WarnDeprecated WarningKind = "deprecated" // an older key, whose value is used
	WarnDuplicate  WarningKind = "duplicate"  // a key that occurs twice
	WarnUnreadable WarningKind = "unreadable" // an existing file that cannot be read
	// a project's value that would lift a lower layer's restriction; it is ignored
	WarnRestriction WarningKind = "restriction"
)

// Warning is a problem that did not prevent reading the rest of the file.
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

// Unknown is a key that minigem does not know. It may be meant for another program, so
// it is worth a warning only if it has a Suggestion.
type Unknown struct {
	Key        string // dotted
	Value      json.RawMessage
	Origin     Origin
	Suggestion string // a known key that is spelled similarly, or empty
}

func (u Unknown) String() string {
	return fmt.Sprintf("%s:%d: the key %q is not known%s", u.Origin.File, u.Origin.Line, u.Key,
		text.DidYouMean(u.Suggestion))
}

// Entry is a value that is in force.
type Entry struct {
	Key     string // dotted
	Value   json.RawMessage
	Origin  Origin   // the highest layer that contributes to it
	Origins []Origin // the origins of an array's items, in order; otherwise nil
}

// Entries lists every value in force, sorted by key. Objects are listed by member,
// arrays as a whole.
func (l *Loaded) Entries() []Entry {
	var out []Entry
	walk("", l.tree, func(key string, n *node) { out = append(out, entry(key, n)) })
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// Lookup returns the value in force for a dotted key. An object is returned as a whole.
func (l *Loaded) Lookup(key string) (Entry, bool) {
	n := find(l.tree, key)
	if n == nil {
		return Entry{}, false
	}
	return entry(key, n), true
}

// Origin returns where the value of a dotted key is set. For an array from several
// layers, that is the highest layer.
func (l *Loaded) Origin(key string) (Origin, bool) {
	e, ok := l.Lookup(key)
	return e.Origin, ok
}

// At returns where a key is set that may refer to an item of a list, such as
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

// walk visits the leaves: everything but objects with members.
func walk(path string, n *node, visit func(string, *node)) {
	if n.kind != object || len(n.members) == 0 && path != "" {
		visit(path, n)
		return
	}
	for _, m := range n.members {
		walk(join(path, m.key), m.value, visit)
	}
}

// find follows a dotted key. It also finds names that contain dots, such as those of
// MCP servers.
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
