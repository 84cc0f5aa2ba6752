package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"

	"minigem/llm"
)

// MarshalJSON writes a string or an array of parts. It is a string if c is Plain, of
// all its texts joined; other parts are lost then.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Plain {
		return json.Marshal(llm.PartsText(c.Parts))
	}
	return llm.MarshalParts(c.Parts)
}

// MarshalJSON wraps s in the update's envelope. The envelope is {"$set":{...}}, as
// Gemini CLI writes it.
func (s Set) MarshalJSON() ([]byte, error) {
	type plain Set
	return json.Marshal(map[string]any{"$set": plain(s)})
}

// ours wraps value in the envelope that Gemini CLI skips.
func ours(kind string, value any) ([]byte, error) {
	return json.Marshal(map[string]any{"minigem": map[string]any{kind: value}})
}

// MarshalJSON writes {"minigem":{"message":{"id":...,"parts":[...]}}}. Gemini CLI skips
// lines in this envelope.
func (e Exact) MarshalJSON() ([]byte, error) {
	return ours("message", struct {
		ID    string `json:"id"`
		Parts Parts  `json:"parts"`
	}{e.ID, MakeParts(e.Parts...)})
}

// MarshalJSON writes {"minigem":{"toolCall":{"id":...,"call":{...}}}}. Gemini CLI skips
// lines in this envelope.
func (f Finished) MarshalJSON() ([]byte, error) {
	return ours("toolCall", struct {
		ID   string   `json:"id"`
		Call ToolCall `json:"call"`
	}{f.ID, f.Call})
}

// MarshalJSON writes {"minigem":{"hook":...}}. Gemini CLI skips such lines.
func (a Activity) MarshalJSON() ([]byte, error) { return ours("hook", a.Value) }

// appendLine adds r to buf as a line.
func appendLine(buf []byte, r Record, mask func([]byte) []byte) ([]byte, error) {
	b := bytes.NewBuffer(buf)
	if err := json.NewEncoder(b).Encode(r); err != nil {
		return buf, fmt.Errorf("encoding %T: %w", r, err)
	}
	line := plainAngles(b.Bytes()[len(buf):])
	if masked := maskValues(line, mask); len(masked) > 0 && &masked[0] != &line[0] {
		return append(b.Bytes()[:len(buf)], masked...), nil
	}
	return b.Bytes()[:len(buf)+len(line)], nil
}

// plainAngles undoes encoding/json's escaping of <, > and &: people and scripts
// search these files for "<hook_context>".
func plainAngles(line []byte) []byte {
	if !bytes.Contains(line, []byte(`\u00`)) {
		return line
	}
	out := line[:0]
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' || i+1 == len(line) {
			out = append(out, line[i])
			continue
		}
		if i+6 <= len(line) {
			if c := angle(string(line[i : i+6])); c != 0 {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, line[i], line[i+1])
		i++
	}
	return out
}

// angle returns the character that encoding/json escaped, or 0 if it did not.
func angle(escape string) byte {
	switch escape {
	case `\u003c`:
		return '<'
	case `\u003e`:
		return '>'
	case `\u0026`:
		return '&'
	}
	return 0
}

// maskValues masks the string values of a line, not its keys. nil masks nothing.
func maskValues(line []byte, mask func([]byte) []byte) []byte {
	if mask == nil || bytes.Equal(mask(line), line) {
		return line
	}
	var out []byte
	for i := 0; i < len(line); {
		if line[i] != '"' {
			out = append(out, line[i])
			i++
			continue
		}
		end := stringEnd(line, i)
		if end < len(line) && line[end] == ':' {
			out = append(out, line[i:end]...)
		} else {
			out = append(out, mask(line[i:end])...)
		}
		i = end
	}
	return out
}

// stringEnd returns the index after the string that opens at i.
func stringEnd(line []byte, i int) int {
	for i++; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}
