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

// selection holds what the hooks of one event say about tools, the project's hooks apart
// from the others. nil means nothing.
type selection struct {
	project, others *protocol.ToolConfig
	// echoed is what others gave back unchanged. It may come from the project's hooks.
	echoed *protocol.ToolConfig
}

// and returns s with the answer of one more hook, whose request was read. A nil answer
// adds nothing.
func (s selection) and(c *protocol.ToolConfig, read *ModelRequest, a *answer) selection {
	echo := c != nil && sameToolConfig(c, hookToolConfig(read.Choice))
	if c != nil && !echo {
		a.note("selects tools: %s", encode(c))
	}
	switch project := a.run.Hook.Source.OfProject(); {
	case c == nil || echo && project:
	case project:
		if read.held != nil && c.Mode != "" && strength(c.Mode) < strength(read.held.Mode) {
			a.note("cannot take back %s, which was set by a hook from outside the project", read.held.Mode)
		}
		s.project = unite(s.project, c)
	case echo:
		s.echoed = unite(s.echoed, c)
	default:
		s.others = unite(s.others, c)
	}
	return s
}

// held returns what the others say. What they give back unchanged restricts too, but adds
// nothing to their own lists.
func (s selection) held() *protocol.ToolConfig {
	if s.others == nil || s.echoed == nil {
		return unite(s.others, s.echoed)
	}
	c := protocol.ToolConfig{Mode: stronger(s.others.Mode, s.echoed.Mode),
		AllowedFunctionNames: s.others.AllowedFunctionNames}
	if len(c.AllowedFunctionNames) == 0 {
		c.AllowedFunctionNames = s.echoed.AllowedFunctionNames
	}
	return &c
}

// whole returns what all hooks say together, or nil if they say nothing. The project's
// hooks cannot take back a restriction by others: of two lists, what both contain is
// left.
func (s selection) whole() *protocol.ToolConfig {
	held := s.held()
	c := unite(held, s.project)
	if held == nil || s.project == nil || len(held.AllowedFunctionNames) == 0 || len(s.project.AllowedFunctionNames) == 0 {
		return c
	}
	c.AllowedFunctionNames = slices.DeleteFunc(slices.Clone(held.AllowedFunctionNames), func(n string) bool {
		return !slices.Contains(s.project.AllowedFunctionNames, n)
	})
	if len(c.AllowedFunctionNames) == 0 {
		c.Mode = string(llm.ToolModeNone)
	}
	return c
}

// unite merges what two hooks say: NONE wins, then ANY; lists are united. A
// list that allows everything adds nothing to one that does not.
func unite(a, b *protocol.ToolConfig) *protocol.ToolConfig {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := protocol.ToolConfig{Mode: stronger(a.Mode, b.Mode)}
	out.AllowedFunctionNames = slices.Clone(a.AllowedFunctionNames)
	for _, n := range b.AllowedFunctionNames {
		if !slices.Contains(out.AllowedFunctionNames, n) {
			out.AllowedFunctionNames = append(out.AllowedFunctionNames, n)
		}
	}
	return &out
}

// stronger returns the mode that restricts more.
func stronger(a, b string) string {
	if strength(b) > strength(a) {
		return b
	}
	return a
}

// strength orders modes by how much they restrict the model; -1 for unknown ones.
func strength(mode string) int {
	return slices.Index([]string{"", "AUTO", "ANY", "NONE"}, mode)
}

// narrow returns r, which was made from base, with base's tools restricted and forced as
// the hooks asked, or r itself if they asked nothing. Tools that are not allowed are not
// even declared, so that the restriction holds in AUTO mode too. AUTO takes back an ANY
// or NONE of base, but the project's AUTO does not take back one by other hooks.
func (s selection) narrow(base, r *ModelRequest) *ModelRequest {
	c := s.whole()
	if s.project == nil && s.others == nil {
		return r
	}
	mode := c.Mode
	if held := s.held(); base.held != nil && (held == nil || held.Mode == "") {
		mode = stronger(mode, base.held.Mode)
	}
	if mode == "" {
		mode = string(base.Choice.Mode)
	}
	next := r.Request
	next.Choice, next.Tools = llm.ToolChoice{Mode: llm.ToolMode(mode)}, base.selectable()
	allowed := c.AllowedFunctionNames
	switch {
	case mode == string(llm.ToolModeNone):
		return r.Next(next)
	case len(allowed) == 0:
		allowed = base.Choice.Allowed
	default:
		next.Tools = only(next.Tools, allowed)
	}
	if mode == string(llm.ToolModeAny) && len(allowed) > 0 {
		next.Choice.Allowed = slices.Sorted(slices.Values(allowed))
	}
	return r.Next(next)
}

// selectable returns the tools that hooks can select. A NONE that BeforeToolSelection may
// take back leaves all of them declared.
func (r *ModelRequest) selectable() []llm.ToolSpec {
	if r.held == nil {
		return r.Tools
	}
	return only(r.Tools, r.held.AllowedFunctionNames)
}

// only returns the specs with the given names, or all if there are no names.
func only(specs []llm.ToolSpec, names []string) []llm.ToolSpec {
	if len(names) == 0 {
		return specs
	}
	var out []llm.ToolSpec
	for _, t := range specs {
		if slices.Contains(names, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// warnEchoedTools warns a hook that changed the list of tools, which has no effect.
func warnEchoedTools(req *ModelRequest, tools []string, a *answer) {
	if tools != nil && !slices.Equal(tools, toolNames(req.Tools)) {
		a.warn("llm_request.tools ignored (%s): narrow tools with toolConfig", strings.Join(tools, ", "))
	}
}
