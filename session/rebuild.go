package session

import (
	"strings"

	"minigem/llm"
	"minigem/transcript"
)

// How a history is rebuilt from a file (cli/utils/sessionUtils.ts):
//  - records of neither user nor model are left out, and so is the preamble: a
//    new one replaces it;
//  - a model message has its exact parts if they are recorded, else its text and
//    the calls of its record;
//  - each call is answered once, right after the message that made it: by the
//    user's record with the result, else by the result in the model's record,
//    else by one recorded while the batch ran, else as one that may have run;
//  - results that answer no open call are left out: Gemini CLI writes them twice
//    when it resumes.

// NoResult is the error that the model gets for a call that the session's end cut off.
// The file does not say whether the call had begun.
const NoResult = "no result: the session ended before this call was finished, and it may have run; check before you " +
	"repeat it"

// rebuilder makes a history of records, one after the other. The fields after finished
// are about the last message of the model with calls.
type rebuilder struct {
	out      []entry
	finished map[string]map[string]transcript.ToolCall // results by message, by call
	open     *transcript.Message                       // the last model message with calls
	calls    []llm.ToolCall                            // its calls
	results  map[string]llm.ToolResult                 // results so far
	others   []llm.Part                                // other parts of the records with results
	id       string                                    // id of the record with results
}

// rebuild returns the history that the file holds, without the preamble.
func rebuild(f *transcript.File) []entry {
	b := rebuilder{finished: map[string]map[string]transcript.ToolCall{}}
	for _, c := range f.Finished {
		if b.finished[c.ID] == nil {
			b.finished[c.ID] = map[string]transcript.ToolCall{}
		}
		b.finished[c.ID][c.Call.ID] = c.Call
	}
	for i, m := range f.Messages {
		switch {
		case m.Type == transcript.TypeGemini:
			b.model(m)
		case m.Type == transcript.TypeUser && !excluded(f.Messages, i):
			b.user(m)
		}
	}
	b.close()
	return b.out
}

// excluded reports whether a user's record was never sent, or will be sent
// anew.
func excluded(ms []transcript.Message, i int) bool {
	m := ms[i]
	if m.ID == transcript.PreambleID {
		return true
	}
	text := llm.PartsText(m.Content.Parts)
	if strings.HasPrefix(text, "<session_context>") {
		return true
	}
	// Gemini CLI's older files contain its slash commands; one that has an
	// answer was a prompt.
	answered := i+1 < len(ms) && ms[i+1].Type == transcript.TypeGemini
	return !answered && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, "?"))
}

// model adds a record of the model, once the calls of the one before it are answered. A
// record without parts adds nothing.
func (b *rebuilder) model(m transcript.Message) {
	b.close()
	parts := m.Exact
	if parts == nil {
		parts = partsOf(m)
	}
	if len(parts) == 0 {
		return
	}
	b.out = append(b.out, entry{m.ID, llm.Message{Role: llm.RoleModel, Parts: parts}})
	if b.calls = llm.PartsCalls(parts); len(b.calls) > 0 {
		b.open, b.results, b.others, b.id = &m, map[string]llm.ToolResult{}, nil, ""
	}
}

// partsOf returns the text of a record and its calls, each once, without
// thoughts.
func partsOf(m transcript.Message) []llm.Part {
	var parts []llm.Part
	known := map[string]bool{}
	for _, p := range m.Content.Parts {
		switch p := p.(type) {
		case llm.Thought:
			continue
		case llm.ToolCall:
			known[p.ID] = true
		}
		parts = append(parts, p)
	}
	for _, c := range m.ToolCalls {
		if !known[c.ID] {
			parts = append(parts, llm.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args})
		}
	}
	return parts
}

// user adds a record of the user: results go to the open calls, anything else closes
// them.
func (b *rebuilder) user(m transcript.Message) {
	var others []llm.Part
	results := false
	for _, p := range m.Content.Parts {
		r, ok := p.(llm.ToolResult)
		if !ok {
			others = append(others, p)
			continue
		}
		results = true
		if _, known := b.results[r.ID]; b.asked(r.ID) && !known {
			b.results[r.ID] = r
			b.id = m.ID
		}
	}
	switch {
	case b.open != nil && results:
		b.others = append(b.others, others...)
		if len(b.results) == len(b.calls) {
			b.close()
		}
	case len(others) > 0:
		b.close()
		b.out = append(b.out, entry{m.ID, llm.Message{Role: llm.RoleUser, Parts: others}})
	}
}

// asked reports whether id is one of the open calls.
func (b *rebuilder) asked(id string) bool {
	for _, c := range b.calls {
		if b.open != nil && c.ID == id {
			return true
		}
	}
	return false
}

// close answers the open calls, in their order.
func (b *rebuilder) close() {
	if b.open == nil {
		return
	}
	var parts []llm.Part
	for _, c := range b.calls {
		parts = append(parts, b.result(c))
	}
	b.out = append(b.out, entry{b.id, llm.Message{Role: llm.RoleUser, Parts: append(parts, b.others...)}})
	b.open, b.calls, b.results = nil, nil, nil
}

// result returns the answer to an open call from the best of its records.
func (b *rebuilder) result(c llm.ToolCall) llm.ToolResult {
	if r, ok := b.results[c.ID]; ok {
		return r
	}
	recorded := b.open.ToolCalls
	if f, ok := b.finished[b.open.ID][c.ID]; ok {
		recorded = append(recorded[:len(recorded):len(recorded)], f)
	}
	for _, t := range recorded {
		if t.ID != c.ID {
			continue
		}
		for _, r := range llm.PartsResults(t.Result.Decode()) {
			r.ID, r.Name = c.ID, c.Name
			return r
		}
	}
	return llm.ToolResult{ID: c.ID, Name: c.Name, Response: map[string]any{"error": NoResult}}
}

// isConversation reports whether the user or the model said m. Otherwise it is context
// that minigem added.
func isConversation(m llm.Message) bool {
	if m.Role == llm.RoleModel {
		return true
	}
	text := strings.TrimSpace(m.Text())
	for _, tag := range []string{"session_context", "hook_context"} {
		if strings.HasPrefix(text, "<"+tag+">") && strings.HasSuffix(text, "</"+tag+">") {
			return false
		}
	}
	return len(m.Parts) > 0
}
