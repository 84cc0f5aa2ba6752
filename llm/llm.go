// Package llm is the language that the rooms of minigem share: messages,
// parts, requests, chunks and the port to a model. It knows no vendor, no
// network and no other package of this module; llm/gemini and llm/script
// implement Model.
//
// The JSON form of Message, Part, Chunk and Request is that of the Gemini API
// (generateContent, REST v1beta), because session files, fake-responses files
// and recordings all use it.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Role says who speaks in a Message. The API knows these two; the results of
// tools are spoken by the user.
type Role string

const (
	RoleUser  Role = "user"
	RoleModel Role = "model"
)

// Message is one entry of a conversation: a Content of the Gemini API.
type Message struct {
	Role  Role
	Parts []Part
}

// Request is what a model is asked.
type Request struct {
	Model    string    // model name, without the "models/" prefix
	System   string    // system instruction; empty: none
	Messages []Message // the conversation, oldest first; roles alternate
	Tools    []ToolSpec
	Choice   ToolChoice
	Sampling Sampling
	Builtins Builtins // tools that the provider itself runs
	Role     string   // what the call is for in statistics, such as "main"; empty: "main"
}

// ToolSpec declares a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments; nil: no arguments
}

// ToolMode says how far the model is free to call tools.
type ToolMode string

const (
	ToolModeUnset ToolMode = "" // nothing is sent: the provider's default, AUTO
	ToolModeAuto  ToolMode = "AUTO"
	ToolModeAny   ToolMode = "ANY"  // at least one call is forced
	ToolModeNone  ToolMode = "NONE" // no call is possible
)

// Offers reports whether an answer to r may call the tool of that name: it is
// declared, and the choice lets it be called.
func (r Request) Offers(name string) bool {
	return r.Choice.Mode != ToolModeNone &&
		(len(r.Choice.Allowed) == 0 || slices.Contains(r.Choice.Allowed, name)) &&
		slices.ContainsFunc(r.Tools, func(t ToolSpec) bool { return t.Name == name })
}

// ToolChoice narrows or forces the use of tools. The zero value leaves the
// model free.
type ToolChoice struct {
	Mode    ToolMode
	Allowed []string // names; nil: all that are declared
}

// Sampling holds generation settings. A nil pointer is left to the provider.
type Sampling struct {
	Temperature     *float64
	TopP            *float64
	TopK            *float64
	MaxOutputTokens *int
	StopSequences   []string
	Thinking        *Thinking
	JSONSchema      json.RawMessage // when set, the answer is JSON of this schema
}

// Thinking configures a model's thoughts.
type Thinking struct {
	IncludeThoughts bool
	Budget          *int   // tokens; nil: not sent
	Level           string // "LOW", "HIGH"; empty: not sent
}

// Builtins are tools that run at the provider.
type Builtins struct {
	GoogleSearch bool
	URLContext   bool
}

// Chunk is a piece of a streamed answer, or a whole one that was not streamed.
type Chunk struct {
	Parts         []Part
	FinishReason  string // "STOP", "MAX_TOKENS", "SAFETY", ...; empty: more follows
	FinishMessage string
	BlockReason   string // why the prompt was refused; empty: it was not
	Index         int    // of the candidate
	SafetyRatings []SafetyRating
	Usage         *Usage          // nil: not told in this chunk
	Grounding     json.RawMessage // groundingMetadata of the candidate; nil: none
	Citations     json.RawMessage // citationMetadata of the candidate; nil: none
	URLContext    json.RawMessage // urlContextMetadata of the candidate; nil: none
	ModelVersion  string
	ResponseID    string
}

// SafetyRating is a verdict of the provider about an answer.
type SafetyRating struct {
	Category    string `json:"category"`
	Probability string `json:"probability"`
	Blocked     bool   `json:"blocked,omitempty"`
}

// Usage counts the tokens of one request, as the provider reports them.
type Usage struct {
	Prompt     int // includes Cached
	Candidates int
	Total      int
	Cached     int
	Thoughts   int
	ToolUse    int
}

// Model is the port to a model. Stream yields the chunks of one answer in
// order; the first error ends the stream and is the last thing yielded. A
// consumer may stop early. Stream obeys ctx and is safe for concurrent use.
type Model interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Generator answers in one piece (the generateContent method): for summaries,
// web searches and other side work.
type Generator interface {
	Generate(ctx context.Context, req Request) (Chunk, error)
}

// TokenCounter counts the tokens of a request without an answer (the
// countTokens method).
type TokenCounter interface {
	CountTokens(ctx context.Context, req Request) (int, error)
}

// Text joins the text parts of m, thoughts left out.
func (m Message) Text() string { return PartsText(m.Parts) }

// Calls returns the tool calls of m in order; nil if it has none.
func (m Message) Calls() []ToolCall { return PartsCalls(m.Parts) }

// Text joins the text parts of c, thoughts left out.
func (c Chunk) Text() string { return PartsText(c.Parts) }

// Calls returns the tool calls of c in order; nil if it has none.
func (c Chunk) Calls() []ToolCall { return PartsCalls(c.Parts) }

// PartsText joins the Text parts among parts without a separator.
func PartsText(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if t, ok := p.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// PartsCalls returns the ToolCall parts among parts.
func PartsCalls(parts []Part) []ToolCall {
	var calls []ToolCall
	for _, p := range parts {
		if c, ok := p.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// UserText is a user message of one text part.
func UserText(text string) Message {
	return Message{Role: RoleUser, Parts: []Part{Text{Text: text}}}
}

// ModelText is a model message of one text part.
func ModelText(text string) Message {
	return Message{Role: RoleModel, Parts: []Part{Text{Text: text}}}
}

// Provider is all that a model can be asked: gemini.Client, script.Model and
// script.Recorder are ones.
type Provider interface {
	Model
	Generator
	TokenCounter
}
