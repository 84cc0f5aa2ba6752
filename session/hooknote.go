package session

import (
	"minigem/hooks"
	"minigem/hooks/protocol"
)

// HookNote is what the session's file records of a hook event that had an effect.
type HookNote struct {
	Hook struct {
		Event   protocol.Event `json:"event"`
		Subject string         `json:"subject,omitempty"`
		Agent   string         `json:"agent,omitempty"` // set for a subagent
		Ran     []string       `json:"ran"`
		Effect  string         `json:"effect"`
		Reason  string         `json:"reason,omitempty"`
		Millis  int64          `json:"ms"`
	} `json:"hook"`
}

// NoteHook records in s what hooks did at an event. s may be nil.
func NoteHook(s *Session, rep hooks.Report) {
	if s == nil || rep.Late {
		return
	}
	var n HookNote
	for _, run := range rep.Runs {
		if run.Ran() {
			n.Hook.Ran = append(n.Hook.Ran, run.Hook.ID())
		}
	}
	if n.Hook.Ran == nil {
		return
	}
	n.Hook.Agent = rep.Agent.Type
	n.Hook.Event, n.Hook.Subject, n.Hook.Effect = rep.Event, rep.Subject, rep.Effect.Kind
	n.Hook.Reason, n.Hook.Millis = rep.Verdict.Reason, rep.Duration.Milliseconds()
	s.Note(n)
}
