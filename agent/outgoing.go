package agent

import (
	"slices"

	"minigem/llm"
)

// outgoing caches the history in the form of a request: messages that were
// normalized once are not normalized again in later rounds, so a round costs
// the same after ten thousand others. The zero outgoing is empty.
//
// The history may be split before a message of the model that follows one of
// the user: no rule of normalize reaches across that boundary.
type outgoing struct {
	from  []llm.Message // the history that out was made from
	out   []llm.Message // normalize(from), with notes
	noted int           // number of notes in out
	built int           // how often out was rebuilt

	sent struct { // forModel of the beginning of out
		messages []llm.Message
		signed   bool
		built    int
	}
}

// of returns normalize(history) with notes added to the prompts they belong to.
// ok is false if one of those prompts is missing. The result must not be
// changed.
func (o *outgoing) of(history []llm.Message, notes []note) (messages []llm.Message, ok bool) {
	if !llm.Extends(history, o.from) || !o.continues(history[len(o.from):]) {
		*o = outgoing{built: o.built + 1}
	}
	fresh, noted := withNotes(history[len(o.from):], notes)
	o.noted += noted
	o.from = history
	o.out = append(o.out, normalize(fresh)...)
	if o.noted != len(notes) {
		o.forget()
		return nil, false
	}
	return slices.Clip(o.out), true
}

// forget empties the cache. built stays, so that what was sent before is not taken for
// the beginning of what follows.
func (o *outgoing) forget() { *o = outgoing{built: o.built} }

// continues reports whether fresh may be normalized apart from the messages
// before it.
func (o *outgoing) continues(fresh []llm.Message) bool {
	if len(o.from) == 0 || len(fresh) == 0 {
		return true
	}
	fresh = strip(fresh[:1])
	return len(fresh) == 1 && fresh[0].Role == llm.RoleModel &&
		len(strip(o.from[len(o.from)-1:])) == 1 && o.from[len(o.from)-1].Role == llm.RoleUser &&
		len(o.out) > 0 && o.out[len(o.out)-1].Role == llm.RoleUser
}

// withNotes returns messages with each note added to its prompt, and how many
// notes were added.
func withNotes(messages []llm.Message, notes []note) ([]llm.Message, int) {
	noted := 0
	for _, n := range notes {
		for i, m := range messages {
			if len(m.Parts) > 0 && llm.Identical(m, n.prompt) {
				if noted++; noted == 1 {
					messages = slices.Clone(messages)
				}
				messages[i] = withNote(m, n)
				break
			}
		}
	}
	return messages, noted
}

// withNote returns m with the note after its parts. It does not change m's own.
func withNote(m llm.Message, n note) llm.Message {
	m.Parts = append(slices.Clone(m.Parts), llm.Text{Text: n.context})
	return m
}

// forModel returns forModel(model, normalize(messages)). Messages that this
// outgoing made are not processed again.
func (o *outgoing) forModel(model string, messages []llm.Message) []llm.Message {
	if len(messages) == 0 || len(messages) != len(o.out) || &messages[0] != &o.out[0] {
		return forModel(model, normalize(messages)) // a hook changed them
	}
	s := &o.sent
	fresh := messages[min(len(s.messages), len(messages)):]
	if s.built != o.built || s.signed != wantsSignatures(model) || s.signed && slices.ContainsFunc(fresh, isPrompt) {
		s.messages, s.signed, s.built = nil, wantsSignatures(model), o.built
		fresh = messages
	}
	s.messages = append(s.messages, forModel(model, fresh)...)
	return slices.Clip(s.messages)
}
