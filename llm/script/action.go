package script

import "minigem/llm"

// Action is something that a scripted model makes an agent do, in neutral
// words: each agent has its own tools for it.
type Action struct {
	Kind    ActionKind `json:"kind"`
	Command string     `json:"command,omitempty"` // DoShell
	Path    string     `json:"path,omitempty"`    // DoWrite, DoEdit, DoRead; DoSearch: where to search, may be empty
	Text    string     `json:"text,omitempty"`    // DoWrite: the whole content
	Old     string     `json:"old,omitempty"`     // DoEdit: text that occurs once in the file
	New     string     `json:"new,omitempty"`     // DoEdit: what replaces it
	Pattern string     `json:"pattern,omitempty"` // DoSearch: a regular expression
}

// ActionKind is the first word of an [Action] in a model script.
type ActionKind string

const (
	DoShell  ActionKind = "shell"
	DoWrite  ActionKind = "write"
	DoEdit   ActionKind = "edit"
	DoRead   ActionKind = "read"
	DoSearch ActionKind = "search"
)

// ActionKinds lists all kinds.
var ActionKinds = []ActionKind{DoShell, DoWrite, DoEdit, DoRead, DoSearch}

// Call returns the call of a tool of Gemini CLI, and so of minigem, that does
// the action.
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
		return llm.ToolCall{Name: "replace", Args: args("file_path", a.Path, "instruction", "Replace the text", "old_string",
			a.Old, "new_string", a.New)}
	case DoRead:
		return llm.ToolCall{Name: "read_file", Args: args("file_path", a.Path)}
	}
	c := llm.ToolCall{Name: "grep_search", Args: args("pattern", a.Pattern)}
	if a.Path != "" {
		c.Args["dir_path"] = a.Path
	}
	return c
}
