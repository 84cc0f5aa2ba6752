package settings

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
	Harmless []string // values of a restriction that hold nothing back, as JSON
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

func knownKey(key string) (Known, bool) {
	for _, k := range KnownKeys() {
		if key == k.Key || strings.HasPrefix(key, k.Key+".") {
			return k, true
		}
	}
	return Known{}, false
}

// knownAbove reports whether a known key is below key.
func knownAbove(key string) bool {
	return slices.ContainsFunc(KnownKeys(), func(k Known) bool { return strings.HasPrefix(k.Key, key+".") })
}

// A Given value was set in a file.
type Given struct {
	Key    string
	Value  json.RawMessage
	Origin Origin
}

// given collects the leaves of a file, those of unknown keys too.
func (l *Loaded) given(layer Layer, tree *node) {
	walk("", tree, func(key string, n *node) {
		at := n.origin
		at.Layer = layer
		l.Given = append(l.Given, Given{key, n.json(), at})
	})
}

// Restrictions are the values in force that hold something back that minigem
// cannot hold back. A project cannot lift what lies below it.
func (l *Loaded) Restrictions() []Given {
	byKey := map[string]Given{}
	var order []string
	for _, g := range l.Given {
		k, ok := knownKey(g.Key)
		if !ok || k.Effect != EffectRestriction {
			continue
		}
		if !slices.Contains(k.Harmless, string(g.Value)) {
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

// WithoutEffect are the values that were set and that nothing reads, with a
// sentence for each.
func (l *Loaded) WithoutEffect() []string {
	var out []string
	for _, g := range l.Given {
		if k, ok := knownKey(g.Key); ok && k.Effect == EffectNone {
			out = append(out, fmt.Sprintf("%s:%d: %s has no effect in minigem", g.Origin.File, g.Origin.Line, g.Key))
		}
	}
	return out
}
