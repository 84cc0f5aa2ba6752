package settings

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Effect is what a key of Gemini CLI's settings does in minigem.
type Effect string

const (
	EffectWorks       Effect = "works"
	EffectNone        Effect = "none"        // it promises comfort, and nothing comes of it
	EffectRestriction Effect = "restriction" // it holds something back, which minigem cannot do
)

// Known is a key of Gemini CLI 0.61 (cli/config/settingsSchema.ts), or of
// minigem's own.
type Known struct {
	Key      string // dotted; what is below it belongs to it
	Effect   Effect
	Harmless []string // values of what holds something back that hold nothing back, as JSON
}

//go:embed known.txt
var knownText string

// KnownKeys are all keys that somebody may expect to work. To build what a
// restriction asks for, give its line in known.txt the effect "works".
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

// knownIndex finds known keys, and the names below the objects above them.
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

// knownDepth is how many names a known key has at most.
const knownDepth = 5

// knownKey finds the known key that key is, or is below of: the longest. The
// name of an MCP server counts as "*".
func knownKey(key string) (k Known, ok bool) {
	if rest, below := strings.CutPrefix(key, "mcpServers."); below {
		if _, field, named := strings.Cut(rest, "."); named {
			key = "mcpServers.*." + field
		}
	}
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

// EffectOf is the effect of key in words, "unknown" where nobody knows the key.
func EffectOf(key string) string {
	if k, ok := knownKey(key); ok {
		return string(k.Effect)
	}
	if len(knownBelow(key)) > 0 { // a section
		return string(EffectWorks)
	}
	return "unknown"
}

// knownBelow are the names that known keys have right below key.
func knownBelow(key string) []string {
	_, below := knownIndex()
	return below[key]
}

// A Given value was set in a file.
type Given struct {
	Key    string
	Value  json.RawMessage
	Origin Origin
	Fault  string // why it cannot be enforced; empty: minigem cannot do it
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

// Restrictions are the values in force that hold something back that minigem
// cannot hold back. A project cannot lift what lies below it. What is not known
// in the sections that are made of restrictions is taken for one.
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

// Holding is the value in force of a key that holds something back: a project
// cannot lift it. ok is false where it holds nothing back.
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
		if g.Key != k.Key || !slices.Contains(k.Harmless, string(g.Value)) { // a server of nothing is one that is named
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

// WithoutEffect are the values of known keys that were set and that nothing reads.
func (l *Loaded) WithoutEffect() []Given {
	var out []Given
	for _, g := range l.Given {
		if k, ok := knownKey(g.Key); ok && k.Effect == EffectNone {
			out = append(out, g)
		}
	}
	return out
}
