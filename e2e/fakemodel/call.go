package fakemodel

import (
	"slices"
	"strings"

	"minigem/llm"
	"minigem/tools"
)

// offered is the tool of that name in a request.
func offered(all []Tool, name string) (Tool, bool) {
	i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return all[i], true
}

// custom reports whether the tool's argument is free text.
func (t Tool) custom() bool { return t.Kind == kindCustom }

const (
	kindFunction = "function"
	kindCustom   = "custom"
)

// inputOf is the text of a call of a custom tool.
func inputOf(c llm.ToolCall) string {
	text, _ := c.Args["input"].(string) // checkCall has said so
	return text
}

// checkCall says where a call of the script does not fit what the request
// offers: an agent does not run it then, and a test of it proves nothing.
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

// names lists tools for people.
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
