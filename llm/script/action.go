package script

import (
	"cmp"

	"minigem/llm"
)

// Action is something that a scripted model makes an agent do, in words that no agent
// owns: each agent has different tools for it. Fields that Kind does not name are
// ignored.
type Action struct {
	// Kind selects the fields below that count.
	Kind ActionKind `json:"kind"`
	// Command is for DoShell: a command line.
	Command string `json:"command,omitempty"`
	// Path is the file for DoWrite, DoEdit and DoRead. For DoSearch it is the folder to
	// search and may be empty.
	Path string `json:"path,omitempty"`
	// Text is for DoWrite: the whole content.
	Text string `json:"text,omitempty"`
	// Old is for DoEdit: text that occurs once in the file.
	Old string `json:"old,omitempty"`
	// New is for DoEdit: what replaces Old.
	New string `json:"new,omitempty"`
	// Pattern is for DoSearch: a regular expression.
	Pattern string `json:"pattern,omitempty"`
}

// ActionKind is the first word of an [Action] in a model script.
type ActionKind string

// The kinds of an [Action].
const (
	// runs Command
	DoShell ActionKind = "shell"
	// writes Text to the file Path
	DoWrite ActionKind = "write"
	// replaces Old by New in the file Path
	DoEdit ActionKind = "edit"
	// reads the file Path
	DoRead ActionKind = "read"
	// searches the folder Path for Pattern
	DoSearch ActionKind = "search"
)

// ActionKinds lists all kinds. It must not be changed.
var ActionKinds = []ActionKind{DoShell, DoWrite, DoEdit, DoRead, DoSearch}

// Call returns the call of a tool of Gemini CLI, and so of minigem, that does the action.
// It has no ID. A Kind that is not listed in [ActionKinds] is taken for DoSearch.
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

// ActionOf returns the action whose Call has the name of c and all of its arguments, apart
// from a description. ok is false if there is none.
func ActionOf(c llm.ToolCall) (a Action, ok bool) {
	text := func(name string) string { s, _ := c.Args[name].(string); return s }
	a = Action{Command: text("command"), Path: cmp.Or(text("file_path"), text("dir_path")), Text: text("content"),
		Old: text("old_string"), New: text("new_string"), Pattern: text("pattern")}
	for _, a.Kind = range ActionKinds {
		ours := a.Call()
		ok = ours.Name == c.Name
		for name := range c.Args {
			_, has := ours.Args[name]
			ok = ok && (has || name == "description")
		}
		if ok {
			return a, true
		}
	}
	return Action{}, false
}
