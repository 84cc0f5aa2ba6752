package agents

import (
	"slices"

	"github.com/tidwall/gjson"
)

// HasField reports whether what hooks read at a point has a field: a path of
// names. known is false where no payload of that point was recorded.
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
		case next.Type == gjson.String && i+1 < len(path): // its fields are those of a call or of a result
			if next.String() != "{input}" {
				return false, false
			}
			return a.hasArgument(path[i+1]), true
		}
		template = next
	}
	return true, true
}

// hasArgument reports whether hooks read an argument of that name with some tool.
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
