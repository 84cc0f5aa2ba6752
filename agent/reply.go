package agent

import (
	"slices"
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
)

// reply is the part of an answer that has passed the hooks.
type reply struct {
	started   time.Time
	model     string
	request   llm.Request // the request that it answers, as hooks left it
	parts     []llm.Part
	open      []byte // text that follows parts and is still growing
	thoughts  []event.ThoughtDelta
	usage     *llm.Usage
	finish    string
	brokeOff  bool // the stream had no finish reason
	synthetic bool
	chanting  bool
	refused   string  // the event whose hook ended the turn
	end       *Result // the result of that
}

// add adds a chunk as the hooks left it.
func (a *reply) add(c llm.Chunk) {
	for _, p := range c.Parts {
		a.join(p)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
}

// join adds a part: texts without a signature are joined, thoughts left out.
// The pieces of a text are collected in open so that each is copied once.
func (a *reply) join(p llm.Part) {
	t, text := p.(llm.Text)
	if _, thought := p.(llm.Thought); thought || text && t.Text == "" && t.Signature == nil {
		return
	}
	if text && t.Signature == nil {
		a.open = append(a.open, t.Text...)
		return
	}
	if len(a.open) > 0 {
		a.parts, a.open = append(a.parts, llm.Text{Text: string(a.open)}), nil
	}
	a.parts = append(a.parts, p)
}

// allParts returns the parts so far, with the growing text.
func (a *reply) allParts() []llm.Part {
	if len(a.open) == 0 {
		return a.parts
	}
	return append(slices.Clip(a.parts), llm.Text{Text: string(a.open)})
}

// refuse ends the turn after the answer so far, because a hook of the event ev said so.
func (a *reply) refuse(ev string, v hooks.Verdict) {
	a.refused = ev
	a.end = &Result{Ending: Blocked, Reason: v.Reason}
	if v.Decision == hooks.Stop {
		a.end.Ending = Stopped
	}
}

// message returns the answer as the history gets it.
func (a *reply) message() llm.Message { return llm.Message{Role: llm.RoleModel, Parts: a.allParts()} }

// text returns the text so far, without thoughts.
func (a *reply) text() string { return llm.PartsText(a.allParts()) }

// thought splits the text of a thought into subject and description.
func thought(text string) event.ThoughtDelta {
	before, rest, found := strings.Cut(text, "**")
	subject, after, closed := strings.Cut(rest, "**")
	if !found || !closed {
		return event.ThoughtDelta{Description: strings.TrimSpace(text)}
	}
	return event.ThoughtDelta{Subject: strings.TrimSpace(subject), Description: strings.TrimSpace(before + after)}
}
