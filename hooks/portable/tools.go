package portable

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"minigem/hooks/agents"
)

// tools returns the calls that Gemini CLI would make for a call by the agent.
func (c *Call) tools(name string, args map[string]any) []part {
	switch {
	case c.Agent.ID == "gemini":
		return []part{{name, args, func(m map[string]any) map[string]any { return m }}}
	case name == "apply_patch":
		return c.patched(args)
	}
	if server, tool, ok := mcpName(name); ok {
		c.fields["mcp_context"] = map[string]any{"server_name": server, "tool_name": tool}
		return []part{{"mcp_" + server + "_" + tool, args, func(m map[string]any) map[string]any { return m }}}
	}
	tool, ok := c.toolOf(name, args)
	if !ok {
		return []part{{name, args, func(m map[string]any) map[string]any { return m }}}
	}
	ours := renamed(args, tool)
	list, key := listArg(args, tool)
	if key == "" {
		return []part{{ourName(tool.Action), ours, func(m map[string]any) map[string]any { return restored(args, m, tool) }}}
	}
	var parts []part
	for _, item := range list {
		one := maps.Clone(ours)
		one[key] = scalarOf(item)
		p := part{tool: ourName(tool.Action), args: one}
		if len(list) == 1 {
			p.back = func(m map[string]any) map[string]any {
				out := restored(args, m, tool)
				out[tool.Args[key]] = []any{likeItem(item, out[tool.Args[key]])}
				return out
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// mcpName splits the name of an MCP server's tool in the form mcp__server__tool.
func mcpName(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "__")
}

// toolOf returns the agent's tool. If one tool has several actions, the arguments decide.
func (c *Call) toolOf(name string, args map[string]any) (agents.Tool, bool) {
	var found []agents.Tool
	for _, t := range c.Agent.Tools {
		if t.Hook == name || t.Call == name || slices.Contains(c.Agent.Matcher.Aliases[t.Hook], name) {
			found = append(found, t)
		}
	}
	for _, t := range found {
		if old := t.Args["old_string"]; old != "" && args[old] != nil {
			return t, true
		}
	}
	if len(found) == 0 {
		return agents.Tool{}, false
	}
	return found[0], true
}

// ourName returns Gemini CLI's tool of an action.
func ourName(action string) string {
	gemini, err := agents.Find("gemini")
	if err != nil {
		return action // unreachable: it is in the table
	}
	t, ok := gemini.Tool(action)
	if !ok {
		return action
	}
	return t.Hook
}

// renamed returns the arguments under Gemini CLI's names.
func renamed(args map[string]any, t agents.Tool) map[string]any {
	out := maps.Clone(args)
	if out == nil {
		out = map[string]any{}
	}
	for ours, theirs := range t.Args {
		if v, ok := args[theirs]; ok && ours != theirs {
			delete(out, theirs)
			out[ours] = v
		}
	}
	return out
}

// restored reverses renamed: it returns the agent's arguments, changed as ours were.
func restored(theirs, ours map[string]any, t agents.Tool) map[string]any {
	out := map[string]any{}
	for key, v := range ours {
		if name, ok := t.Args[key]; ok {
			key = name
		}
		out[key] = v
	}
	return out
}

// listArg returns an argument that is a list there and a single value here: commands or
// files.
func listArg(args map[string]any, t agents.Tool) (list []any, ours string) {
	for ours, theirs := range t.Args {
		if list, ok := args[theirs].([]any); ok && (ours == "command" || ours == "file_path") && len(list) > 0 {
			return list, ours
		}
	}
	return nil, ""
}

// scalarOf returns the value of a list's item: a text, or the path of an object.
func scalarOf(item any) any {
	if o, ok := item.(map[string]any); ok && has(o, "path") {
		return o["path"]
	}
	return item
}

// likeItem returns value in the form of a list's item: a text, or an object with a path.
func likeItem(item, value any) any {
	if o, ok := item.(map[string]any); ok && has(o, "path") {
		out := maps.Clone(o)
		out["path"] = value
		return out
	}
	return value
}

// patched returns one call for each file of a patch.
func (c *Call) patched(args map[string]any) []part {
	text := str(args, "command")
	if text == "" {
		text = str(args, "patch")
	}
	var parts []part
	for _, change := range readPatch(text) {
		p := part{tool: ourName("write"), args: map[string]any{"file_path": change.path, "content": change.content}}
		if change.changes {
			p = part{tool: ourName("edit"), args: map[string]any{"file_path": change.path, "old_string": change.before,
				"new_string": change.after}}
		}
		parts = append(parts, p)
	}
	return parts
}

// response returns a tool's result in Gemini CLI's form.
func (c *Call) response() map[string]any {
	f := c.fields
	if r := object(f, "tool_response"); r != nil && has(r, "llmContent") {
		return r
	}
	var text string
	for _, key := range []string{"tool_response", "tool_output", "toolResult", "tool_result"} {
		if v, ok := f[key]; ok && v != nil {
			text = resultText(v)
			break
		}
	}
	out := map[string]any{"llmContent": text, "returnDisplay": text}
	failed := f["error"]
	if after := object(f, "postToolUse"); after != nil && after["success"] == false {
		failed = text
	}
	if failed != nil {
		message := resultText(failed)
		out["error"] = map[string]any{"message": message, "type": "tool_failed"}
		if text == "" {
			out["llmContent"], out["returnDisplay"] = message, message
		}
	}
	return out
}

// resultText returns a result as text.
func resultText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, item := range v {
			texts = append(texts, resultText(item))
		}
		return strings.Join(texts, "\n")
	case map[string]any:
		if out, ok := v["stdout"].(string); ok {
			return strings.TrimSuffix(out+"\n"+str(v, "stderr"), "\n")
		}
		for _, key := range []string{"textResultForLlm", "text_result_for_llm", "output", "result", "message", "text"} {
			if inner, ok := v[key]; ok && inner != nil {
				return resultText(inner)
			}
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "" // unreachable: it came from JSON
	}
	return string(data)
}

// words returns the text of a prompt, which is a text or a list of parts.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, item := range v {
			if o, ok := item.(map[string]any); ok {
				texts = append(texts, str(o, "text"))
			}
		}
		return strings.Join(texts, "")
	}
	return ""
}
