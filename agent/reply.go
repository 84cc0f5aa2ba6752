package agent

import (
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// reply is what of an answer has passed the hooks.
type reply struct {
	started   time.Time
	model     string
	request   llm.Request // that it answers, as hooks left it
	parts     []llm.Part
	thoughts  []event.ThoughtDelta
	usage     *llm.Usage
	finish    string
	brokeOff  bool // the stream had no finish reason
	synthetic bool
	chanting  bool
	refused   string  // the event whose hook ended the turn
	end       *Result // how it ended it
}

func (a *reply) add(c llm.Chunk) {
	for _, p := range c.Parts {
		a.parts = join(a.parts, p)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
}

func (a *reply) refuse(ev string, v hooks.Verdict) {
	a.refused = ev
	a.end = &Result{Ending: Blocked, Reason: v.Reason}
	if v.Decision == hooks.Stop {
		a.end.Ending = Stopped
	}
}

func (a *reply) message() llm.Message { return llm.Message{Role: llm.RoleModel, Parts: a.parts} }

func (a *reply) text() string { return llm.PartsText(a.parts) }

func thought(text string) event.ThoughtDelta {
	before, rest, found := strings.Cut(text, "**")
	subject, after, closed := strings.Cut(rest, "**")
	if !found || !closed {
		return event.ThoughtDelta{Description: strings.TrimSpace(text)}
	}
	return event.ThoughtDelta{Subject: strings.TrimSpace(subject), Description: strings.TrimSpace(before + after)}
}
