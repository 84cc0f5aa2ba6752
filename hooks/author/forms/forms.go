// Package forms writes a hook into the configuration of an agent, in the form
// that the agent wants. What stands there stays.
package forms

import "minigem/hooks/jsonc"

// Entry is a hook in an agent's own words.
type Entry struct {
	Event   string
	Matcher string // empty: all tools
	Command string
	Timeout int // in the agent's unit; 0: none is set
}

// Nested adds a hook in the form of Claude Code and Gemini CLI:
// {"hooks": {EVENT: [{"matcher", "hooks": [{...}]}]}}.
func Nested(doc *jsonc.Doc, e Entry) error {
	entry := map[string]any{"type": "command", "command": e.Command}
	if e.Timeout > 0 {
		entry["timeout"] = e.Timeout
	}
	group := map[string]any{"hooks": []any{entry}}
	if e.Matcher != "" {
		group["matcher"] = e.Matcher
	}
	return doc.Append(group, "hooks", e.Event)
}

// Flat adds a hook in the form of Copilot CLI: {"version": 1, "hooks": {EVENT:
// [{"bash", "matcher", "timeoutSec"}]}}.
func Flat(doc *jsonc.Doc, e Entry) error {
	if err := doc.Set(1, "version"); err != nil {
		return err
	}
	entry := map[string]any{"type": "command", "bash": e.Command}
	if e.Timeout > 0 {
		entry["timeoutSec"] = e.Timeout
	}
	if e.Matcher != "" {
		entry["matcher"] = e.Matcher
	}
	return doc.Append(entry, "hooks", e.Event)
}
