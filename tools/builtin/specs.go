package builtin

import (
	"context"

	"minigem/llm"
	"minigem/tools/workspace"
)

// Specs returns the declarations of all built-in tools in the order of [All], including
// those that a session offers only under certain conditions. They contain nothing of a
// session, such as skills or plans.
func Specs() []llm.ToolSpec {
	all, err := All(Options{
		Workspace: &workspace.Workspace{}, Plans: Plans{Dir: none, Active: func() bool { return false }}, Session: none,
		Web: WebOptions{Generator: nobody{}}, Asker: nobody{}, Skills: Skills{List: func() []Skill { return nil }},
		Memory: MemoryFiles{User: "memory"},
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

// none is the folder of plans and the session of declarations that belong to no
// session.
func none() string { return "" }

// nobody is an Asker and a Generator that is never called.
type nobody struct{}

func (nobody) Generate(context.Context, llm.Request) (llm.Chunk, error) { return llm.Chunk{}, nil }

func (nobody) AskQuestions(context.Context, []Question) (map[int]string, bool, error) {
	return nil, false, nil
}
