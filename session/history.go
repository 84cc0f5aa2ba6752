package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"minigem/llm"
	"minigem/transcript"
)

// Messages returns the history, oldest first, with the preamble. The caller must not
// change it; the session never does, so it stays as it is. It can be called after the
// end of the session, too.
func (s *Session) Messages() []llm.Message {
	s.mu.Lock()
	defer s.unlock()
	return slices.Clip(s.messages)
}

// Preamble returns how many messages at the start of the history describe the
// surroundings and are not conversation: 1 or 0. It serves as agent.Config.Preamble.
func (s *Session) Preamble() int {
	s.mu.Lock()
	defer s.unlock()
	if len(s.entries) > 0 && s.entries[0].id == transcript.PreambleID {
		return 1
	}
	return 0
}

// Append adds m. It is in the file when Append returns. The records are those of Gemini
// CLI, in its order: the message, then the time of the change; for results first the
// message that called the tools, with calls and results. A model message with calls is
// followed by their exact form, because Gemini CLI's own record has them only once they
// are answered. If writing fails, Options.Warn is called and the message is in the
// history all the same.
func (s *Session) Append(m llm.Message) {
	s.mu.Lock()
	defer s.unlock()
	now := transcript.At(s.o.Now())
	id := s.o.NewID()
	s.push(entry{id, m})
	if m.Role == llm.RoleModel {
		s.appendModel(id, now, m)
		return
	}
	records := s.settle(m, now)
	s.write(append(records, userRecord(id, now, m), transcript.Set{LastUpdated: now})...)
}

// appendModel writes a message of the model, and remembers its calls until they are
// answered.
func (s *Session) appendModel(id string, now transcript.Time, m llm.Message) {
	r := modelRecord(id, now, m)
	s.next.describe(&r, now)
	s.next = nil
	s.open = newOpenCalls(r, m.Calls())
	records := []transcript.Record{r}
	if !plain(m) {
		records = append(records, transcript.Exact{ID: id, Parts: m.Parts})
	}
	s.write(append(records, transcript.Set{LastUpdated: now})...)
}

// push adds e in memory. Slices that Messages returned keep their length, so they do
// not see it.
func (s *Session) push(e entry) {
	s.entries = append(s.entries, e)
	s.messages = append(s.messages, e.message)
}

// Rollback drops all but the first n messages, in the file by a record that says so. It
// panics if there are fewer.
func (s *Session) Rollback(n int) {
	s.mu.Lock()
	defer s.unlock()
	if n > len(s.entries) {
		panic(fmt.Sprintf("rolling back %d messages to %d", len(s.entries), n))
	}
	dropped := s.entries[n:]
	s.next, s.open = nil, nil
	// A message without a record is derived from the one before it, so the file
	// is cut at the first message with a record.
	if i := slices.IndexFunc(dropped, func(e entry) bool { return e.id != "" }); i >= 0 {
		s.write(transcript.Rewind{To: dropped[i].id}, transcript.Set{LastUpdated: transcript.At(s.o.Now())})
	}
	// Clipped, so that slices that Messages returned are not overwritten.
	s.entries, s.messages = slices.Clip(s.entries[:n]), slices.Clip(s.messages[:n])
}

// RollbackTo drops the message whose record has the id, and all after it. If a
// compression replaced that message, what was said before it comes back. It reports
// false, and changes nothing, if there is no such message. Ids are those of
// [transcript.Message].
func (s *Session) RollbackTo(id string) bool {
	s.mu.Lock()
	n := slices.IndexFunc(s.entries, func(e entry) bool { return e.id == id && id != "" })
	s.mu.Unlock()
	if n < 0 {
		return s.rollbackBefore(id)
	}
	s.Rollback(n)
	return true
}

// rollbackBefore is RollbackTo for a message that a compression replaced.
func (s *Session) rollbackBefore(id string) bool {
	f, err := s.Transcript()
	if err != nil || id == "" {
		return false
	}
	for _, ms := range slices.Backward(Compressed(f)) {
		n := slices.IndexFunc(ms, func(m transcript.Message) bool { return m.ID == id })
		if n < 0 {
			continue
		}
		kept := slices.Clip(s.Messages()[:s.Preamble()])
		for _, e := range rebuild(&transcript.File{Messages: ms[:n], Finished: f.Finished}) {
			kept = append(kept, e.message)
		}
		s.Replace(kept)
		return true
	}
	return false
}

// Compressed returns the lists of messages that compressions replaced on the way to the
// present one, oldest first, each as it was then. Messages that a user went back from
// are not among them. The lists are read from the file again; they are empty if it is
// gone. Compressions are recognized by the summary that the list begins with,
// "<state_snapshot>".
func Compressed(f *transcript.File) [][]transcript.Message {
	var before [][]transcript.Message
	known := map[string][][]transcript.Message{} // by summary
	lists := append(f.Replaced(), f.Messages)
	for i, ms := range lists {
		summary := summaryIn(ms)
		was, seen := known[summary]
		switch {
		case summary == "" || i == 0:
			before = nil
		case seen:
			before = was
		default:
			before = append(slices.Clip(before), lists[i-1])
		}
		known[summary] = before
	}
	return before
}

// summaryIn returns the text of the summary that ms begins with; empty if there is no
// summary in ms.
func summaryIn(ms []transcript.Message) string {
	for _, m := range ms {
		if text := llm.PartsText(m.Content.Parts); m.Type == transcript.TypeUser &&
			strings.HasPrefix(strings.TrimSpace(text), "<state_snapshot>") {
			return text
		}
	}
	return ""
}

// Transcript returns the current content of the session's file. If nothing is recorded
// it is made from the history, without the displays of tools. Errors are those of
// [transcript.Read]. The File is the caller's; it does not change when the session goes
// on.
func (s *Session) Transcript() (*transcript.File, error) {
	s.mu.Lock()
	path, entries := s.path(), slices.Clip(s.entries)
	s.mu.Unlock()
	if path != "" {
		return transcript.Read(path)
	}
	set, _ := snapshot(entries, transcript.At(s.o.Now()), nil)[0].(transcript.Set)
	return &transcript.File{Messages: set.Messages}, nil
}

// Replace replaces the whole history with ms, in the file by one record. Messages that
// ms shares with the old history keep their ids. It implements the History of compress.
// Calls that are still open are forgotten: their events are not recorded any more.
func (s *Session) Replace(ms []llm.Message) {
	s.mu.Lock()
	defer s.unlock()
	s.replace(ms)
}

// replace is Replace for a session that is locked.
func (s *Session) replace(ms []llm.Message) {
	now := transcript.At(s.o.Now())
	old := s.entries
	if records, ok := rewritten(old, ms, now); ok {
		s.entries, s.messages, s.next, s.open = nil, nil, nil, nil
		for i, m := range ms {
			s.push(entry{old[i].id, m})
		}
		s.write(append(records, transcript.Set{LastUpdated: now})...)
		return
	}
	s.entries, s.messages, s.next, s.open = nil, nil, nil, nil
	for _, e := range s.withIDs(old, ms) {
		s.push(e)
	}
	s.write(snapshot(s.entries, now, s.recordedCalls())...)
}

// recordedCalls returns the calls of the history as the file has them, by id. They
// contain more than the history: what tools displayed, and when.
func (s *Session) recordedCalls() map[string]transcript.ToolCall {
	if s.w == nil {
		return nil
	}
	wanted, calls := map[string]bool{}, map[string]transcript.ToolCall{}
	for _, e := range s.entries {
		for _, c := range e.message.Calls() {
			wanted[c.ID] = true
		}
	}
	_, _ = transcript.Scan(s.w.Path(), func(m transcript.Message) string { // else the calls of the history must do
		for _, c := range m.ToolCalls {
			if wanted[c.ID] {
				calls[c.ID] = c
			}
		}
		return ""
	})
	return calls
}

// rewritten returns records that turn old into ms if only contents of user
// messages differ, as when old outputs are cut: each such message is written
// again under its id. ok is false if anything else differs.
func rewritten(old []entry, ms []llm.Message, now transcript.Time) (records []transcript.Record, ok bool) {
	if len(old) != len(ms) {
		return nil, false
	}
	for i, e := range old {
		switch {
		case llm.Identical(e.message, ms[i]):
		case e.message.Role != llm.RoleUser || ms[i].Role != llm.RoleUser || e.id == "" || !sameAnswers(e.message, ms[i]):
			return nil, false
		default:
			records = append(records, userRecord(e.id, now, ms[i]))
		}
	}
	return records, true
}

// sameAnswers reports whether both messages answer the same calls with the same
// number of parts.
func sameAnswers(a, b llm.Message) bool {
	return slices.EqualFunc(a.Parts, b.Parts, func(p, q llm.Part) bool {
		r, ok := p.(llm.ToolResult)
		other, also := q.(llm.ToolResult)
		return ok && also && r.ID == other.ID
	})
}

// snapshot returns the records of a whole history: the list, then the exact
// parts of the model's messages. known holds calls with more detail than the
// history.
func snapshot(entries []entry, now transcript.Time, known map[string]transcript.ToolCall) []transcript.Record {
	set := transcript.Set{Messages: []transcript.Message{}, LastUpdated: now}
	var exact []transcript.Record
	for i, e := range entries {
		if e.message.Role == llm.RoleUser {
			set.Messages = append(set.Messages, userRecord(e.id, now, e.message))
			continue
		}
		r := modelRecord(e.id, now, e.message)
		if i+1 < len(entries) {
			r.ToolCalls = newOpenCalls(r, e.message.Calls()).complete(entries[i+1].message, now)
		}
		for j, c := range r.ToolCalls {
			if k, ok := known[c.ID]; ok && k.Name == c.Name {
				k.Result = c.Result // it may have been cut since it was recorded
				r.ToolCalls[j] = k
			}
		}
		set.Messages = append(set.Messages, r)
		if !plain(e.message) {
			exact = append(exact, transcript.Exact{ID: e.id, Parts: e.message.Parts})
		}
	}
	return append([]transcript.Record{set}, exact...)
}

// withIDs gives ms the ids that old has for its common head and tail, and new
// ids between.
func (s *Session) withIDs(old []entry, ms []llm.Message) []entry {
	out := make([]entry, len(ms))
	for i, m := range ms {
		out[i].message = m
	}
	same := func(i, j int) bool { return reflect.DeepEqual(old[j].message, ms[i]) }
	head := 0
	for head < min(len(old), len(ms)) && same(head, head) {
		out[head].id = old[head].id
		head++
	}
	for i, j := len(ms)-1, len(old)-1; i >= head && j >= head && same(i, j); i, j = i-1, j-1 {
		out[i].id = old[j].id
	}
	for i := range out {
		if out[i].id == "" {
			out[i].id = s.o.NewID()
		}
	}
	return out
}
