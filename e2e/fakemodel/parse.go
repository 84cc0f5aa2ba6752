package fakemodel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"minigem/llm"
)

// decode parses a body.
func decode(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	if e := new(json.UnmarshalTypeError); errors.As(err, &e) && e.Field != "" {
		return fmt.Errorf("reading the request: a JSON %s where %s stands", e.Value, e.Field)
	}
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	return nil
}

// reading collects the content of a request. Consecutive content of one role becomes one
// message, as in the APIs themselves.
type reading struct {
	asked
	problems []string
	names    map[string]string // of called tools, by id
	begun    bool              // the first message after the system prompt was seen
}

func (r *reading) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// say adds parts of a role.
func (r *reading) say(role llm.Role, parts ...llm.Part) {
	if len(parts) == 0 {
		return
	}
	r.begun = true
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Parts = append(r.Messages[n-1].Parts, parts...)
		return
	}
	r.Messages = append(r.Messages, llm.Message{Role: role, Parts: parts})
}

// instruct adds a system or developer message.
func (r *reading) instruct(parts ...llm.Part) {
	if r.begun {
		r.say(llm.RoleUser, parts...)
		return
	}
	for _, p := range parts {
		if t, ok := p.(llm.Text); ok {
			if r.System != "" {
				r.System += "\n\n"
			}
			r.System += t.Text
		}
	}
}

// call adds a call.
func (r *reading) call(id, name string, args object) {
	if r.names == nil {
		r.names = map[string]string{}
	}
	r.names[id] = name
	r.say(llm.RoleModel, llm.ToolCall{ID: id, Name: name, Args: args})
}

// result adds a call's result.
func (r *reading) result(id string, failed bool, parts []llm.Part) {
	res := llm.ToolResult{ID: id, Name: r.names[id], Response: object{}}
	var texts []string
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			texts = append(texts, p.Text)
		case llm.Opaque:
			texts = append(texts, string(p.JSON))
		default:
			res.Parts = append(res.Parts, p)
		}
	}
	key := "output"
	if failed {
		key = "error"
	}
	res.Response[key] = strings.Join(texts, "\n")
	r.say(llm.RoleUser, res)
}

// offer adds a tool.
func (r *reading) offer(t Tool, description string) {
	r.tools = append(r.tools, t)
	if t.Name != "" {
		r.Tools = append(r.Tools, llm.ToolSpec{Name: t.Name, Description: description, Parameters: t.Schema})
	}
}

// toolNames matches valid function names. Anthropic and OpenAI differ from Gemini, and
// from each other in the length.
var toolNames = map[Protocol]func() *regexp.Regexp{
	Anthropic: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`) }),
	Responses: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) }),
	Chat:      sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) }),
}

// checkTools checks that names are valid and unique, and that schemas describe objects.
func (r *reading) checkTools(p Protocol) {
	seen := map[[2]string]bool{}
	for i, t := range r.tools {
		if t.Kind != kindFunction && t.Kind != kindCustom {
			continue
		}
		if !toolNames[p]().MatchString(t.Name) {
			r.problem("tools[%d]: %q cannot be a tool's name", i, t.Name)
		}
		if id := [2]string{t.Namespace, t.Name}; seen[id] {
			r.problem("tools[%d]: %s is offered twice", i, t.Name)
		} else {
			seen[id] = true
		}
		var schema struct {
			Type json.RawMessage `json:"type"`
		}
		if t.Schema != nil && (json.Unmarshal(t.Schema, &schema) != nil || typeOf(schema.Type) != "object") {
			r.problem("tools[%d]: the schema of %s is not the schema of an object", i, t.Name)
		}
	}
}

// object is an object of JSON.
type object = map[string]any

// objectOf decodes the arguments of a call. Anything but an object is stored under "input".
func objectOf(data []byte) object {
	var m object
	if len(bytes.TrimSpace(data)) == 0 {
		return object{}
	}
	if json.Unmarshal(data, &m) != nil || m == nil {
		return object{"input": string(data)}
	}
	return m
}

// present returns data, or nil if it is null.
func present(data json.RawMessage) json.RawMessage {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	return data
}

// blob decodes a data: URL. Other URLs become references.
func blob(url, mime string) llm.Part {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return llm.FileRef{MIMEType: mime, URI: url}
	}
	head, data, _ := strings.Cut(rest, ",")
	b, _ := base64.StdEncoding.DecodeString(data) // invalid base64 is decoded up to the error
	return llm.Blob{MIMEType: strings.TrimSuffix(head, ";base64"), Data: b}
}

// textOrList reads a field that is a text, a list, null or missing. what says what it is.
func textOrList(data json.RawMessage, what string) (text *string, list []json.RawMessage, err error) {
	if data == nil || json.Unmarshal(data, &text) == nil {
		return text, nil, nil
	}
	if json.Unmarshal(data, &list) != nil {
		err = errors.New(what)
	}
	return nil, list, err
}
