package agent

import (
	"slices"
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
	open      []byte // the text that goes on, which stands after parts
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
		a.join(p)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
}

// join adds a part: texts without a signature become one, thoughts are left out.
// A text is put together once, however many pieces it comes in.
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

// said is all parts so far.
func (a *reply) said() []llm.Part {
	if len(a.open) == 0 {
		return a.parts
	}
	return append(slices.Clip(a.parts), llm.Text{Text: string(a.open)})
}

func (a *reply) refuse(ev string, v hooks.Verdict) {
	a.refused = ev
	a.end = &Result{Ending: Blocked, Reason: v.Reason}
	if v.Decision == hooks.Stop {
		a.end.Ending = Stopped
	}
}

func (a *reply) message() llm.Message { return llm.Message{Role: llm.RoleModel, Parts: a.said()} }

func (a *reply) text() string { return llm.PartsText(a.said()) }

func thought(text string) event.ThoughtDelta {
	before, rest, found := strings.Cut(text, "**")
	subject, after, closed := strings.Cut(rest, "**")
	if !found || !closed {
		return event.ThoughtDelta{Description: strings.TrimSpace(text)}
	}
	return event.ThoughtDelta{Subject: strings.TrimSpace(subject), Description: strings.TrimSpace(before + after)}
}
