package listing

import (
	"encoding/json"

	"minigem/tools/builtin"
)

// ToolSchemas returns the JSON Schemas of the built-in tools' arguments, by tool name.
func ToolSchemas() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, spec := range builtin.Specs() {
		all[spec.Name] = spec.Parameters
	}
	return all
}
