// Package llm defines the types that all packages share: messages, parts, requests,
// chunks, and the interfaces of a model. It imports no vendor's library, no network code
// and no other package of this module. [Model] has three implementations: llm/gemini
// calls Google's API, llm/openai calls servers that speak OpenAI's chat completions, and
// llm/script replays answers from a file. [Fake] is a model for tests.
//
//	for c, err := range model.Stream(ctx, llm.Request{
//		Model:    "gemini-2.5-flash",
//		Messages: []llm.Message{llm.UserText("What is a monad?")},
//	}) {
//		if err != nil {
//			return err // usually an *Error, which has a Kind and a Hint
//		}
//		fmt.Print(c.Text())
//	}
//
// [Message], [Part], [Chunk] and [Request] marshal to the JSON of the Gemini API
// (generateContent, REST v1beta), because session files, fake-responses files and
// recordings all use it. Retries, caching and the choice of a model are left to
// implementations and callers.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Role says who speaks in a [Message]. The API knows only these two: the results of tools
// are sent in messages of the user.
type Role string

// The roles of a conversation. The system instruction is no message: it is
// [Request.System].
const (
	// what the user says, and the results of tools
	RoleUser Role = "user"
	// what the model says, and the tools that it calls
	RoleModel Role = "model"
)

// Message is one entry of a conversation: a Content of the Gemini API. It is a value that
// may be copied, but its Parts are shared by the copies and must not be changed. See
// [Extends], which relies on that.
type Message struct {
	// Role says who speaks.
	Role Role
	// Parts are in the order in which they were said. May be empty.
	Parts []Part
}

// Request is one request to a model. Implementations of [Model] do not change it. The
// zero Request is valid JSON but has no message, which APIs refuse.
type Request struct {
	// Model is the name of the model without the prefix "models/", such as
	// "gemini-2.5-pro".
	Model string
	// System is the system instruction, or "" to send none.
	System string
	// Messages is the conversation, oldest first. Roles must alternate, and each
	// [ToolCall] must be answered by a [ToolResult] in the next message.
	Messages []Message
	// Tools are the declared tools. Their order is the order on the wire, so keep it
	// stable: providers cache requests by their beginning.
	Tools []ToolSpec
	// Choice restricts which of Tools may be called.
	Choice ToolChoice
	// Sampling holds temperature, limits and other generation settings.
	Sampling Sampling
	// Builtins are tools that the provider itself runs.
	Builtins Builtins
	// Role is the purpose of the request in statistics, such as "main", "subagent" or
	// "utility_compressor". It is not sent. Empty means "main".
	Role string
}

// ToolSpec declares a tool to the model: a functionDeclaration of the Gemini API.
type ToolSpec struct {
	// Name is what the model calls it by, unique among [Request.Tools].
	Name string `json:"name"`
	// Description tells the model what the tool does and when to use it.
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the arguments, an object. It is sent as
	// parametersJsonSchema. nil means no arguments.
	Parameters json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

// ToolMode says whether the model may or must call tools (FunctionCallingConfig.Mode).
type ToolMode string

// The modes of a [ToolChoice].
const (
	// nothing is sent: the provider's default, which is AUTO
	ToolModeUnset ToolMode = ""
	// the model decides whether to call a tool
	ToolModeAuto ToolMode = "AUTO"
	// the model must call a tool
	ToolModeAny ToolMode = "ANY"
	// the model must not call a tool
	ToolModeNone ToolMode = "NONE"
)

// Offers reports whether an answer to r may call the tool with this name: it is declared
// in r.Tools, and r.Choice allows it. Names are compared exactly.
func (r Request) Offers(name string) bool {
	return r.Choice.Mode != ToolModeNone &&
		(len(r.Choice.Allowed) == 0 || slices.Contains(r.Choice.Allowed, name)) &&
		slices.ContainsFunc(r.Tools, func(t ToolSpec) bool { return t.Name == name })
}

// ToolChoice restricts or forces tool calls. The zero value leaves the choice to the
// model.
type ToolChoice struct {
	// Mode is not sent if it is [ToolModeUnset]. Allowed counts in any mode but
	// [ToolModeNone].
	Mode ToolMode `json:"mode,omitempty"`
	// Allowed are the names of the tools that may be called; empty means all that are
	// declared. The API takes this list only with [ToolModeAny], see [ToolChoice.OnWire].
	// In other modes, narrow [Request.Tools] too.
	Allowed []string `json:"allowedFunctionNames,omitempty"`
}

// Sampling holds generation settings (generationConfig of the Gemini API). A nil pointer,
// a nil slice and the zero value leave the choice to the provider.
type Sampling struct {
	// Temperature is 0 for the likeliest answer, up to 2 for Gemini.
	Temperature *float64 `json:"temperature,omitempty"`
	// TopP and TopK limit the candidates for each token: by the sum of their
	// probabilities, and by their number.
	TopP *float64 `json:"topP,omitempty"`
	// TopK is the number of candidates for each token. It is a float because the API
	// has it so.
	TopK *float64 `json:"topK,omitempty"`
	// MaxOutputTokens ends the answer with the finish reason MAX_TOKENS. Thoughts count.
	MaxOutputTokens *int `json:"maxOutputTokens,omitempty"`
	// StopSequences are texts that end the answer.
	StopSequences []string `json:"stopSequences,omitempty"`
	// Seed makes sampling repeatable, as far as the provider can.
	Seed *int `json:"seed,omitempty"`
	// PresencePenalty makes words that were already used less likely.
	PresencePenalty *float64 `json:"presencePenalty,omitempty"`
	// FrequencyPenalty does so the more often they were used.
	FrequencyPenalty *float64 `json:"frequencyPenalty,omitempty"`
	// JSONSchema, if set, demands an answer in JSON that meets this schema. It also sends
	// the MIME type application/json.
	JSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	// Thinking is nil if nothing about thoughts is sent.
	Thinking *Thinking `json:"thinkingConfig,omitempty"`
}

// Thinking configures a model's thoughts (thinkingConfig). Gemini 2.5 takes a Budget,
// Gemini 3 a Level: set one of them.
type Thinking struct {
	// IncludeThoughts asks for summaries, which arrive as [Thought] parts.
	IncludeThoughts bool `json:"includeThoughts,omitempty"`
	// Budget is the most tokens to think with; nil is not sent.
	Budget *int `json:"thinkingBudget,omitempty"`
	// Level is a word of the API such as "LOW" or "HIGH"; empty is not sent.
	Level string `json:"thinkingLevel,omitempty"`
}

// Builtins selects tools that the provider runs itself. The zero value selects none.
type Builtins struct {
	// GoogleSearch lets the model search the web. Sources arrive in [Chunk.Grounding].
	GoogleSearch bool
	// URLContext lets the model fetch URLs in the prompt. What it fetched arrives in
	// [Chunk.URLContext].
	URLContext bool
}

// Chunk is a piece of a streamed answer, or a whole answer that was not streamed (a
// GenerateContentResponse with one candidate). Fields other than Parts are usually set in
// the last chunk alone, but a provider may repeat them. The last value counts.
type Chunk struct {
	// Parts continue the parts of earlier chunks. Text may be cut anywhere; a [ToolCall]
	// is always whole.
	Parts []Part
	// FinishReason is "STOP", "MAX_TOKENS", "SAFETY" or another word of the API. Empty
	// means that more follows; a stream that ends without one broke off.
	FinishReason string
	// FinishMessage explains FinishReason, for people. May be empty.
	FinishMessage string
	// BlockReason says why the provider refused the prompt; then there is no answer.
	// Empty means that it did not.
	BlockReason string
	// Index is the candidate's number. Only the first candidate is ever read.
	Index int
	// SafetyRatings of the candidate; nil if the provider sent none.
	SafetyRatings []SafetyRating
	// Usage is nil in chunks that do not report it. Counts are for the whole request so
	// far and not only for this chunk.
	Usage *Usage
	// Grounding is the candidate's groundingMetadata as received: sources of a Google
	// search.
	Grounding json.RawMessage
	// Citations is the candidate's citationMetadata as received.
	Citations json.RawMessage
	// URLContext is the candidate's urlContextMetadata as received.
	URLContext json.RawMessage
	// ModelVersion is the name of the model that answered, which may be more exact than
	// [Request.Model].
	ModelVersion string
	// ResponseID is the provider's id of the answer, for its support.
	ResponseID string
}

// SafetyRating is the provider's judgment of an answer in one category.
type SafetyRating struct {
	// Category is a word of the API such as "HARM_CATEGORY_HARASSMENT".
	Category string `json:"category"`
	// Probability is a word of the API such as "NEGLIGIBLE" or "HIGH".
	Probability string `json:"probability"`
	// Blocked says that the provider held content back because of it.
	Blocked bool `json:"blocked,omitempty"`
}

// Usage counts the tokens of one request, as the provider reports them (usageMetadata). A
// count that the provider leaves out is 0.
type Usage struct {
	// Prompt counts what was sent. It includes Cached.
	Prompt int `json:"promptTokenCount,omitempty"`
	// Candidates counts the answer, without thoughts.
	Candidates int `json:"candidatesTokenCount,omitempty"`
	// Total is the provider's own sum.
	Total int `json:"totalTokenCount,omitempty"`
	// Cached is the part of Prompt that came from the provider's cache.
	Cached int `json:"cachedContentTokenCount,omitempty"`
	// Thoughts counts what the model thought, whether or not summaries were asked for.
	Thoughts int `json:"thoughtsTokenCount,omitempty"`
	// ToolUse counts what [Builtins] added to the prompt.
	ToolUse int `json:"toolUsePromptTokenCount,omitempty"`
}

// Model streams answers.
type Model interface {
	// Stream yields the chunks of one answer in order. The first error ends the stream
	// and is the last pair yielded; its chunk is to be ignored. Failures of the provider
	// are an [*Error] (use errors.As), and after ctx has ended the error may be
	// ctx.Err(). Nothing is sent before the sequence is ranged over, and ranging over it
	// again makes a new request. A consumer may stop early, which ends the request.
	// Stream is safe for concurrent use.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Generator answers in one piece (the generateContent method): for summaries, web
// searches and other side requests. It may serve a [Model] that does not stream.
type Generator interface {
	// Generate returns the whole answer as one [Chunk]. Errors are those of [Model]. It
	// is safe for concurrent use.
	Generate(ctx context.Context, req Request) (Chunk, error)
}

// TokenCounter counts the tokens of a request without an answer (the countTokens method).
type TokenCounter interface {
	// CountTokens returns the size of req. An error means that the provider cannot count
	// or cannot be reached, and callers estimate instead. It is safe for concurrent use.
	CountTokens(ctx context.Context, req Request) (int, error)
}

// Text joins the text parts of m without a separator. Thoughts are left out.
func (m Message) Text() string { return PartsText(m.Parts) }

// Calls returns the tool calls of m in order; nil if it has none. Their Args are shared
// with m.
func (m Message) Calls() []ToolCall { return PartsCalls(m.Parts) }

// Text joins the text parts of c without a separator. Thoughts are left out.
func (c Chunk) Text() string { return PartsText(c.Parts) }

// Calls returns the tool calls of c in order; nil if it has none. Their Args are shared
// with c.
func (c Chunk) Calls() []ToolCall { return PartsCalls(c.Parts) }

// PartsText joins the [Text] parts among parts without a separator.
func PartsText(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if t, ok := p.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// PartsCalls returns the [ToolCall] parts among parts in order; nil if there are none.
func PartsCalls(parts []Part) []ToolCall { return only[ToolCall](parts) }

// PartsResults returns the [ToolResult] parts among parts in order; nil if there are
// none.
func PartsResults(parts []Part) []ToolResult { return only[ToolResult](parts) }

// only returns the parts of the type P in order; nil if there are none.
func only[P Part](parts []Part) (out []P) {
	for _, p := range parts {
		if of, ok := p.(P); ok {
			out = append(out, of)
		}
	}
	return out
}

// UserText returns a message of the user with one text part. An empty text makes a part
// too.
func UserText(text string) Message {
	return Message{Role: RoleUser, Parts: []Part{Text{Text: text}}}
}

// ModelText returns a message of the model with one text part. An empty text makes a
// part too.
func ModelText(text string) Message {
	return Message{Role: RoleModel, Parts: []Part{Text{Text: text}}}
}

// Provider is everything that minigem asks of a model's provider: gemini.Client,
// openai.Client, script.Model and script.Recorder implement it. An agent needs only the
// [Model].
type Provider interface {
	Model
	Generator
	TokenCounter
}
