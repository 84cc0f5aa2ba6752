package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/tidwall/gjson"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/llm"
)

// ClaudeCopy copies a session's file into a second one, in the form of Claude Code's
// transcripts, for hooks that were written for those. Nothing is kept in between: while
// the session's file only grows, so does each copy.
type ClaudeCopy struct {
	// From is the session's file, and To the copy; its directory is made if it is
	// missing.
	From, To string
	// Session is the session's id.
	Session string
	// Cwd is the working directory that each line names.
	Cwd string
	// Tool returns the name and the arguments of a call in Claude Code's words; nil
	// leaves them as they are.
	Tool func(name string, args map[string]any) (string, map[string]any)
}

// Make replaces To by a copy of what From has now, without a line that is still being
// written. It is safe for concurrent use.
func (c ClaudeCopy) Make() error {
	err := os.MkdirAll(filepath.Dir(c.To), 0o700)
	data, reading := boundedfile.Read(c.From, boundedfile.Recorded)
	if err == nil && reading == nil {
		err = atomicfile.WriteText(c.To, c.converted(data), 0o600)
	}
	if err = cmp.Or(reading, err); err != nil {
		return fmt.Errorf("copying the session file for hooks of Claude Code: %w", err)
	}
	return nil
}

// converted returns the copy of a session's file with this content.
func (c ClaudeCopy) converted(data []byte) string {
	l := &claudeLines{ClaudeCopy: c, said: map[string]string{}}
	for line := range bytes.Lines(data) {
		if text := strings.TrimSpace(string(line)); line[len(line)-1] == '\n' && valid(text) {
			l.record(gjson.Parse(text))
		}
	}
	return l.out.String()
}

// claudeLines is a copy that is being made.
type claudeLines struct {
	ClaudeCopy
	said   map[string]string // the parent of each message and call that is in the copy
	parent string            // the id of the last line
	out    strings.Builder
}

// record converts one record of the session's file.
func (c *claudeLines) record(o gjson.Result) {
	switch {
	case o.Get("$rewindTo").Exists():
		if parent, ok := c.said[o.Get("$rewindTo").String()]; ok {
			c.parent = parent
		}
	case o.Get("$set.messages").IsArray():
		compacted := c.parent != ""
		for _, m := range o.Get("$set.messages").Array() {
			if m.IsObject() {
				c.message(decodeMessage(m.Raw), compacted)
			}
		}
	case o.Get("minigem.message.parts").IsArray():
		m := o.Get("minigem.message")
		for _, p := range decodeContent(m.Get("parts").Raw) {
			if call, ok := p.(llm.ToolCall); ok {
				c.call(m.Get("id").String(), Message{}, ToolCall{ID: call.ID, Name: call.Name, Args: call.Args})
			}
		}
	case o.Get("minigem.toolCall.call").IsObject():
		c.result(decodeCall(o.Get("minigem.toolCall.call").Raw))
	case o.Get("id").Exists() && o.Get("type").Exists():
		c.message(decodeMessage(o.Raw), false)
	}
}

// message writes the new parts of m. compacted says that m came with a list that
// replaced all messages. What was written before is not written again: a message that
// is replaced keeps its first text.
func (c *claudeLines) message(m Message, compacted bool) {
	if _, known := c.said[m.ID]; !known && m.ID != PreambleID {
		c.said[m.ID] = c.parent
		switch m.Type {
		case TypeUser:
			c.user(m, compacted)
		case TypeGemini:
			for i, t := range m.Thoughts {
				c.assistant(m, "thought"+strconv.Itoa(i),
					map[string]any{"type": "thinking", "thinking": strings.TrimSpace(t.Subject + "\n" + t.Description),
						"signature": ""})
			}
			if text := texts(m.Content.Parts); text != "" {
				c.assistant(m, "text", map[string]any{"type": "text", "text": text})
			}
		}
	}
	for _, call := range m.ToolCalls {
		c.call(m.ID, m, call)
		c.result(call)
	}
}

// user writes what the user said. Results of tools are written with their calls.
func (c *claudeLines) user(m Message, compacted bool) {
	if len(llm.PartsResults(m.Content.Parts)) > 0 {
		return
	}
	more := map[string]any{}
	if compacted {
		c.line("system", m.ID+"compacted", m.Timestamp,
			map[string]any{"subtype": "compact_boundary", "content": "Conversation compacted"})
		more["isCompactSummary"] = true
	}
	more["message"] = map[string]any{"role": "user", "content": texts(m.Content.Parts)}
	c.line("user", m.ID, m.Timestamp, more)
}

// assistant writes one block of a model's message: Claude Code has a line for each.
func (c *claudeLines) assistant(m Message, part string, block map[string]any) {
	usage := map[string]any{"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0,
		"cache_read_input_tokens": 0}
	if t := m.Tokens; t != nil {
		usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"] = max(t.Input-t.Cached, 0), t.Cached,
			t.Output+t.Thoughts
	}
	c.line("assistant", m.ID+part, m.Timestamp, map[string]any{"message": map[string]any{
		"id": "msg_" + m.ID, "type": "message", "role": "assistant", "model": m.Model, "content": []any{block},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
}

// call writes a call of the message with this id. m has the message's known fields.
func (c *claudeLines) call(id string, m Message, call ToolCall) {
	key := "call " + call.ID
	if _, known := c.said[key]; known {
		return
	}
	c.said[key] = c.parent
	name, args := call.Name, call.Args
	if c.Tool != nil {
		name, args = c.Tool(name, args)
	}
	if args == nil {
		args = map[string]any{}
	}
	m.ID = id
	c.assistant(m, key, map[string]any{"type": "tool_use", "id": llm.WireID(call.Name, call.ID), "name": name,
		"input": args})
}

// result writes the result of a call, once.
func (c *claudeLines) result(call ToolCall) {
	key := "result " + call.ID
	if _, known := c.said[key]; known {
		return
	}
	c.said[key] = c.parent
	c.line("user", key, call.Timestamp,
		map[string]any{"message": map[string]any{"role": "user", "content": []any{map[string]any{
			"tool_use_id": llm.WireID(call.Name, call.ID), "type": "tool_result", "content": resultText(call.Result.Decode()),
			"is_error": call.Status == "error" || call.Status == "cancelled",
		}}}})
}

// resultText returns the result of a tool as Claude Code has it, one text: the output
// or the error, or the whole response as JSON if it has neither.
func resultText(parts []llm.Part) string {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			out = append(out, p.Text)
		case llm.ToolResult:
			text, ok := p.Response["output"].(string)
			if failure, failed := p.Response["error"].(string); failed {
				text, ok = failure, true
			}
			if data, err := json.Marshal(p.Response); !ok && err == nil {
				text = string(data)
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// texts joins the texts of a message, a line each. Calls and results have lines of
// their own.
func texts(parts []llm.Part) string {
	var out []string
	for _, p := range parts {
		if t, ok := p.(llm.Text); ok && t.Text != "" {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, "\n")
}

// line writes one line. Its id is the same each time that the copy is made.
func (c *claudeLines) line(kind, key string, at Time, more map[string]any) {
	id := key
	if uuid.Validate(id) != nil {
		id = uuid.NewSHA1(uuid.Nil, []byte(c.Session+key)).String()
	}
	more["type"], more["uuid"], more["timestamp"], more["sessionId"], more["cwd"] = kind, id, at, c.Session, c.Cwd
	more["isSidechain"], more["userType"], more["version"], more["parentUuid"] = false, "external", "minigem", nil
	if c.parent != "" {
		more["parentUuid"] = c.parent
	}
	c.parent = id
	e := json.NewEncoder(&c.out)
	e.SetEscapeHTML(false)
	_ = e.Encode(more) // it is made of JSON, and into memory
}
