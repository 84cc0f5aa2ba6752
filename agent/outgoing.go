package agent

import (
	"slices"

	"minigem/llm"
)

// outgoing is the history in the form of a request, kept from round to round:
// what was normalized once stays as it is when rounds are added, so that a round
// costs the same after ten thousand others. The zero outgoing has seen nothing.
//
// A history may be cut before a message of the model's that follows on one of
// the user's: nothing of what normalize does reaches across.
type outgoing struct {
	from  []llm.Message // the history when it was last looked at
	out   []llm.Message // normalize(from), with notes
	noted int           // notes in out
	built int           // how often out was begun anew

	sent struct { // forModel of out, as far as it has come
		messages []llm.Message
		signed   bool
		built    int
	}
}

// of returns history as normalize does, with notes added to the prompts that
// they belong to. ok is false if one of those prompts is not there. The result
// must not be changed.
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

func (o *outgoing) forget() { *o = outgoing{built: o.built} }

// continues reports whether fresh may be normalized apart from what was before.
func (o *outgoing) continues(fresh []llm.Message) bool {
	if len(o.from) == 0 || len(fresh) == 0 {
		return true
	}
	fresh = strip(fresh[:1])
	return len(fresh) == 1 && fresh[0].Role == llm.RoleModel &&
		len(strip(o.from[len(o.from)-1:])) == 1 && o.from[len(o.from)-1].Role == llm.RoleUser &&
		len(o.out) > 0 && o.out[len(o.out)-1].Role == llm.RoleUser
}

// withNotes returns messages with each note in the prompt that it belongs to,
// and how many of them have found their place.
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

func withNote(m llm.Message, n note) llm.Message {
	m.Parts = append(slices.Clone(m.Parts), llm.Text{Text: n.context})
	return m
}

// forModel is forModel(model, normalize(messages)), for which nothing is left
// to do where they are those of the last request.
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
