package openai

import (
	"bytes"
	"encoding/json"

	"minigem/llm"
)

// answer is a completion, or a chunk of one.
type answer struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// choice is one of the answers, of which only the first counts: Delta in a stream, else
// Message.
type choice struct {
	Delta   said   `json:"delta"`
	Message said   `json:"message"`
	Finish  string `json:"finish_reason"`
}

// said is the model's message. The API has no thoughts; servers send them in one of two
// fields.
type said struct {
	Content   string       `json:"content"`
	Refusal   string       `json:"refusal"`
	Reasoning string       `json:"reasoning"`
	Thoughts  string       `json:"reasoning_content"`
	Calls     []calledPart `json:"tool_calls"`
}

// calledPart is a call, or a piece of one in a stream: the id and the name come once, the
// arguments in pieces.
type calledPart struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a piece of JSON as a text; some servers send the object
	} `json:"function"`
}

// usage counts the tokens of a request. The completion's count includes the thoughts.
type usage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"`
	Total         int `json:"total_tokens"`
	PromptDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage converts the counts: thoughts are counted apart from the answer, as the Gemini
// API does. nil stays nil.
func (u *usage) usage() *llm.Usage {
	if u == nil {
		return nil
	}
	thoughts := u.CompletionDetails.Reasoning
	return &llm.Usage{
		Prompt: u.Prompt, Candidates: max(u.Completion-thoughts, 0), Thoughts: thoughts,
		Cached: u.PromptDetails.Cached, Total: max(u.Total, u.Prompt+u.Completion),
	}
}

// thought returns the model's thoughts. A server uses only one of the two fields.
func (s said) thought() string { return s.Thoughts + s.Reasoning }

// text returns the answer. A refusal is an answer too.
func (s said) text() string { return s.Content + s.Refusal }

// assembly is an answer as it comes in. Calls are passed on when they are complete, with
// the finish reason and the usage, in the last chunk.
type assembly struct {
	texts  texts
	calls  []assembled
	finish string
	last   llm.Chunk // of the end
}

// assembled is a call as far as it has come in.
type assembled struct {
	index    int
	id, name string
	args     []byte
}

// add takes a piece of an answer and returns what of it can be passed on; ok is false if
// there is nothing.
func (a *assembly) add(in answer) (c llm.Chunk, ok bool) {
	a.last.ModelVersion, a.last.ResponseID = in.Model, in.ID
	if u := in.Usage.usage(); u != nil {
		a.last.Usage = u
	}
	if len(in.Choices) == 0 {
		return c, false
	}
	k := in.Choices[0]
	if k.Finish != "" {
		a.finish = k.Finish
	}
	said := k.Delta
	if m := k.Message; m.thought()+m.text() != "" || len(m.Calls) > 0 {
		said = m
	}
	for _, p := range said.Calls {
		a.call(p)
	}
	if t := said.thought(); t != "" {
		c.Parts = append(c.Parts, llm.Thought{Text: t})
	}
	if t := said.text(); t != "" {
		c.Parts = append(c.Parts, a.texts.add(t)...)
	}
	c.ModelVersion, c.ResponseID = in.Model, in.ID
	return c, len(c.Parts) > 0
}

// call takes a piece of a call. Pieces belong together by their index, but a new id
// begins another call: some servers give all calls the same index.
func (a *assembly) call(p calledPart) {
	at := -1
	for i := range a.calls {
		if a.calls[i].index == p.Index {
			at = i
		}
	}
	if at < 0 || p.ID != "" && a.calls[at].id != p.ID && p.Function.Name != "" {
		a.calls = append(a.calls, assembled{index: p.Index, id: p.ID})
		at = len(a.calls) - 1
	}
	c := &a.calls[at]
	if c.name == "" {
		c.name = p.Function.Name
	}
	raw := p.Function.Arguments
	var piece string
	if json.Unmarshal(raw, &piece) != nil {
		piece = string(raw)
	}
	c.args = append(c.args, piece...)
}

// finishReasons translates the API's finish reasons into the Gemini API's.
var finishReasons = map[string]string{"stop": "STOP", "tool_calls": "STOP", "function_call": "STOP",
	"length": "MAX_TOKENS", "content_filter": "SAFETY"}

// asText says what to do if a model's calls arrive as text.
const asText = "it is text, which the server did not read as a call: " +
	"start the server with the tool template of this model (llama-server --jinja), or choose a model that calls tools"

// end returns the last chunk of the answer. Arguments that are not an object make it a
// malformed call, which the agent asks for again.
func (a *assembly) end() llm.Chunk {
	c := a.last
	c.FinishReason = "OTHER"
	if reason, ok := finishReasons[a.finish]; ok {
		c.FinishReason = reason
	}
	c.Parts = a.texts.end()
	read := len(llm.PartsCalls(c.Parts)) > 0
	if !read && len(a.calls) == 0 && c.FinishReason == "STOP" && a.texts.callAsText() {
		c.FinishReason, c.FinishMessage = "MALFORMED_FUNCTION_CALL", asText
	}
	for i := range a.calls {
		call := &a.calls[i]
		var args map[string]any
		text := bytes.TrimSpace(call.args)
		if len(text) > 0 && json.Unmarshal(text, &args) != nil || call.name == "" {
			if c.FinishReason == "STOP" {
				c.FinishReason, c.FinishMessage = "MALFORMED_FUNCTION_CALL", "the arguments of "+call.name+" are not a JSON object"
			}
			c.Parts = nil
			return c
		}
		c.Parts = append(c.Parts, llm.ToolCall{ID: call.id, Name: call.name, Args: args})
	}
	return c
}
