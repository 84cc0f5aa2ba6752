package agents

import (
	"minigem/e2e/testbed"
	"minigem/llm"
	"minigem/llm/script"
)

// NativeHook is a hook in an agent's own terms.
type NativeHook struct {
	Event   string
	Name    string
	Command string
	Matcher string
	Tools   []string // the tools it is for, if the agent has no matchers; nil for all
	Seconds float64  // its timeout, as the agent rounds it; 0 for the agent's default
}

// Native converts a portable hook to the agent's terms. If the agent has no equivalent,
// the error is a testbed.CannotError.
func (a *Adapter) Native(p testbed.Portable) (NativeHook, error) {
	h, err := a.portable(p)
	n := NativeHook{Event: h.event, Name: h.name, Command: h.command, Matcher: h.matcher, Tools: h.tools,
		Seconds: float64(a.timeout(h.timeout))}
	if a.Hooks.Unit == "ms" || a.Hooks.SecondsBelow > 0 && n.Seconds >= 1000 {
		n.Seconds /= 1000
	}
	return n, err
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
		places := map[string]*string{
			"{COMMAND}": &act.Command, "{PATH}": &act.Path, "{TEXT}": &act.Text, "{OLD}": &act.Old, "{NEW}": &act.New,
			"{PATTERN}": &act.Pattern,
		}
		all, any := true, false
		for key, v := range t.Args {
			name, _ := v.(string)
			if into := places[name]; into != nil {
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

// SeenOf returns the arguments of an action as hooks see them.
func (a *Adapter) SeenOf(act script.Action, workspace string) map[string]any {
	return a.filled(a.Tools[act.Kind].seen(), act, workspace)
}

// Args converts the arguments that the agent's hooks read and return to minigem's
// arguments for an action.
func (a *Adapter) Args(kind script.ActionKind, seen map[string]any) map[string]any {
	names := map[string]string{
		"{COMMAND}": "command", "{PATH}": "file_path", "{TEXT}": "content", "{OLD}": "old_string", "{NEW}": "new_string",
		"{PATTERN}": "pattern",
	}
	args := map[string]any{}
	for key, v := range a.Tools[kind].seen() {
		given := seen[key]
		if list, ok := v.([]any); ok && len(list) == 1 { // a list with one element
			v = list[0]
			if many, ok := given.([]any); ok && len(many) == 1 {
				given = many[0]
			}
		}
		if name, _ := v.(string); names[name] != "" && given != nil {
			args[names[name]] = given
		}
	}
	return args
}
