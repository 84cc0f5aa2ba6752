package fakemodel

import (
	"slices"
	"strings"

	"minigem/llm"
	"minigem/tools"
)

// offered returns the tool of that name from a request.
func offered(all []Tool, name string) (Tool, bool) {
	i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return all[i], true
}

// custom reports whether the tool's argument is plain text.
func (t Tool) custom() bool { return t.Kind == kindCustom }

const (
	kindFunction = "function"
	kindCustom   = "custom"
)

// inputOf returns the text of a call of a custom tool.
func inputOf(c llm.ToolCall) string {
	text, _ := c.Args["input"].(string) // checkCall reports it
	return text
}

// checkCall reports where a call of the script does not match the tools of the request. An
// agent would reject the call, and a test of it would prove nothing.
func (x *exchange) checkCall(c llm.ToolCall) {
	t, ok := offered(x.rec.Tools, c.Name)
	switch {
	case !ok && len(x.rec.Tools) == 0:
		x.problem("the script calls %s, but the request offers no tools", c.Name)
	case !ok:
		x.problem("the script calls %s, which the request does not offer: it offers %s", c.Name, names(x.rec.Tools))
	case t.custom():
		if _, ok := c.Args["input"].(string); !ok || len(c.Args) != 1 {
			x.problem(`the script's call of %s needs one argument, {"input": TEXT}: it takes free text`, c.Name)
		}
	case t.Schema != nil:
		s, err := tools.ParseSchema(t.Schema)
		if err != nil {
			x.problem("the schema of %s cannot be read: %v", c.Name, err)
		} else if err := s.Check(c.Args); err != nil {
			x.problem("the script's call of %s does not fit the schema that the request has for it: %v", c.Name, err)
		}
	}
}

// names lists the names of tools in a message.
func names(all []Tool) string {
	var out []string
	for _, t := range all {
		name := t.Name
		if name == "" {
			name = t.Kind
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}
