package agents

import (
	"slices"

	"github.com/tidwall/gjson"
)

// HasField reports whether payloads of a point have the field at path, a list of names
// such as "tool_input", "command". known is false if no payload of that point was
// recorded, or if the path leads into a value that was not.
func (a *Agent) HasField(p Point, path []string) (has, known bool) {
	event, ok := a.Event(p)
	if !ok || a.Play == nil || len(path) == 0 {
		return false, false
	}
	template := gjson.Parse(string(a.Play.Payloads[event.Native]))
	if !template.IsObject() {
		return false, false
	}
	for i, name := range path {
		next := template.Get(gjson.Escape(name))
		switch {
		case !next.Exists():
			return false, true
		case next.Type == gjson.String && i+1 < len(path): // its fields are the fields of a call or a result
			if next.String() != "{input}" {
				return false, false
			}
			return a.hasArgument(path[i+1]), true
		}
		template = next
	}
	return true, true
}

// hasArgument reports whether some tool of the agent has an argument of that name.
func (a *Agent) hasArgument(name string) bool {
	return slices.ContainsFunc(a.Tools, func(t Tool) bool {
		for _, theirs := range t.Args {
			if theirs == name {
				return true
			}
		}
		return false
	})
}
