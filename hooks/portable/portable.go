// Package portable lets one hook, written in one dialect, serve every agent: it
// recognizes which agent runs it, reads the payload as Gemini CLI would send it, and
// answers in the form that this agent obeys.
//
// [Serve] is the main function of a hook in Go:
//
//	func main() {
//		portable.Serve(func(in protocol.BeforeToolInput) protocol.Output {
//			if in.ToolInput["file_path"] == ".env" {
//				return protocol.DenyBecause("secrets stay as they are")
//			}
//			return protocol.Output{}
//		})
//	}
//
// [Read], [Call.Payloads] and [Call.Answer] are its parts; "minigem hooks run --portable"
// uses them for a script in any language.
//
// A refusal refuses on every agent. What an agent's hooks cannot express falls to the
// safe side: if a hook cannot ask, or cannot change the arguments of a call, the call is
// refused. What is lost is reported on stderr. The agents' names and rules are left to
// hooks/agents.
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

// Options add what a payload does not say. The zero Options recognize the agent by the
// payload alone.
type Options struct {
	// Agent is an id of hooks/agents; empty recognizes the agent.
	Agent string
	// Event is the event as the agent calls it; empty takes it from the payload.
	Event string
	// Env looks up an environment variable, like [os.Getenv]; nil means that there are
	// none. Variables help to recognize an agent, after what the payload says.
	Env func(string) string
}

// Call is one event of an agent, read so that a hook in Gemini CLI's dialect can judge
// it. [Read] makes it. It is not safe for concurrent use.
type Call struct {
	// Agent is the agent that runs the hook; never nil.
	Agent *agents.Agent
	// Native is the agent's name of the event.
	Native string
	// Event is Gemini CLI's event; empty if it has no such event. Then hooks get Raw, and
	// no answer is expected.
	Event protocol.Event
	// Raw is the payload as it was read.
	Raw []byte

	point  agents.Point
	fields map[string]any
	parts  []part
	result any // the tool's, as the agent has it
}

// part is one thing that the event is about. A call can be about several, such as the
// files of a patch or a list of commands. Each is judged separately.
type part struct {
	tool string
	args map[string]any
	// back turns changed arguments into the agent's; nil means that they cannot be
	// changed.
	back func(args map[string]any) map[string]any
}

// Read reads an agent's payload. It fails if the payload is not a JSON object, if o.Agent
// has no table (see [agents.Find]), or if no known agent sends such payloads. A guard
// must refuse then; see [agents.Refusal].
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
		return nil, fmt.Errorf("no known agent sends this (event %q): name the agent with --for", c.Native)
	}
	c.point = c.Agent.PointOf(c.Native)
	c.Event = eventAt(c.point)
	c.read()
	return c, nil
}

// eventAt returns Gemini CLI's event of a point. A tool that failed counts as one that
// has run.
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

// Payloads returns what hooks in dialect d read: one payload for each thing that the call
// is about, such as each file of a patch. There is always at least one. If the agent
// itself uses the dialect, or if the event is not in it, the only payload is Raw. In
// addition to Gemini CLI's fields, a payload has "agent": its id and its own names of the
// event, the tool and the arguments.
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

// order is the order of Gemini CLI's fields. Scripts that search for text rely on it.
var order = []string{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp", "source", "prompt",
	"prompt_response", "tool_name", "tool_input", "tool_response"}

// inOrder writes fields in that order; others follow, and "agent" is last.
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

// Holds reports whether something waits until the event's hooks have answered: a call, a
// prompt or a request. Only there may a failed guard refuse. A refusal at another event
// would start something, such as another round.
func (c *Call) Holds() bool {
	return slices.Contains([]protocol.Event{protocol.BeforeTool, protocol.BeforeAgent, protocol.BeforeModel}, c.Event)
}

// Tool returns Gemini CLI's name of the tool in the payload at index i; empty if the
// event is not about a tool.
func (c *Call) Tool(i int) string {
	if i >= len(c.parts) {
		return ""
	}
	return c.parts[i].tool
}

// baseNames maps other agents' names of fields to Gemini CLI's.
var baseNames = map[string]string{
	"sessionId": "session_id", "taskId": "session_id", "transcriptPath": "transcript_path", "toolName": "tool_name",
	"toolArgs": "tool_input", "initialPrompt": "initial_prompt", "last_assistant_message": "prompt_response",
}

// read renames the fields to Gemini CLI's. Unknown fields stay, and the agent's own names
// go into "agent".
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

// readClineFields flattens the objects in which Cline CLI has a call and its result.
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

// readEvent reads the fields that differ between events.
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

// Dir returns the working directory in the payload; empty if it has none.
func (c *Call) Dir() string { return str(c.fields, "cwd") }
