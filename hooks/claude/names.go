// Package claude moves the hooks of Claude Code's settings into a project's
// settings for Gemini CLI and minigem. It computes; reading and writing the
// files is for its callers. How the moved hooks are then spoken to is
// hooks/protocol's matter: they carry "dialect": "claude" for that.
package claude

import (
	"maps"
	"slices"

	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// moreEvents and moreTools are names of Claude Code that hooks/protocol does
// not need, since no hook ever reads them.
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

// Event is what Claude Code's event is called here; empty if it has no
// counterpart.
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

// meant is the event of Claude Code's that a misspelt name means; empty if none is near.
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

// Tool is what Claude Code's tool is called here; empty if it has no
// counterpart.
func Tool(name string) string {
	for ours, theirs := range protocol.Claude().Tools {
		if theirs == name {
			return ours
		}
	}
	return moreTools[name]
}
