// Package claude moves the hooks of Claude Code's settings and plugins into a project's
// settings for Gemini CLI and minigem.
//
//	sources, err := claude.Sources(dir, "") // .claude/settings.json and its local file
//	r, err := claude.Migrate(claude.File{Name: claude.Target, Data: data}, sources...)
//	fmt.Print(r.Diff) // and r.Remarks: what was lost or differs
//	added, err := claude.Write(target, sources)
//
// [Migrate] only computes. Moved hooks have "dialect": "claude"; hooks/protocol and
// hooks/agents translate payloads and answers for them.
package claude

import (
	"maps"
	"slices"

	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// moreEvents and moreTools are names of Claude Code that hooks/protocol does not need,
// because no hook reads them in a payload.
var (
	moreEvents = map[string]protocol.Event{
		"SessionStart": protocol.SessionStart,
		"SessionEnd":   protocol.SessionEnd,
		"Notification": protocol.Notification,
	}
	moreTools = map[string]string{
		"Agent":           "invoke_agent",
		"AskUserQuestion": "ask_user",
		"BashOutput":      "read_background_output",
		"MultiEdit":       "replace",
		"Skill":           "activate_skill",
	}
)

// Event returns our name of Claude Code's event; empty if there is no counterpart. Events
// that minigem took over under the same name are known too.
func Event(name string) protocol.Event {
	if ev := protocol.Event(name); ev.IsAdded() {
		return ev
	}
	for ours, theirs := range protocol.Claude().Events {
		if theirs == name {
			return ours
		}
	}
	return moreEvents[name]
}

// meant returns Claude Code's event that a misspelled name means; empty if none is
// similar.
func meant(name string) string {
	names := slices.Collect(maps.Values(protocol.Claude().Events))
	names = slices.AppendSeq(names, maps.Keys(moreEvents))
	for _, event := range protocol.Events {
		if event.IsAdded() {
			names = append(names, string(event))
		}
	}
	slices.Sort(names)
	return text.Nearest(name, names)
}

// Tool returns our name of Claude Code's tool; empty if there is no counterpart.
func Tool(name string) string {
	for ours, theirs := range protocol.Claude().Tools {
		if theirs == name {
			return ours
		}
	}
	return moreTools[name]
}
