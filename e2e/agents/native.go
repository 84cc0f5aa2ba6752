package agents

import (
	"time"

	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/llm"
	"minigem/llm/script"
)

// Native converts a portable hook to the agent's terms: its event, and the tools it is for
// if the agent has no matchers. If the agent has no equivalent, the error is a
// testbed.CannotError.
func (a *Adapter) Native(p testbed.Portable) (h hooks.Hook, event string, tools []string, err error) {
	n, err := a.portable(p)
	timeout := time.Duration(a.timeout(n.timeout)) // as the agent rounds it
	if a.Hooks.Unit == "ms" || a.Hooks.SecondsBelow > 0 && timeout >= 1000 {
		timeout *= time.Millisecond
	} else {
		timeout *= time.Second
	}
	return hooks.Hook{Name: n.name, Command: n.command, Matcher: n.matcher, Timeout: timeout,
		Source: hooks.Source{Layer: hooks.LayerProject, File: n.file}}, n.event, n.tools, err
}

// ToolName returns minigem's name for a tool of the agent.
func (a *Adapter) ToolName(name string) string { return a.toolName(name) }

// A NativeCall is the call that the agent's model would make for an action.
type NativeCall struct {
	Call llm.ToolCall
	Hook string         // the tool's name in hooks
	Seen map[string]any // the arguments as hooks see them
	// Command is the shell command, if the agent uses one for the action.
	Command string
}

// NativeCall returns the call for an action.
func (a *Adapter) NativeCall(act script.Action, workspace string) (NativeCall, error) {
	c, err := a.call(act, workspace)
	if err != nil {
		return NativeCall{}, cannot("%v", err)
	}
	t := a.Tools[act.Kind]
	n := NativeCall{Call: c, Hook: t.hookName(), Seen: c.Args}
	if t.Command {
		n.Command, _ = c.Args[a.commandArg()].(string)
		n.Hook = a.Tools[script.DoShell].hookName()
		act = script.Action{Kind: script.DoShell, Command: n.Command}
		t = a.Tools[script.DoShell]
	}
	if t.Seen != nil {
		n.Seen = a.filled(t.Seen, act, workspace)
	}
	return n, nil
}

// commandArg returns the name of the shell tool's argument for the command.
func (a *Adapter) commandArg() string {
	for key, v := range a.Tools[script.DoShell].Args {
		if v == "{COMMAND}" {
			return key
		}
	}
	return ""
}

// Action returns the action that a call of the agent's own tool performs.
func (a *Adapter) Action(c llm.ToolCall) (script.Action, bool) {
	for _, kind := range script.ActionKinds {
		t := a.Tools[kind]
		if t == nil || t.Name != c.Name || t.Command {
			continue
		}
		act := script.Action{Kind: kind}
		all, any := true, false
		for key, v := range t.Args {
			name, _ := v.(string)
			if into := places(&act)[name]; into != nil {
				value, ok := c.Args[key].(string)
				*into, all, any = value, all && ok, true
			}
		}
		if all && any {
			return act, true
		}
	}
	return script.Action{}, false
}

// Args converts the arguments that the agent's hooks read and return to minigem's
// arguments for an action.
func (a *Adapter) Args(kind script.ActionKind, seen map[string]any) map[string]any {
	args := map[string]any{}
	for key, name := range a.names(kind) {
		given := seen[key]
		if many, ok := given.([]any); ok && len(many) == 1 { // a list with one element
			given = many[0]
		}
		if given != nil {
			args[name] = given
		}
	}
	return args
}

// names returns minigem's names of the arguments that hooks see of an action.
func (a *Adapter) names(kind script.ActionKind) map[string]string {
	out := map[string]string{}
	for key, v := range a.Tools[kind].seen() {
		if list, ok := v.([]any); ok && len(list) == 1 {
			v = list[0]
		}
		for name, place := range ours(kind).Args {
			if v == place {
				out[key] = name
			}
		}
	}
	return out
}

// ours returns minigem's call for an action, with the placeholders of adapters in it.
func ours(kind script.ActionKind) llm.ToolCall {
	return script.Action{Kind: kind, Command: "{COMMAND}", Path: "{PATH}", Text: "{TEXT}", Old: "{OLD}", New: "{NEW}",
		Pattern: "{PATTERN}"}.Call()
}

// places returns the fields of an action by the placeholders of adapters.
func places(act *script.Action) map[string]*string {
	return map[string]*string{"{COMMAND}": &act.Command, "{PATH}": &act.Path, "{TEXT}": &act.Text, "{OLD}": &act.Old,
		"{NEW}": &act.New, "{PATTERN}": &act.Pattern}
}
