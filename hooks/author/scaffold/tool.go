package scaffold

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
)

// An aim is the tool call in the case of a hook for that tool: a sample call with value
// as one of its arguments. aim is an argument of a tool, and a value on which the hook
// answers.
type aim struct {
	argument string
	value    any
}

// aims lists the tools for which hooks can be made. Each value names a secret.
var aims = map[string]aim{
	"run_shell_command": {"command", "cat secret.txt"},
	"read_file":         {"file_path", "secret.txt"},
	"read_many_files":   {"include", []any{"secret.txt"}},
	"write_file":        {"file_path", "secret.txt"},
	"replace":           {"file_path", "secret.txt"},
	"list_directory":    {"dir_path", "secret"},
	"glob":              {"pattern", "secret*"},
	"grep_search":       {"pattern", "secret"},
	"web_fetch":         {"prompt", "Summarize https://example.com/secret"},
	"google_web_search": {"query", "secret"},
	"save_memory":       {"fact", "This is a secret."},
}

// forTool returns the template of a hook for calls of one tool. Its case makes such a
// call. The error names the tools for which there is an example.
func forTool(event protocol.Event, tool string) (template, error) {
	if event != protocol.BeforeTool {
		return template{},
			fmt.Errorf("--tool makes a hook of BeforeTool, not of %s: --matcher '^%s$' chooses the tool of what is made "+
				"without it", event, tool)
	}
	a, ok := aims[tool]
	if !ok {
		return template{},
			fmt.Errorf("no example is known of a call of %s: make the hook without --tool, then change the matcher and the "+
				"case; --tool takes %s",
				tool, strings.Join(slices.Sorted(maps.Keys(aims)), ", "))
	}
	call := inspect.SampleArgs(tool)
	call[a.argument] = a.value
	args, err := protocol.Encode(call)
	if err != nil {
		return template{}, err
	}
	value, err := protocol.Encode(a.value)
	if err != nil {
		return template{}, err
	}
	return template{
		Tool: tool, Does: "refuses calls of " + tool + " that name a secret", Matcher: "^" + tool + "$",
		Field: []string{"tool_input", a.argument}, Holds: "secret",
		Says: `{"decision": "deny", "reason": "NAME: secrets are not for the model"}`,
		Script: "prompt Do it\nfired EVENT NAME decision=deny\n! tool-ran " + tool +
			"\nmodel-saw last ~'not for the model'\n",
		Files: fmt.Sprintf("-- model --\ncall %s %s\n\ntext I may not.\n", tool, args),
		Try:   "tool_input." + a.argument + "=" + string(value),
	}, nil
}
