package session

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"minigem/agent/event"
	"minigem/llm"
	"minigem/transcript"
)

// Emit implements [event.Sink]. RoundFinished gives tokens, model and thoughts to the
// model message that is appended next; ToolFinished records the result of a call before
// the others of its message have theirs. Other events do nothing.
func (s *Session) Emit(e event.Event) {
	s.mu.Lock()
	defer s.unlock()
	switch e := e.(type) {
	case event.RoundFinished:
		s.next = &roundInfo{e}
	case event.ToolFinished:
		s.finished(e.Record)
	}
}

// roundInfo is what the file records about a model message in addition to its parts.
type roundInfo struct{ event.RoundFinished }

// describe adds model, thoughts and tokens to the record of a message; nil adds nothing.
func (a *roundInfo) describe(r *transcript.Message, now transcript.Time) {
	if a == nil {
		return
	}
	r.Model = a.Model
	for _, t := range a.Thoughts {
		r.Thoughts = append(r.Thoughts, transcript.Thought{Subject: t.Subject, Description: t.Description, Timestamp: now})
	}
	if u := a.Usage; u != nil {
		r.Tokens = &transcript.Tokens{
			Input: u.Prompt, Output: u.Candidates, Cached: u.Cached,
			Thoughts: u.Thoughts, Tool: u.ToolUse, Total: u.Total,
		}
	}
}

// openCalls is a model message whose calls are not all answered yet.
type openCalls struct {
	record transcript.Message
	calls  []llm.ToolCall
	byID   map[string]llm.ToolCall
	done   map[string]transcript.ToolCall
}

// newOpenCalls returns nil if the message has no calls.
func newOpenCalls(r transcript.Message, calls []llm.ToolCall) *openCalls {
	if len(calls) == 0 {
		return nil
	}
	o := &openCalls{record: r, calls: calls, byID: map[string]llm.ToolCall{}, done: map[string]transcript.ToolCall{}}
	for _, c := range slices.Backward(calls) { // of two with one ID the first
		o.byID[c.ID] = c
	}
	return o
}

// has reports whether id is one of the calls, answered or not; nil has none.
func (o *openCalls) has(id string) bool {
	if o == nil {
		return false
	}
	_, ok := o.byID[id]
	return ok
}

// withCalls returns the record with the answered calls.
func (o *openCalls) withCalls() transcript.Message {
	r := o.record
	r.ToolCalls = nil
	for _, c := range o.calls {
		if d, ok := o.done[c.ID]; ok {
			r.ToolCalls = append(r.ToolCalls, d)
		}
	}
	return r
}

// complete adds results from m, the message with all results, for calls without
// a ToolFinished event, and returns all calls.
func (o *openCalls) complete(m llm.Message, now transcript.Time) []transcript.ToolCall {
	if o == nil {
		return nil
	}
	for _, p := range m.Parts {
		r, ok := p.(llm.ToolResult)
		if _, known := o.done[r.ID]; !ok || known || !o.has(r.ID) {
			continue
		}
		status := event.ToolSuccess
		if _, failed := r.Response["error"]; failed {
			status = event.ToolError
		}
		o.done[r.ID] = transcript.ToolCall{
			ID: r.ID, Name: r.Name, Args: argsOf(o.byID[r.ID].Args), Result: transcript.MakeParts(r),
			Status: string(status), Timestamp: now, DisplayName: r.Name,
		}
	}
	return o.withCalls().ToolCalls
}

// argsOf returns args for the file: an object, never null.
func argsOf(args map[string]any) map[string]any {
	if args == nil {
		return map[string]any{}
	}
	return args
}

// finished records one result. The last one of a message writes the whole
// message, each other one only itself, so that a batch is not written again and
// again.
func (s *Session) finished(r event.ToolRecord) {
	if !s.open.has(r.Call.ID) {
		return
	}
	c := callRecord(r)
	s.open.done[c.ID] = c
	if len(s.open.done) < len(s.open.calls) {
		s.write(transcript.Finished{ID: s.open.record.ID, Call: c})
		return
	}
	s.write(s.open.withCalls())
	s.open = nil
}

// settle returns the record of the last model message with the results of m,
// for calls whose event did not come.
func (s *Session) settle(m llm.Message, now transcript.Time) []transcript.Record {
	if s.open == nil {
		return nil
	}
	open := s.open
	s.open = nil
	if len(open.complete(m, now)) == 0 {
		return nil
	}
	return []transcript.Record{open.withCalls()}
}

// callRecord returns what the file holds of a finished call.
func callRecord(r event.ToolRecord) transcript.ToolCall {
	return transcript.ToolCall{
		ID: r.Call.ID, Name: r.Call.Name, Args: argsOf(r.Args),
		Result: transcript.MakeParts(r.Result), Status: string(r.Status), Timestamp: transcript.At(r.Finished),
		ResultDisplay: displayOf(r.Display), Description: r.Description, DisplayName: r.DisplayName, Markdown: r.Markdown,
	}
}

// displayOf makes sure that a tool's display can be encoded. It stays as it is:
// of an edit it holds whole files, and each form of it is a copy of them.
func displayOf(display any) any {
	if err := json.NewEncoder(io.Discard).Encode(display); err != nil {
		return fmt.Sprint(display)
	}
	return display
}

// userRecord returns what the file holds of a message of the user, which includes
// results of tools.
func userRecord(id string, now transcript.Time, m llm.Message) transcript.Message {
	return transcript.Message{ID: id, Timestamp: now, Type: transcript.TypeUser, Content: transcript.Content{
		Parts: m.Parts}}
}

// modelRecord returns what the file holds of a model's message without its calls: the
// text, trimmed, as Gemini CLI writes it.
func modelRecord(id string, now transcript.Time, m llm.Message) transcript.Message {
	return transcript.Message{
		ID: id, Timestamp: now, Type: transcript.TypeGemini, Thoughts: []transcript.Thought{},
		Content: transcript.Content{Parts: []llm.Part{llm.Text{Text: strings.TrimSpace(m.Text())}}, Plain: true},
	}
}

// plain reports whether the model's record holds all of m.
func plain(m llm.Message) bool {
	if len(m.Parts) != 1 {
		return len(m.Parts) == 0
	}
	t, ok := m.Parts[0].(llm.Text)
	return ok && t.Signature == nil && t.Text == strings.TrimSpace(t.Text)
}
