// Package portable lets one hook, written in one dialect, be the hook of every
// agent: it recognizes who runs it, reads what that agent says as Gemini CLI
// would say it, and answers in the words that this agent obeys. Serve is the
// main function of a hook in Go; minigem hooks run --portable does the same for
// a script in any language.
//
// A refusal refuses on every agent. What an agent's hooks cannot say falls to
// the safe side: where a hook cannot ask, or cannot change the arguments of a
// call, the call is refused. What is lost is said on stderr.
package portable

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"minigem/hooks/agents"
	"minigem/hooks/protocol"
)

// Options say what a payload does not.
type Options struct {
	Agent string              // an id of hooks/agents; empty: recognize it
	Event string              // the event as the agent calls it; empty: the payload says it
	Env   func(string) string // looks up a variable; nil: there are none
}

// Call is one event of an agent, read so that a hook in Gemini CLI's dialect can
// judge it.
type Call struct {
	Agent  *agents.Agent
	Native string         // the agent's name of the event
	Event  protocol.Event // Gemini CLI's; empty: it has no such event
	Raw    []byte         // what the agent said

	point  agents.Point
	fields map[string]any
	parts  []part
	result any // the tool's, as the agent has it
}

// part is one thing that the event is about. A call can be about several: the
// files of a patch, a list of commands. Each is judged by itself.
type part struct {
	tool string
	args map[string]any
	// back makes the agent's arguments of changed ones; nil: they cannot be
	// changed.
	back func(args map[string]any) map[string]any
}

// Read reads what an agent says to a hook.
func Read(payload []byte, o Options) (*Call, error) {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	fields := map[string]any{}
	if err := json.Unmarshal(payload, &fields); err != nil {
		return nil, fmt.Errorf("standard input is not a JSON object (%d bytes): %w", len(payload), err)
	}
	c := &Call{Raw: payload, fields: fields, Native: o.Event}
	if c.Native == "" {
		c.Native = nativeEvent(fields)
	}
	if o.Agent != "" {
		a, err := agents.Find(o.Agent)
		if err != nil {
			return nil, err
		}
		c.Agent = a
	} else if c.Agent = recognize(fields, c.Native, o.Env); c.Agent == nil {
		return nil, fmt.Errorf("no agent that is known speaks like this (event %q): say which with --for", c.Native)
	}
	c.point = c.Agent.PointOf(c.Native)
	c.Event = eventAt(c.point)
	c.read()
	return c, nil
}

// eventAt is Gemini CLI's event of a point. A tool that failed is one that has
// run.
func eventAt(p agents.Point) protocol.Event {
	if p == agents.ToolFailed {
		return protocol.AfterTool
	}
	gemini, err := agents.Find("gemini")
	if err != nil || p == "" {
		return ""
	}
	e, _ := gemini.Event(p)
	return protocol.Event(e.Native)
}

// Payloads are what hooks in a dialect read: one for each thing that the call is
// about. An agent that speaks the dialect itself, and an event that the dialect
// does not have, are passed on as they are.
func (c *Call) Payloads(d *protocol.Dialect) [][]byte {
	if c.Agent.ID == d.Name || c.Event == "" {
		return [][]byte{c.Raw}
	}
	var out [][]byte
	for _, p := range c.parts {
		fields := maps.Clone(c.fields)
		if p.tool != "" {
			fields["tool_name"], fields["tool_input"] = p.tool, p.args
		}
		data, err := inOrder(fields)
		if err != nil {
			return [][]byte{c.Raw} // unreachable: it came from JSON
		}
		out = append(out, d.Translate(c.Event, data))
	}
	return out
}

// order is that of Gemini CLI's fields: scripts that look for text rely on it.
var order = []string{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp", "source", "prompt",
	"prompt_response", "tool_name", "tool_input", "tool_response"}

// inOrder writes fields in that order; others follow them, and what the
// agent itself said is last.
func inOrder(fields map[string]any) ([]byte, error) {
	names := slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !has(fields, name) })
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(order, name) && name != "agent" {
			names = append(names, name)
		}
	}
	out := []byte{'{'}
	for _, name := range append(names, "agent") {
		key, err1 := protocol.Encode(name)
		value, err2 := protocol.Encode(fields[name])
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

// Holds reports whether the event holds something back until its hooks have
// answered: a call, a prompt, a request. A refusal elsewhere would begin
// something, such as another round.
func (c *Call) Holds() bool {
	return slices.Contains([]protocol.Event{protocol.BeforeTool, protocol.BeforeAgent, protocol.BeforeModel}, c.Event)
}

// Tool is Gemini CLI's name of the tool in the payload at i; empty: none.
func (c *Call) Tool(i int) string {
	if i >= len(c.parts) {
		return ""
	}
	return c.parts[i].tool
}

// baseNames are Gemini CLI's names for fields that others call otherwise.
var baseNames = map[string]string{
	"sessionId": "session_id", "taskId": "session_id", "transcriptPath": "transcript_path", "toolName": "tool_name",
	"toolArgs": "tool_input", "initialPrompt": "initial_prompt", "last_assistant_message": "prompt_response",
}

// read makes the fields those of Gemini CLI. Fields of which it knows nothing
// stay, and what the agent itself called things stands in "agent".
func (c *Call) read() {
	f := c.fields
	for theirs, ours := range baseNames {
		if v, ok := f[theirs]; ok && !has(f, ours) {
			f[ours] = v
		}
	}
	if c.Agent.ID == "cline" {
		readClineFields(f)
	}
	for _, key := range []string{"session_id", "transcript_path", "cwd"} {
		if !has(f, key) {
			f[key] = ""
		}
	}
	switch t := f["timestamp"].(type) {
	case float64:
		f["timestamp"] = time.UnixMilli(int64(t)).UTC().Format(protocol.TimeLayout)
	case nil:
		f["timestamp"] = time.Now().UTC().Format(protocol.TimeLayout)
	}
	own := map[string]any{"id": c.Agent.ID, "event": c.Native}
	if tool, ok := f["tool_name"].(string); ok {
		own["tool_name"], own["tool_input"] = tool, f["tool_input"]
	}
	f["agent"] = own
	if c.Event != "" {
		f["hook_event_name"] = string(c.Event)
	}
	c.readEvent()
}

// readClineFields: a tool's call and its result have objects of their own there.
func readClineFields(f map[string]any) {
	if roots, ok := f["workspaceRoots"].([]any); ok && len(roots) > 0 && !has(f, "cwd") {
		f["cwd"] = roots[0]
	}
	for _, key := range []string{"tool_call", "tool_result"} {
		if o := object(f, key); o != nil {
			f["tool_name"], f["tool_input"] = o["name"], o["input"]
		}
	}
	if turn := object(f, "turn"); turn != nil {
		f["prompt_response"] = turn["outputText"]
	}
}

// readEvent is what differs between events.
func (c *Call) readEvent() {
	f := c.fields
	c.parts = []part{{}}
	missing := func(key string, v any) {
		if !has(f, key) || f[key] == nil {
			f[key] = v
		}
	}
	switch c.Event {
	case protocol.SessionStart:
		if s := str(f, "source"); s == "new" || s == "" {
			f["source"] = "startup"
		}
	case protocol.SessionEnd:
		missing("reason", "other")
	case protocol.BeforeAgent:
		f["prompt"] = words(f["prompt"])
	case protocol.AfterAgent:
		missing("prompt", "")
		missing("prompt_response", "")
		missing("stop_hook_active", false)
	case protocol.PreCompress:
		missing("trigger", "auto")
	case protocol.Notification:
		missing("notification_type", "ToolPermission")
		missing("message", "")
		missing("details", map[string]any{})
	case protocol.BeforeTool, protocol.AfterTool:
		c.parts = c.tools(str(f, "tool_name"), object(f, "tool_input"))
		if c.Event == protocol.AfterTool {
			c.result = f["tool_response"]
			f["tool_response"] = c.response()
		}
	}
}

// Dir is the working directory that the agent says; empty: none.
func (c *Call) Dir() string { return str(c.fields, "cwd") }
