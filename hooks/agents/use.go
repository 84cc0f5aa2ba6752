package agents

import (
	"fmt"
	"maps"
	"strings"
)

// Use is a call of a tool and its outcome, as payloads of agents show it.
type Use struct {
	Kind           string // the action of the table
	Name           string // the tool's, in hooks
	ID             string // of the call
	Input          map[string]any
	Command        string
	Path           string // absolute, of the file that it is about
	File           string // the same as the model said it
	Content        string // that it is to write
	Old, New       string // of an edit
	Text           string // what stands in the file, or the part that was read
	First          int    // the first line of Text; 0: 1
	Original       *string
	Output         string // of a command
	Exit           int
	Diff           string // unified
	Display        any
	ErrorMessage   string // empty: the tool itself did not fail
	FailedCommands bool   // a command that ends with another status than 0 is a tool that failed
}

// Failed reports whether the tool failed, as the agent sees it.
func (u Use) Failed() bool {
	return u.ErrorMessage != "" || u.FailedCommands && u.Kind == "shell" && u.Exit != 0
}

// Add adds what templates can name of a call. It reports whether it is known what
// hooks read of a result of this kind.
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

// failure is what an agent says of a tool that failed.
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
