// Package transcript reads and writes the file of a session: JSON Lines, only ever
// appended to, in the shapes of Gemini CLI 0.61 (core/services/chatRecordingService.ts),
// so that either program can resume what the other one wrote.
//
// It knows records, not conversations: which records to write when, and how a history is
// made of them, is decided in session. It never changes a record that is in a file.
//
// A file is a sequence of records, one a line:
//
//	metadata   {"sessionId": ..., "projectHash": ..., ...}
//	message    {"id": ..., "type": "user" | "gemini" | ..., ...}; the same id again replaces the message
//	update     {"$set": {...}}; the key "messages" in it replaces them all
//	rewind     {"$rewindTo": "<id>"}; drops that message and all after it
//	ours       {"minigem": {...}}; Gemini CLI skips it
//
// [Read] applies them in order:
//
//	f, err := transcript.Read(path)
//	for _, m := range f.Messages {
//		fmt.Println(m.Type, llm.PartsText(m.Content.Parts))
//	}
package transcript

import (
	"encoding/json"
	"time"

	"minigem/llm"
)

// PreambleID is the id of the message that describes the surroundings to the
// model. It is the same in every session. (core/utils/environmentContext.ts)
const PreambleID = "d04923d38bb0f6017037e74183378ef4"

// The kinds of a session, see [Meta.Kind]. Main sessions can be resumed. A subagent's
// are stored in a folder of the session that started it.
const (
	// KindMain is a conversation with the user.
	KindMain = "main"
	// KindSubagent is what a subagent said and did.
	KindSubagent = "subagent"
)

// Type says who speaks in a [Message].
type Type string

// The types of a [Message]. Those but [TypeUser] and [TypeGemini] are only shown.
const (
	// the user and the results of tools
	TypeUser Type = "user"
	// the model
	TypeGemini Type = "gemini"
	// a remark that only people read
	TypeInfo Type = "info"
	// an error that only people read
	TypeError Type = "error"
	// a warning that only people read
	TypeWarning Type = "warning"
)

// Record is one line: [Meta], [Message], [Set], [Rewind], [Exact], [Finished]
// or [Activity], and nothing else.
type Record interface{ isRecord() }

// Meta is the metadata of a session: the first record of a file. Later ones, and [Set],
// change single fields.
type Meta struct {
	// SessionID is the whole id; the file's name has its first eight characters.
	SessionID string `json:"sessionId"`
	// ProjectHash is the SHA-256 of the project's root, in hex.
	ProjectHash string `json:"projectHash"`
	// StartTime is from the first record; later ones do not change it.
	StartTime Time `json:"startTime"`
	// LastUpdated is when a message was last written.
	LastUpdated Time `json:"lastUpdated"`
	// Kind is [KindMain] or [KindSubagent]; empty in older files.
	Kind string `json:"kind,omitempty"`
	// Directories are workspace directories in addition to the project's root.
	Directories []string `json:"directories,omitempty"`
	// Summary is the title; empty if it has none.
	Summary string `json:"summary,omitempty"`
}

// Message is one entry of the conversation.
type Message struct {
	// ID is unique in the file. Writing another Message with it replaces the first.
	ID string `json:"id"`
	// Timestamp is when it was written last.
	Timestamp Time `json:"timestamp"`
	// Type says who speaks.
	Type Type `json:"type"`
	// Content is what was said; for a model without its calls, see ToolCalls and Exact.
	Content Content `json:"content"`
	// Thoughts is not written if it is nil, and written as an empty list if it is empty.
	Thoughts []Thought `json:"thoughts,omitzero"`
	// Tokens is nil for a user's message, or if the model did not report it.
	Tokens *Tokens `json:"tokens,omitempty"`
	// Model is the model's name; empty for a user's message.
	Model string `json:"model,omitempty"`
	// ToolCalls are the calls of a model's message that are answered.
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`

	// Exact holds the original parts of a model's message if there is an [Exact] record
	// for it, else nil. It is not part of the message's own record.
	Exact []llm.Part `json:"-"`
}

// Content is the content of a message: parts, or one string, which is how Gemini CLI
// writes what the model said. The zero Content is an empty list.
type Content struct {
	// Parts are decoded. A string has one part, or none if it is empty.
	Parts []llm.Part
	// Plain writes the text of Parts as one string and drops other parts.
	Plain bool
}

// Thought is a summary of what the model thought, as shown.
type Thought struct {
	// Subject is the text between "**"; may be empty.
	Subject string `json:"subject"`
	// Description is the rest.
	Description string `json:"description"`
	// Timestamp is when its message was written.
	Timestamp Time `json:"timestamp"`
}

// Tokens counts the tokens of a model's message, see [llm.Usage].
type Tokens struct {
	// Input includes Cached.
	Input int `json:"input"`
	// Output is without Thoughts.
	Output int `json:"output"`
	// Cached is what the provider had in its cache.
	Cached int `json:"cached"`
	// Thoughts is what the model used for thinking.
	Thoughts int `json:"thoughts"`
	// Tool is what tools of the provider added to the prompt.
	Tool int `json:"tool"`
	// Total is the provider's sum.
	Total int `json:"total"`
}

// ToolCall is a call of the model with its result.
type ToolCall struct {
	// ID has the form "<name>__<id>", see [llm.SessionID].
	ID string `json:"id"`
	// Name is the tool's, as the model called it.
	Name string `json:"name"`
	// Args are those that ran. They are never null in files that minigem writes.
	Args map[string]any `json:"args"`
	// Result is what the model read: one functionResponse.
	Result Parts `json:"result"`
	// Status is "success", "error" or "cancelled".
	Status string `json:"status"`
	// Timestamp is when the call had its result.
	Timestamp Time `json:"timestamp"`
	// AgentID is the subagent that the call started, in files of Gemini CLI.
	AgentID string `json:"agentId,omitempty"`
	// ResultDisplay is what people read: a string or an object; a [Raw] if read from a
	// file.
	ResultDisplay any `json:"resultDisplay,omitempty"`
	// Description is one line about the call.
	Description string `json:"description"`
	// DisplayName is the tool's name for people.
	DisplayName string `json:"displayName"`
	// Markdown says that a ResultDisplay that is a string is Markdown.
	Markdown bool `json:"renderOutputAsMarkdown"`
}

// Raw is JSON as it was in a file. It must be valid to be written again. It refers to
// the text of its whole record, which stays in memory as long as it does.
type Raw string

// MarshalJSON returns r.
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// Parts holds the parts of a result. Those from a file are decoded only by Decode,
// because most never are: the message that answered the call contains the same result.
// The zero Parts is empty.
type Parts struct {
	parts []llm.Part
	raw   Raw
}

// MakeParts makes [Parts] of parts, which must not be changed afterwards.
func MakeParts(parts ...llm.Part) Parts { return Parts{parts: parts} }

// Decode returns the parts; nil if there are none. Parts from a file are decoded anew by
// each call.
func (p Parts) Decode() []llm.Part {
	if p.raw == "" {
		return p.parts
	}
	return decodeContent(string(p.raw))
}

// MarshalJSON writes an array of parts, or what the file had.
func (p Parts) MarshalJSON() ([]byte, error) {
	if p.raw != "" {
		return []byte(p.raw), nil
	}
	return llm.MarshalParts(p.parts)
}

// Set changes the metadata that is not empty and, if Messages is not nil, replaces all
// messages; an empty list drops them.
type Set struct {
	// SessionID is the id of a session that is resumed under this file's name.
	SessionID string `json:"sessionId,omitempty"`
	// Messages replaces all messages if it is not nil.
	Messages []Message `json:"messages,omitzero"`
	// LastUpdated is the time of this change.
	LastUpdated Time `json:"lastUpdated,omitzero"`
	// Summary is the title.
	Summary string `json:"summary,omitempty"`
	// Directories replaces the workspace directories if it is not nil.
	Directories []string `json:"directories,omitzero"`
}

// Rewind drops the message with the id To and all after it. Readers skip one that names
// no message.
type Rewind struct {
	// To is the first message to drop.
	To string `json:"$rewindTo"`
}

// Exact holds the parts of a model's message if the message's own record cannot: calls
// without an answer, thought signatures, parts that are not text. The message comes
// before it.
type Exact struct {
	// ID is the id of the message.
	ID string
	// Parts are all parts of the message, in order.
	Parts []llm.Part
}

// Finished holds one answered call of a message while other calls of that message are
// still running.
type Finished struct {
	// ID is the id of the message.
	ID string
	// Call has its result.
	Call ToolCall
}

// Activity records what hooks did, for readers of the file. Value is anything that
// marshals.
type Activity struct{ Value any }

func (Meta) isRecord()     {}
func (Message) isRecord()  {}
func (Set) isRecord()      {}
func (Rewind) isRecord()   {}
func (Exact) isRecord()    {}
func (Finished) isRecord() {}
func (Activity) isRecord() {}

// Time is a time as the file stores it: UTC, milliseconds. Make one with [At].
type Time struct{ time.Time }

// timeLayout is what Date.toISOString of JavaScript writes.
const timeLayout = "2006-01-02T15:04:05.000Z"

// At converts t to UTC and cuts it to milliseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON writes t in UTC with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timeLayout) + `"`), nil
}

// UnmarshalJSON reads an RFC 3339 time; anything else becomes the zero Time.
func (t *Time) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = parseTime(s)
	}
	return nil
}

// parseTime reads an RFC 3339 time; the zero Time if s is anything else.
func parseTime(s string) Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return Time{}
	}
	return At(t)
}
