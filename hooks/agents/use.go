package agents

import (
	"fmt"
	"maps"
	"strings"
)

// Use is a tool call and its outcome, as agents' payloads show them. See [Values.Add].
type Use struct {
	// Kind is the tool's action, one of [Actions]; empty if no table has it.
	Kind string
	// Name is the tool's name for hooks.
	Name string
	// ID is the id of the call.
	ID string
	// Input holds the arguments in the agent's names.
	Input map[string]any
	// Command is the command line of a shell call.
	Command string
	// Path is the absolute path of the file that the call is about.
	Path string
	// File is the same path as the model gave it.
	File string
	// Content is the text to write.
	Content string
	// Old and New are the texts of an edit.
	Old, New string
	// Text is the text of the file, or of the part that was read.
	Text string
	// First is the number of Text's first line; 0 means 1.
	First int
	// Original is the file's text before the call; nil if the file is new.
	Original *string
	// Output is what a command printed.
	Output string
	// Exit is the exit status of a command.
	Exit int
	// Diff is the change as a unified diff.
	Diff string
	// Display is the tool's result for the user, as the agent shows it.
	Display any
	// ErrorMessage says why the tool itself failed; empty if it did not.
	ErrorMessage string
	// FailedCommands says that the agent counts a command with an exit status other than
	// 0 as a tool that failed; see [Play].
	FailedCommands bool
}

// Failed reports whether the tool failed, as the agent sees it. A command's exit status
// counts only if FailedCommands is set.
func (u Use) Failed() bool {
	return u.ErrorMessage != "" || u.FailedCommands && u.Kind == "shell" && u.Exit != 0
}

// Add adds to v.Base the names for a call, among them "result", which it makes from the
// agent's templates of results. known is false if it is unknown what hooks read of a
// result of this kind; "result" is not set then.
func (v Values) Add(u Use, results map[string]any) (known bool) {
	if u.Exit != 0 && u.Output == fmt.Sprintf("Command exited with code: %d", u.Exit) {
		u.Output = "" // what our tool shows of a command that printed nothing
	}
	lines := u.Output + "\n"
	if u.Output == "" {
		lines = ""
	}
	var original any
	kind := "create"
	if u.Original != nil {
		original, kind = *u.Original, "update"
	}
	maps.Copy(v.Base, map[string]any{
		"tool": u.Name, "input": u.Input, "call_id": u.ID, "own_id": "toolu_" + u.ID, "output": u.Output,
		"output_lines": lines, "exit": u.Exit, "text": u.Text,
		"lines": strings.Count(strings.TrimSuffix(u.Text, "\n"), "\n") + 1, "first": max(u.First, 1), "size": len(u.Content),
		"path": u.Path, "content": u.Content, "old": u.Old, "new": u.New,
		"original": original, "write_type": kind, "patch": hunks(u.Diff, kind), "patched": u.File, "display": u.Display,
		"command_report": report(u.Command, u.Output, u.Exit), "numbered": numbered(u.Text),
		"command": u.Command, "input_texts": texts(u.Input),
	})
	v.Base["error_output"] = strings.TrimSuffix("\n"+u.Output, "\n")
	v.Base["error"] = v.failure(u)
	template, known := results[u.Kind]
	if !known {
		template, known = results[""]
	}
	if known {
		v.Base["result"] = v.Fill(template)
	}
	v.Base["result_text"] = asText(v.Base["result"])
	return known
}

// failure returns what an agent says about a tool that failed.
func (v Values) failure(u Use) string {
	if u.Exit != 0 {
		if t, ok := v.Own["error_command"]; ok {
			return fmt.Sprint(v.Fill(t))
		}
	}
	if t, ok := v.Own["error_"+u.Kind]; ok {
		return fmt.Sprint(v.Fill(t))
	}
	return u.ErrorMessage
}
