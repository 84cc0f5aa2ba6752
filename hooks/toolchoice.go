package hooks

import (
	"slices"
	"strings"

	"minigem/hooks/protocol"
	"minigem/llm"
)

// checkTools drops the names that are not offered; nil stays nil.
func checkTools(offered []string, c *protocol.ToolConfig, a *answer) *protocol.ToolConfig {
	if c == nil {
		return nil
	}
	out := protocol.ToolConfig{Mode: c.Mode}
	for _, n := range c.AllowedFunctionNames {
		if slices.Contains(offered, n) {
			out.AllowedFunctionNames = append(out.AllowedFunctionNames, n)
		} else {
			a.warn("allowedFunctionNames: no tool %q is offered", n)
		}
	}
	if len(c.AllowedFunctionNames) > 0 && len(out.AllowedFunctionNames) == 0 {
		a.warn("allowedFunctionNames names no tool that is offered: no tool can be called")
		out.Mode = string(llm.ToolModeNone)
	}
	return &out
}

// unite merges what two hooks say: NONE wins, then ANY; lists are united. A
// list that allows everything adds nothing to one that does not.
func unite(a, b *protocol.ToolConfig) *protocol.ToolConfig {
	if a == nil {
		return b
	}
	out := protocol.ToolConfig{Mode: a.Mode}
	if strength(b.Mode) > strength(a.Mode) {
		out.Mode = b.Mode
	}
	out.AllowedFunctionNames = slices.Clone(a.AllowedFunctionNames)
	for _, n := range b.AllowedFunctionNames {
		if !slices.Contains(out.AllowedFunctionNames, n) {
			out.AllowedFunctionNames = append(out.AllowedFunctionNames, n)
		}
	}
	return &out
}

func strength(mode string) int {
	return slices.Index([]string{"", "AUTO", "ANY", "NONE"}, mode)
}

// narrow is req with its tools narrowed and forced as c says; req itself if c
// is nil. What is not allowed is not even declared, so that it holds in AUTO
// mode too. The mode AUTO alone takes back an earlier ANY or NONE.
func narrow(req *ModelRequest, c *protocol.ToolConfig) *ModelRequest {
	if c == nil {
		return req
	}
	r := req.Request
	r.Choice = llm.ToolChoice{Mode: llm.ToolMode(c.Mode)}
	if c.Mode == "" {
		r.Choice.Mode = req.Choice.Mode
	}
	allowed := c.AllowedFunctionNames
	if r.Choice.Mode == llm.ToolModeNone {
		return req.Next(r)
	}
	if len(allowed) == 0 {
		r.Choice.Allowed = req.Choice.Allowed
		return req.Next(r)
	}
	r.Tools = nil
	for _, t := range req.Tools {
		if slices.Contains(allowed, t.Name) {
			r.Tools = append(r.Tools, t)
		}
	}
	if r.Choice.Mode == llm.ToolModeAny {
		r.Choice.Allowed = slices.Sorted(slices.Values(allowed))
	}
	return req.Next(r)
}

// warnEchoedTools tells a hook that gave another list of tools that this is not
// the way.
func warnEchoedTools(req *ModelRequest, tools []string, a *answer) {
	if tools != nil && !slices.Equal(tools, toolNames(req.Tools)) {
		a.warn("llm_request.tools ignored (%s): narrow tools with toolConfig", strings.Join(tools, ", "))
	}
}
