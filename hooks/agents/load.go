package agents

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed data
var files embed.FS

// first lists the agents that come first in lists, in this order. The others follow by
// name.
var first = []string{
	"gemini", "claude", "codex", "qwen", "copilot", "copilotc", "kimi", "cline", "opencode",
}

// ids are the names of the files, in the order of lists.
var ids = sync.OnceValue(func() []string {
	names, err := fs.Glob(files, "data/*.toml")
	if err != nil {
		panic(err) // unreachable: the pattern is a constant
	}
	out := slices.Clone(first)
	for _, name := range names {
		id := strings.TrimSuffix(strings.TrimPrefix(name, "data/"), ".toml")
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
})

// IDs returns the ids of all agents that have a table: the best-known first, the others
// by name. The slice is the caller's.
func IDs() []string { return slices.Clone(ids()) }

// agents reads each file when it is first asked for.
var agents = sync.OnceValue(func() map[string]func() *Agent {
	all := map[string]func() *Agent{}
	for _, id := range ids() {
		all[id] = sync.OnceValue(func() *Agent {
			a := &Agent{ID: id}
			data, err := toml.Marshal(document(id))
			if err == nil {
				d := toml.NewDecoder(bytes.NewReader(data))
				err = d.DisallowUnknownFields().Decode(a)
			}
			check(id, err)
			return a
		})
	}
	return all
})

// document reads the file of an agent. "like" at its top or in a table names another
// agent, whose document, or whose table of that name, is used where this one says nothing.
func document(id string) map[string]any {
	doc := map[string]any{}
	check(id, toml.Unmarshal(content(id+".toml"), &doc))
	for name, value := range doc {
		table, _ := value.(map[string]any)
		if other, ok := table["like"].(string); ok {
			doc[name] = over(table, document(other)[name])
		}
	}
	if other, ok := doc["like"].(string); ok {
		doc = over(doc, document(other))
	}
	return doc
}

// over merges a table over another. Lists are not merged.
func over(table map[string]any, other any) map[string]any {
	under, _ := other.(map[string]any)
	out := maps.Clone(under)
	for name, value := range table {
		if inner, ok := value.(map[string]any); ok && under[name] != nil {
			value = over(inner, under[name])
		}
		out[name] = value
	}
	delete(out, "like")
	return out
}

// content returns an embedded file.
func content(name string) []byte {
	data, err := files.ReadFile("data/" + name)
	check(name, err)
	return data
}

// decode reads an embedded JSON file.
func decode(name string, into any) { check(name, json.Unmarshal(content(name), into)) }

// check panics for a faulty embedded file. A test reads them all.
func check(name string, err error) {
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
}
