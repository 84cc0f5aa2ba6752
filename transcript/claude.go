package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/tidwall/gjson"

	"minigem/internal/boundedfile"
	"minigem/llm"
)

// ClaudeCopy copies a session's file into a second one, in the form of Claude Code's
// transcripts, for hooks that were written for those. It only ever appends, unless one of
// the files was replaced or truncated: then it begins anew. Set the exported fields
// before the first Update and do not change them. It is safe for concurrent use.
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

	mu     sync.Mutex
	from   os.FileInfo       // what From was
	read   int64             // bytes of it
	said   map[string]string // the parent of each message and call that is in the copy
	parent string            // the id of the last line
	out    bytes.Buffer
}

// Update brings the copy up to date with the current content of From. An incomplete
// line of From is left for the next Update. An error is about one of the files; the
// next Update tries again.
func (c *ClaudeCopy) Update() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := c.said == nil || !c.inPlace()
	if fresh {
		c.said, c.read, c.parent = map[string]string{}, 0, ""
		c.out.Reset()
	}
	if err := c.readOn(); err != nil {
		return fmt.Errorf("copying the session file for hooks of Claude Code: %w", err)
	}
	if c.out.Len() == 0 && !fresh {
		return nil
	}
	defer c.out.Reset()
	if err := c.write(fresh); err != nil {
		c.said = nil // the copy lacks lines that were read: make it anew
		return fmt.Errorf("copying the session file for hooks of Claude Code: %w", err)
	}
	return nil
}

// inPlace reports whether the copy is where it was written, and copies the file
// that is there now: a deleted session file is written again.
func (c *ClaudeCopy) inPlace() bool {
	from, err := os.Stat(c.From)
	if err == nil && (!os.SameFile(c.from, from) || from.Size() < c.read) {
		return false
	}
	to, err := os.Lstat(c.To)
	return err == nil && to.Mode().IsRegular()
}

// write appends the converted lines. If fresh is set, it replaces the file.
func (c *ClaudeCopy) write(fresh bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if fresh {
		flags |= os.O_TRUNC
		if err := os.MkdirAll(filepath.Dir(c.To), 0o700); err != nil {
			return err
		}
		// A link would lead elsewhere, and a pipe has perhaps no reader.
		if to, err := os.Lstat(c.To); err == nil && !to.Mode().IsRegular() {
			if err := os.Remove(c.To); err != nil {
				return err
			}
		}
	}
	f, err := os.OpenFile(c.To, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(c.out.Bytes())
	return errors.Join(err, f.Close())
}

// readOn reads the lines that were added since. A line without its end is left
// for later.
func (c *ClaudeCopy) readOn() error {
	f, err := boundedfile.Open(c.From)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if c.from, err = f.Stat(); err != nil {
		return err
	}
	if _, err := f.Seek(c.read, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(f, boundedfile.Recorded))
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	c.read += int64(end)
	for line := range strings.Lines(string(data[:end])) {
		if line = strings.TrimSpace(line); valid(line) {
			c.record(gjson.Parse(line))
		}
	}
	return nil
}

// record converts one record of the session's file.
func (c *ClaudeCopy) record(o gjson.Result) {
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
func (c *ClaudeCopy) message(m Message, compacted bool) {
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
func (c *ClaudeCopy) user(m Message, compacted bool) {
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
func (c *ClaudeCopy) assistant(m Message, part string, block map[string]any) {
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
func (c *ClaudeCopy) call(id string, m Message, call ToolCall) {
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
func (c *ClaudeCopy) result(call ToolCall) {
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
func (c *ClaudeCopy) line(kind, key string, at Time, more map[string]any) {
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
