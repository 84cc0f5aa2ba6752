package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"minigem/llm"
)

// request is the body of a chat completion.
type request struct {
	Model         string          `json:"model"`
	Messages      []message       `json:"messages"`
	Tools         []tool          `json:"tools,omitempty"`
	Choice        any             `json:"tool_choice,omitempty"`
	Temperature   *float64        `json:"temperature,omitempty"`
	TopP          *float64        `json:"top_p,omitempty"`
	MaxTokens     *int            `json:"max_tokens,omitempty"`
	MaxCompletion *int            `json:"max_completion_tokens,omitempty"` // OpenAI's own word for it
	Stop          []string        `json:"stop,omitempty"`
	Seed          *int            `json:"seed,omitempty"`
	Presence      *float64        `json:"presence_penalty,omitempty"`
	Frequency     *float64        `json:"frequency_penalty,omitempty"`
	Format        *responseFormat `json:"response_format,omitempty"`
	Stream        bool            `json:"stream,omitempty"`
	StreamOptions *streamOptions  `json:"stream_options,omitempty"`
}

// streamOptions asks for the usage, which streams leave out by default.
type streamOptions struct {
	Usage bool `json:"include_usage"`
}

// responseFormat asks for JSON that meets a schema.
type responseFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// tool is a declaration; Type is always "function".
type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

// function is a declared tool. Parameters is its JSON Schema.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// message is one entry of the conversation. Role is system, user, assistant or tool.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content,omitempty"` // a text, or a list of contents
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`
}

// call is a call that the model made before. Its ID is without the prefix of session
// files.
type call struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function calledByName `json:"function"`
}

// calledByName is the name of a called tool and its arguments, as JSON in a text.
type calledByName struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// content is a piece of a message that is not text alone: a text, an image or a file.
type content struct {
	Type  string   `json:"type"`
	Text  string   `json:"text,omitempty"`
	Image *address `json:"image_url,omitempty"`
	File  *file    `json:"file,omitempty"`
}

// address is the URL of an image, usually a data URL.
type address struct {
	URL string `json:"url"`
}

// file is a document that is sent with the message, as a data URL.
type file struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

// body writes req for the server. It leaves out what the API has no field for: topK,
// thoughts and their budget, and signatures.
func (c *Client) body(req llm.Request, stream bool) ([]byte, error) {
	if req.Builtins != (llm.Builtins{}) {
		return nil, &llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("%s cannot search the web or read pages by itself",
			c.opts.Model), Hint: "that takes a model of Google's: choose one with --model"}
	}
	s := req.Sampling
	r := request{Model: c.modelOf(req), Temperature: s.Temperature, TopP: s.TopP, Stop: s.StopSequences, Seed: s.Seed,
		Presence: s.PresencePenalty, Frequency: s.FrequencyPenalty, Stream: stream}
	if r.MaxTokens = s.MaxOutputTokens; c.opts.BaseURL == openAI {
		r.MaxTokens, r.MaxCompletion = nil, s.MaxOutputTokens
	}
	if stream {
		r.StreamOptions = &streamOptions{Usage: true}
	}
	if len(s.JSONSchema) > 0 {
		r.Format = &responseFormat{Type: "json_schema"}
		r.Format.Schema.Name, r.Format.Schema.Schema = "answer", s.JSONSchema
	}
	r.offer(req)
	var w writer
	if req.System != "" {
		w.add(message{Role: "system", Content: req.System})
	}
	for _, m := range req.Messages {
		w.message(m)
	}
	w.answerPending()
	if r.Messages = w.messages; w.err != nil {
		return nil, w.err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrInvalid, Message: "the request cannot be written as JSON",
			Hint: "look at the hooks that change requests or arguments", Err: err}
	}
	return data, nil
}

// modelOf returns the name of the model for the server. A request for a model of another
// kind, such as the small one that makes titles, goes to the configured one.
func (c *Client) modelOf(req llm.Request) string {
	if _, name, ok := split(req.Model); ok {
		return name
	}
	return c.opts.Model
}

// offer declares the tools that may be called.
func (r *request) offer(req llm.Request) {
	for _, t := range req.Tools {
		if len(req.Choice.Allowed) > 0 && !slices.Contains(req.Choice.Allowed, t.Name) {
			continue
		}
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(
			r.Tools, tool{"function", function{Name: t.Name, Description: t.Description, Parameters: parameters}})
	}
	if len(r.Tools) == 0 {
		return
	}
	switch req.Choice.Mode {
	case llm.ToolModeNone:
		r.Choice = "none"
	case llm.ToolModeAny:
		r.Choice = "required"
	}
}

// writer turns messages into the API's form, which wants each call to be followed by its
// result, and each result to follow its call.
type writer struct {
	messages []message
	pending  []string // ids of calls that wait for their results
	err      error
}

// add appends m as it is.
func (w *writer) add(m message) { w.messages = append(w.messages, m) }

// message adds m. A result whose call is not pending becomes text.
func (w *writer) message(m llm.Message) {
	if m.Role == llm.RoleModel {
		w.answerPending()
		w.fromModel(m)
		return
	}
	var rest []llm.Part
	for _, p := range m.Parts {
		r, ok := p.(llm.ToolResult)
		if !ok {
			rest = append(rest, p)
			continue
		}
		id := llm.WireID(r.Name, r.ID)
		if i := slices.Index(w.pending, id); i >= 0 {
			w.pending = slices.Delete(w.pending, i, i+1)
			w.add(message{Role: "tool", CallID: id, Content: resultText(r)})
		} else { // its call is not in the history, or not any more
			rest = append(rest, llm.Text{Text: fmt.Sprintf("The result of %s: %s", r.Name, resultText(r))})
		}
		rest = append(rest, r.Parts...)
	}
	if len(rest) > 0 {
		w.answerPending()
		w.fromUser(rest)
	}
}

// answerPending gives the calls that still wait for their results one that says
// so.
func (w *writer) answerPending() {
	for _, id := range w.pending {
		w.add(message{Role: "tool", CallID: id, Content: "There is no result."})
	}
	w.pending = nil
}

// fromModel adds a message of the model, whose calls are pending then. A message with
// nothing but thoughts is left out.
func (w *writer) fromModel(m llm.Message) {
	out := message{Role: "assistant"}
	if text := m.Text(); text != "" {
		out.Content = text
	}
	for _, c := range m.Calls() {
		args := []byte("{}")
		if len(c.Args) > 0 {
			var err error
			if args, err = json.Marshal(c.Args); err != nil {
				w.err = &llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("the arguments of %s cannot be written as JSON",
					c.Name), Err: err}
				return
			}
		}
		id := llm.WireID(c.Name, c.ID)
		out.Calls = append(out.Calls, call{ID: id, Type: "function", Function: calledByName{c.Name, string(args)}})
		w.pending = append(w.pending, id)
	}
	if out.Content != nil || out.Calls != nil { // else it was only thoughts
		w.add(out)
	}
}

// fromUser adds a message of the user. Texts next to each other become one; a message
// of texts alone is sent as a text, because some servers take no lists.
func (w *writer) fromUser(parts []llm.Part) {
	var all []content
	for _, p := range parts {
		c, err := contentOf(p)
		if err != nil {
			w.err = err
			return
		}
		if c == (content{Type: "text"}) {
			continue // nothing
		}
		if last := len(all) - 1; last >= 0 && c.Type == "text" && all[last].Type == "text" {
			all[last].Text += "\n\n" + c.Text
			continue
		}
		all = append(all, c)
	}
	switch {
	case len(all) == 0:
		w.add(message{Role: "user", Content: ""})
	case len(all) == 1 && all[0].Type == "text":
		w.add(message{Role: "user", Content: all[0].Text})
	default:
		w.add(message{Role: "user", Content: all})
	}
}

// contentOf converts a part of a user's message. What the API cannot express is an error,
// because leaving it out would change what the user said.
func contentOf(p llm.Part) (content, error) {
	switch p := p.(type) {
	case llm.Text:
		return content{Type: "text", Text: p.Text}, nil
	case llm.Blob:
		data := "data:" + p.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
		switch {
		case strings.HasPrefix(p.MIMEType, "image/"):
			return content{Type: "image_url", Image: &address{data}}, nil
		case p.MIMEType == "application/pdf":
			name := p.Name
			if name == "" {
				name = "document.pdf"
			}
			return content{Type: "file", File: &file{name, data}}, nil
		}
		return content{}, unsendable("data of the type " + p.MIMEType)
	case llm.FileRef:
		if strings.HasPrefix(p.MIMEType, "image/") {
			return content{Type: "image_url", Image: &address{p.URI}}, nil
		}
		return content{}, unsendable("an address of data of the type " + p.MIMEType)
	case llm.Thought:
		return content{Type: "text"}, nil
	}
	return content{}, unsendable("a part that only the Gemini API knows")
}

// unsendable returns the error for a part that the API cannot express.
func unsendable(what string) error {
	return &llm.Error{Kind: llm.ErrInvalid, Message: "the conversation has " + what + ", which this API does not take",
		Hint: "use /clear or /rewind, or choose a Gemini model with --model"}
}

// resultText returns what the model reads of a result: its output as it is, anything else
// as JSON.
func resultText(r llm.ToolResult) string {
	if output, ok := r.Response["output"].(string); ok && len(r.Response) == 1 {
		return output
	}
	data, err := json.Marshal(r.Response)
	if err != nil {
		return fmt.Sprint(r.Response)
	}
	return string(data)
}
