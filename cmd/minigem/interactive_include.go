package main

import (
	"context"
	"fmt"
	"path/filepath"

	"minigem/internal/slash"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
)

// include returns what is sent for a prompt: its text, and behind that the
// files and folders it names with "@" (spec/agent.md 4.4). nil: the text alone.
// What there is not stays text; what may not be read is told to warn.
func (r *rig) include(ctx context.Context, text string, warn func(string)) []llm.Part {
	var found []llm.Part
	for _, name := range slash.Includes(text) {
		abs, err := r.workspace.Resolve(name)
		if err != nil {
			continue
		}
		info, err := r.workspace.Stat(abs)
		if err != nil {
			continue
		}
		tool, args := builtin.ReadFile(r.workspace, r.ignore()), map[string]any{"file_path": abs}
		if info.IsDir() {
			tool, args = builtin.ReadManyFiles(r.workspace, r.ignore()), map[string]any{"include": []any{abs}}
		}
		parts, err := readFor(ctx, tool, args)
		if err != nil {
			warn(fmt.Sprintf("@%s is not included: %v", name, err))
			continue
		}
		found = append(found, llm.Text{Text: fmt.Sprintf("\nContent from @%s:\n", filepath.ToSlash(r.workspace.Rel(abs)))})
		found = append(found, parts...)
	}
	if found == nil {
		return nil
	}
	out := append([]llm.Part{llm.Text{Text: text}, llm.Text{Text: "\n--- Content from referenced files ---"}}, found...)
	return append(out, llm.Text{Text: "\n--- End of content ---"})
}

func readFor(ctx context.Context, tool tools.Tool, args map[string]any) ([]llm.Part, error) {
	inv, err := tool.Prepare(args)
	if err != nil {
		return nil, err
	}
	res, err := inv.Run(ctx)
	return res.Parts, err
}
