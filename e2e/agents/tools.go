package agents

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"minigem/e2e/fakemodel"
	"minigem/internal/boundedfile"
	"minigem/llm"
	"minigem/llm/script"
)

// call returns the agent's own call for an action.
func (a *Adapter) call(act script.Action, workspace string) (llm.ToolCall, error) {
	t := a.Tools[act.Kind]
	if t == nil || t.Cannot != "" {
		why := "it has no tool for that"
		if t != nil {
			why = t.Cannot
		}
		return llm.ToolCall{}, fmt.Errorf("%s cannot %s: %s", a.Name, act.Kind, why)
	}
	return llm.ToolCall{Name: t.Name, Args: a.filled(t.Args, act, workspace)}, nil
}

// filled fills an action's values into args.
func (a *Adapter) filled(args map[string]any, act script.Action, workspace string) map[string]any {
	path := act.Path
	if path == "" && act.Kind == script.DoSearch {
		path = "."
	}
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(workspace, filepath.FromSlash(path))
	}
	filled, _ := fillAll(args, map[string]string{
		"COMMAND": act.Command, "PATH": path, "TEXT": act.Text, "OLD": act.Old, "NEW": act.New, "PATTERN": act.Pattern,
		"SH_PATH": word(path), "SH_TEXT": word(act.Text), "SH_PATTERN": word(act.Pattern), "PATCH": patch(act, path),
	}).(map[string]any)
	return filled
}

// word quotes s as one shell word.
func word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// patch formats the action as a patch for apply_patch. A changed file is written with all
// of its lines, because patches consist of lines and actions of arbitrary text.
func patch(act script.Action, path string) string {
	lines := func(mark, text string) string {
		text = strings.TrimSuffix(text, "\n")
		return mark + strings.ReplaceAll(text, "\n", "\n"+mark) + "\n"
	}
	body := ""
	switch act.Kind {
	case script.DoWrite:
		body = "*** Add File: " + path + "\n" + lines("+", act.Text)
	case script.DoEdit:
		before, err := boundedfile.Read(path, boundedfile.Kept)
		if err != nil || strings.Count(string(before), act.Old) != 1 {
			return "" // the agent will report the error
		}
		after := strings.Replace(string(before), act.Old, act.New, 1)
		body = "*** Update File: " + path + "\n@@\n" + lines("-", string(before)) + lines("+", after)
	}
	return "*** Begin Patch\n" + body + "*** End Patch\n"
}

// translate is like call, but returns an error if the request does not offer the tool.
func (a *Adapter) translate(workspace string) func(script.Action, []fakemodel.Tool) ([]llm.ToolCall, error) {
	return func(act script.Action, offered []fakemodel.Tool) ([]llm.ToolCall, error) {
		c, err := a.call(act, workspace)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, t := range offered {
			names = append(names, t.Name)
		}
		if !slices.Contains(names, c.Name) {
			return nil, fmt.Errorf("%s offers no tool %s in this request; it offers %s", a.Name, c.Name,
				strings.Join(names, ", "))
		}
		return []llm.ToolCall{c}, nil
	}
}

// toolName returns minigem's name for a tool of the agent or for an action. It returns
// other names unchanged, and also a tool that performs several actions, unless that is the
// shell tool.
func (a *Adapter) toolName(name string) string {
	if slices.Contains(script.ActionKinds, script.ActionKind(name)) {
		return script.Action{Kind: script.ActionKind(name)}.Call().Name
	}
	var found []string
	for _, kind := range script.ActionKinds {
		if t := a.Tools[kind]; t != nil && (t.Name == name || t.hookName() == name) {
			found = append(found, script.Action{Kind: kind}.Call().Name)
		}
	}
	if len(found) > 0 && name == a.Tools[script.DoShell].hookName() || len(found) > 0 &&
		name == a.Tools[script.DoShell].Name {
		return "run_shell_command" // reading and searching with commands also runs commands
	}
	if len(found) == 1 {
		return found[0]
	}
	return name
}
