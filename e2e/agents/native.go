package agents

import (
	"minigem/e2e/testbed"
	"minigem/llm"
	"minigem/llm/script"
)

// NativeHook is a hook in an agent's own words.
type NativeHook struct {
	Event   string
	Name    string
	Command string
	Matcher string
	Tools   []string // that it is about, for agents without matchers; nil: all
	Seconds float64  // its time-out, as the agent rounds it; 0: that of the agent
}

// Native is a hook of the portable section as the agent has it. Where the agent
// has no such thing the error is a testbed.CannotError.
func (a *Adapter) Native(p testbed.Portable) (NativeHook, error) {
	h, err := a.portable(p)
	n := NativeHook{Event: h.event, Name: h.name, Command: h.command, Matcher: h.matcher, Tools: h.tools,
		Seconds: float64(a.timeout(h.timeout))}
	if a.Hooks.Unit == "ms" || a.Hooks.SecondsBelow > 0 && n.Seconds >= 1000 {
		n.Seconds /= 1000
	}
	return n, err
}

// ToolName is minigem's name for a tool of the agent.
func (a *Adapter) ToolName(name string) string { return a.toolName(name) }

// A NativeCall is an action as a model of the agent calls for it.
type NativeCall struct {
	Call llm.ToolCall
	Hook string         // the tool's name in hooks
	Seen map[string]any // the arguments that hooks read
	// Command: the action is a command of a shell there.
	Command string
}

// NativeCall is the call of an action.
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

// commandArg is the argument of the shell tool that is the command.
func (a *Adapter) commandArg() string {
	for key, v := range a.Tools[script.DoShell].Args {
		if v == "{COMMAND}" {
			return key
		}
	}
	return ""
}

// Action is the action that a call of an agent's own tool stands for.
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

// ActionOf is the action that a call of minigem's own tools stands for.
func ActionOf(c llm.ToolCall) (script.Action, bool) { return actionOf(c) }

// SeenOf are the arguments that hooks read of an action.
func (a *Adapter) SeenOf(act script.Action, workspace string) map[string]any {
	return a.filled(a.Tools[act.Kind].seen(), act, workspace)
}

// Args are minigem's arguments of an action, from those that hooks of the agent
// read and give.
func (a *Adapter) Args(kind script.ActionKind, seen map[string]any) map[string]any {
	names := map[string]string{
		"{COMMAND}": "command", "{PATH}": "file_path", "{TEXT}": "content", "{OLD}": "old_string", "{NEW}": "new_string",
		"{PATTERN}": "pattern",
	}
	args := map[string]any{}
	for key, v := range a.Tools[kind].seen() {
		given := seen[key]
		if list, ok := v.([]any); ok && len(list) == 1 { // one in a list
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
