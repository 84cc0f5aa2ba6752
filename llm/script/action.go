package script

import "minigem/llm"

// Action is what a model has an agent do, in words that belong to no agent:
// each has tools of its own for it.
type Action struct {
	Kind    ActionKind `json:"kind"`
	Command string     `json:"command,omitempty"` // DoShell
	Path    string     `json:"path,omitempty"`    // DoWrite, DoEdit, DoRead; DoSearch: where, may be empty
	Text    string     `json:"text,omitempty"`    // DoWrite: all of the file
	Old     string     `json:"old,omitempty"`     // DoEdit: what stands there now, once
	New     string     `json:"new,omitempty"`     // DoEdit
	Pattern string     `json:"pattern,omitempty"` // DoSearch: a regular expression
}

// ActionKind is the word with which an Action begins in a model script.
type ActionKind string

const (
	DoShell  ActionKind = "shell"
	DoWrite  ActionKind = "write"
	DoEdit   ActionKind = "edit"
	DoRead   ActionKind = "read"
	DoSearch ActionKind = "search"
)

// ActionKinds are all of them.
var ActionKinds = []ActionKind{DoShell, DoWrite, DoEdit, DoRead, DoSearch}

// Call is the action as Gemini CLI's tools have it, which are minigem's too.
func (a Action) Call() llm.ToolCall {
	args := func(pairs ...string) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	switch a.Kind {
	case DoShell:
		return llm.ToolCall{Name: "run_shell_command", Args: args("command", a.Command)}
	case DoWrite:
		return llm.ToolCall{Name: "write_file", Args: args("file_path", a.Path, "content", a.Text)}
	case DoEdit:
		return llm.ToolCall{Name: "replace", Args: args("file_path", a.Path, "instruction", "Replace the text", "old_string", a.Old, "new_string", a.New)}
	case DoRead:
		return llm.ToolCall{Name: "read_file", Args: args("file_path", a.Path)}
	}
	c := llm.ToolCall{Name: "grep_search", Args: args("pattern", a.Pattern)}
	if a.Path != "" {
		c.Args["dir_path"] = a.Path
	}
	return c
}
