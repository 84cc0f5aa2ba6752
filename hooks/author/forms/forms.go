// Package forms adds a hook to the configuration of an agent, in the agent's form.
// Everything else in the file stays.
package forms

import "minigem/hooks/jsonc"

// Entry is a hook in an agent's own words.
type Entry struct {
	// Event is the agent's name of the event.
	Event string
	// Matcher is written as it is; empty means all tools.
	Matcher string
	// Command is a line for the shell.
	Command string
	// Timeout is in the agent's unit; 0 sets none.
	Timeout int
}

// Nested adds a hook to doc in the form of Claude Code and Gemini CLI: {"hooks": {EVENT:
// [{"matcher", "hooks": [{...}]}]}}. The error is that of [jsonc.Doc.Append].
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

// Flat adds a hook to doc in the form of Copilot CLI: {"version": 1, "hooks": {EVENT:
// [{"bash", "matcher", "timeoutSec"}]}}. The error is that of [jsonc.Doc.Set] or
// [jsonc.Doc.Append].
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
