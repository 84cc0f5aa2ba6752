package builtin

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"minigem/llm"
	"minigem/tools/workspace"
)

// Specs are all built-in tools as the model is offered them, those that a
// session offers on certain terms only among them.
func Specs() []llm.ToolSpec {
	all, err := All(Options{
		Workspace: &workspace.Workspace{}, Web: WebOptions{Generator: nobody{}}, Asker: nobody{}, Memory: MemoryFiles{User: "memory"},
	})
	if err != nil {
		panic(err) // unreachable: nothing is missing
	}
	specs := make([]llm.ToolSpec, len(all))
	for i, t := range all {
		specs[i] = t.Spec()
	}
	return specs
}

// Usage is the tool with the names of its arguments on one line; those in
// brackets may be left out.
func Usage(spec llm.ToolSpec) string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(spec.Parameters, &schema) // our own
	words := append([]string{spec.Name}, schema.Required...)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(schema.Required, name) {
			words = append(words, "["+name+"]")
		}
	}
	return strings.Join(words, " ")
}

// nobody stands where a tool asks somebody, and is never asked.
type nobody struct{}

func (nobody) Generate(context.Context, llm.Request) (llm.Chunk, error) { return llm.Chunk{}, nil }

func (nobody) AskQuestions(context.Context, []Question) (map[int]string, bool, error) {
	return nil, false, nil
}
