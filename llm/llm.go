// Package llm defines the types that all packages share: messages, parts,
// requests, chunks, and the interfaces of a model. It knows no vendor, no
// network and no other package of this module; llm/gemini and llm/script
// implement [Model].
//
// The JSON form of [Message], [Part], [Chunk] and [Request] is that of the
// Gemini API (generateContent, REST v1beta), because session files,
// fake-responses files and recordings all use it.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Role says who speaks in a [Message]. The API knows these two; tool results
// have the user's.
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

// Request is one request to a model.
type Request struct {
	Model    string    // model name, without the "models/" prefix
	System   string    // system instruction; empty: none
	Messages []Message // the conversation, oldest first; roles alternate
	Tools    []ToolSpec
	Choice   ToolChoice
	Sampling Sampling
	Builtins Builtins // tools that the provider itself runs
	Role     string   // purpose of the call in statistics, such as "main"; empty: "main"
}

// ToolSpec declares a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments; nil: no arguments
}

// ToolMode says whether the model may or must call tools.
type ToolMode string

const (
	ToolModeUnset ToolMode = "" // not sent: the provider's default, AUTO
	ToolModeAuto  ToolMode = "AUTO"
	ToolModeAny   ToolMode = "ANY"  // the model must call a tool
	ToolModeNone  ToolMode = "NONE" // the model must not call a tool
)

// Offers reports whether an answer to r may call the tool of that name: it is
// declared, and the choice allows it.
func (r Request) Offers(name string) bool {
	return r.Choice.Mode != ToolModeNone &&
		(len(r.Choice.Allowed) == 0 || slices.Contains(r.Choice.Allowed, name)) &&
		slices.ContainsFunc(r.Tools, func(t ToolSpec) bool { return t.Name == name })
}

// ToolChoice restricts or forces tool calls. The zero value leaves the choice
// to the model.
type ToolChoice struct {
	Mode    ToolMode
	Allowed []string // names of the allowed tools; nil: all that are declared
}

// Sampling holds generation settings. A nil pointer leaves the choice to the
// provider.
type Sampling struct {
	Temperature                       *float64
	TopP                              *float64
	TopK                              *float64
	MaxOutputTokens                   *int
	StopSequences                     []string
	Seed                              *int
	PresencePenalty, FrequencyPenalty *float64
	Thinking                          *Thinking
	JSONSchema                        json.RawMessage // when set, the answer is JSON of this schema
}

// Thinking configures a model's thoughts.
type Thinking struct {
	IncludeThoughts bool
	Budget          *int   // tokens; nil: not sent
	Level           string // "LOW", "HIGH"; empty: not sent
}

// Builtins are tools that the provider runs.
type Builtins struct {
	GoogleSearch bool
	URLContext   bool
}

// Chunk is a piece of a streamed answer, or a whole answer that was not
// streamed.
type Chunk struct {
	Parts         []Part
	FinishReason  string // "STOP", "MAX_TOKENS", "SAFETY", ...; empty: more follows
	FinishMessage string
	BlockReason   string // why the prompt was refused; empty: it was not
	Index         int    // safety ratings of the candidate
	SafetyRatings []SafetyRating
	Usage         *Usage          // nil: not in this chunk
	Grounding     json.RawMessage // groundingMetadata of the candidate; nil: none
	Citations     json.RawMessage // citationMetadata of the candidate; nil: none
	URLContext    json.RawMessage // urlContextMetadata of the candidate; nil: none
	ModelVersion  string
	ResponseID    string
}

// SafetyRating is the provider's safety rating of an answer.
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

// Model streams answers. Stream yields the chunks of one answer in order; the
// first error ends the stream and is the last thing yielded. A consumer may
// stop early. Stream obeys ctx and is safe for concurrent use.
type Model interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Generator answers in one piece (the generateContent method): for summaries,
// web searches and other side requests.
type Generator interface {
	Generate(ctx context.Context, req Request) (Chunk, error)
}

// TokenCounter counts the tokens of a request without an answer (the
// countTokens method).
type TokenCounter interface {
	CountTokens(ctx context.Context, req Request) (int, error)
}

// Text joins the text parts of m, without thoughts.
func (m Message) Text() string { return PartsText(m.Parts) }

// Calls returns the tool calls of m in order; nil if it has none.
func (m Message) Calls() []ToolCall { return PartsCalls(m.Parts) }

// Text joins the text parts of c, without thoughts.
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

// Provider is everything that minigem asks of a model's provider;
// gemini.Client, script.Model and script.Recorder implement it.
type Provider interface {
	Model
	Generator
	TokenCounter
}
