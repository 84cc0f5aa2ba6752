package settings

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Effect says what a key of Gemini CLI's settings does in minigem.
type Effect string

const (
	EffectWorks       Effect = "works"
	EffectNone        Effect = "none"        // only a convenience, which minigem does not have
	EffectRestriction Effect = "restriction" // a restriction that minigem cannot enforce
)

// Known is a key of Gemini CLI 0.61 (cli/config/settingsSchema.ts) or one of minigem's
// own.
type Known struct {
	Key      string // dotted; it covers the keys below it
	Effect   Effect
	Harmless []string // values of a restriction that restrict nothing, as JSON
}

//go:embed known.txt
var knownText string

// KnownKeys returns all keys that a user may expect to work. When a restriction has
// been implemented, give its line in known.txt the effect "works".
var KnownKeys = sync.OnceValue(func() []Known {
	var out []Known
	for line := range strings.Lines(knownText) {
		f := strings.Fields(line)
		k := Known{Key: f[0], Effect: Effect(f[1])}
		if len(f) > 2 {
			k.Harmless = strings.Split(f[2], "|")
		}
		out = append(out, k)
	}
	return out
})

// knownIndex maps keys to known keys, and each object to the names directly below it.
var knownIndex = sync.OnceValues(func() (keys map[string]Known, below map[string][]string) {
	keys, below = map[string]Known{}, map[string][]string{}
	for _, k := range KnownKeys() {
		keys[k.Key] = k
		path := ""
		for name := range strings.SplitSeq(k.Key, ".") {
			if !slices.Contains(below[path], name) {
				below[path] = append(below[path], name)
			}
			path = join(path, name)
		}
	}
	return keys, below
})

// knownDepth is the maximum number of names in a known key.
const knownDepth = 5

// anyServer returns key with * for the name of an MCP server.
func anyServer(key string) string {
	if rest, below := strings.CutPrefix(key, "mcpServers."); below {
		if _, field, named := strings.Cut(rest, "."); named {
			return "mcpServers.*." + field
		}
	}
	return key
}

// knownKey returns the longest known key that equals key or is above it. The name of an
// MCP server matches "*".
func knownKey(key string) (k Known, ok bool) {
	key = anyServer(key)
	keys, _ := knownIndex()
	for i, depth := 0, 0; i <= len(key) && depth < knownDepth; i++ {
		if i < len(key) && key[i] != '.' {
			continue
		}
		if longer, found := keys[key[:i]]; found {
			k, ok = longer, true
		}
		depth++
	}
	return k, ok
}

// EffectOf returns the effect of key, or "unknown" if the key is not known.
func EffectOf(key string) string {
	if k, ok := knownKey(key); ok {
		return string(k.Effect)
	}
	if len(knownBelow(key)) > 0 { // a section
		return string(EffectWorks)
	}
	return "unknown"
}

// knownBelow returns the names of known keys directly below key.
func knownBelow(key string) []string {
	_, below := knownIndex()
	return below[key]
}

// Given is a value that a file sets.
type Given struct {
	Key    string
	Value  json.RawMessage
	Origin Origin
	Fault  string // why it cannot be enforced; empty if minigem does not support it
}

// given collects the known keys of a file.
func (l *Loaded) given(layer Layer, tree *node) {
	walk("", tree, func(key string, n *node) {
		if _, ok := knownKey(key); !ok {
			return
		}
		at := n.origin
		at.Layer = layer
		l.Given = append(l.Given, Given{key, n.json(), at, ""})
	})
}

// Restrictions returns the values in force of restrictions that minigem cannot enforce.
// A project cannot lift those of lower layers. An unknown key that may be meant as a
// restriction counts as one.
func (l *Loaded) Restrictions() []Given {
	out := l.holding(func(k Known) bool { return k.Effect == EffectRestriction })
	for _, u := range l.Unknown {
		if u.mayRestrict() {
			out = append(out, Given{u.Key, u.Value, u.Origin, u.fault()})
		}
	}
	return append(out, l.faults...)
}

func (u Unknown) mayRestrict() bool {
	section, _, _ := strings.Cut(u.Key, ".")
	if section == "admin" || section == "security" {
		return string(u.Value) != "null" && string(u.Value) != "{}"
	}
	return u.instead() != "" && !holdsNothing(u.Value)
}

// Holding returns the value in force of a restricting key, which a project cannot lift.
// ok is false if it restricts nothing.
func (l *Loaded) Holding(key string) (g Given, ok bool) {
	held := l.holding(func(k Known) bool { return k.Key == key })
	if len(held) == 0 {
		return Given{}, false
	}
	return held[0], true
}

func (l *Loaded) holding(wanted func(Known) bool) []Given {
	byKey := map[string]Given{}
	var order []string
	for _, g := range l.Given {
		k, ok := knownKey(g.Key)
		if !ok || !wanted(k) {
			continue
		}
		if g.Key != k.Key || !slices.Contains(k.Harmless, string(g.Value)) { // an empty MCP server still has a name
			byKey[g.Key] = g
			order = append(order, g.Key)
		} else if g.Origin.Layer != LayerWorkspace {
			delete(byKey, g.Key)
		}
	}
	var out []Given
	for _, key := range order {
		if g, ok := byKey[key]; ok {
			out = append(out, g)
			delete(byKey, key)
		}
	}
	return out
}

// WithoutEffect returns the given values of known keys that nothing reads.
func (l *Loaded) WithoutEffect() []Given {
	var out []Given
	for _, g := range l.Given {
		if k, ok := knownKey(g.Key); ok && k.Effect == EffectNone {
			out = append(out, g)
		}
	}
	return out
}
